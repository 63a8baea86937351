/* input_rows_test.c: rows of a file that are read to places with gaps between them: all of them,
 * the gaps untouched, and a sentence if the file ends before. Room: tests of io. */
#include "io/shared/input.h"
#include "io_trial.h"

enum { ROWS = 1300, BYTES = 301, STRIDE = 320, SKIP = 7 };

static void rows_come_to_their_places(void **state)
{
    static uint8_t file[SKIP + ROWS * BYTES], found[ROWS * STRIDE], expected[ROWS * STRIDE];
    const char *path = trial_path("rows.raw");
    ct_input in;
    ct_error why = {0};
    (void)state;
    for (size_t k = 0; k < sizeof file; k++)
        file[k] = (uint8_t)(k * 2654435761u >> 13);
    FILE *out = fopen(path, "wb");
    assert_int_equal(fwrite(file, 1, sizeof file, out), sizeof file);
    fclose(out);
    memset(found, 0x55, sizeof found);
    memset(expected, 0x55, sizeof expected);
    for (int k = 0; k < ROWS; k++)
        memcpy(expected + k * STRIDE, file + SKIP + k * BYTES, BYTES);
    assert_ok(ct_input_open(&in, path, err));
    assert_ok(ct_input_read_rows(&in, SKIP, found, STRIDE, BYTES, ROWS, err));
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(ct_input_read_rows(&in, SKIP + 1, found, STRIDE, BYTES, ROWS, &why), CT_DATA);
    assert_non_null(strstr(why.text, "rows.raw: ends after"));
    ct_input_close(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_come_to_their_places, trial_begin, trial_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
