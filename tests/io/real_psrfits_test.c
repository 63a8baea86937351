/* real_psrfits_test.c: a PSRFITS copy of a real burst, written by CFITSIO only, dedisperses to the
 * number that is known. Needs the folder that CORNERTURN_TEST_DATA names, and CFITSIO; skips
 * without. Room: tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "cornerturn.h"

#ifdef CT_HAVE_CFITSIO
#include "psrfits_write.h"
#include <stdlib.h>

enum { CHANNELS = 336, HEADER_MOST = 1024, ROW = 250 };

/* The samples of 28.fil: 8 bits, channels falling from 1465 MHz. NULL where it is not there. */
static uint8_t *burst(int64_t *samples)
{
    char path[512];
    const char *given = getenv("CORNERTURN_TEST_DATA");
    snprintf(path, sizeof path, "%s/fil/28.fil", given && *given ? given : "../shared/data");
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t bytes = (size_t)ftell(file);
    uint8_t *all = calloc(1, bytes + ROW * CHANNELS);
    rewind(file);
    assert_int_equal(fread(all, 1, bytes, file), bytes);
    fclose(file);
    size_t head = 10;
    while (head < HEADER_MOST && memcmp(all + head - 10, "HEADER_END", 10) != 0)
        head++;
    *samples = (int64_t)((bytes - head) / CHANNELS);
    memmove(all, all + head, bytes - head);
    memset(all + (bytes - head), 0, head);
    return all;
}

static void the_burst_has_its_maximum(void **state)
{
    static const char *const sinks[] = {"out", NULL};
    char name[] = "/tmp/ct_burst_XXXXXX", text[1024];
    int64_t samples, best = 0;
    ct_error err = {0};
    capture series = {0};
    uint8_t *data = burst(&samples);
    (void)state;
    if (!data) skip();
    const psrfits_file file = {.bits = 8,
                               .pols = 1,
                               .channels = CHANNELS,
                               .row_samples = ROW,
                               .samples = samples,
                               .tbin_s = 0.00126646875,
                               .first_mhz = 1465,
                               .step_mhz = -1,
                               .imjd = 58682,
                               .data = data};
    const int handle = mkstemp(name);
    assert_true(handle >= 0 && close(handle) == 0 && psrfits_write(name, &file));
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {\n"
             "\"in\": {\"stage\": \"source.psrfits\", \"file\": \"%s\"},\n"
             "\"dd\": {\"stage\": \"dedisp\", \"input\": \"in\", \"dm\": {\"start\": 475.284}},\n"
             "\"out\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"out.npy\"}}}",
             name);
    if (capture_run(text, sinks, &series, &err) != CT_OK) fail_msg("%s", err.text);
    unlink(name);
    free(data);
    for (int64_t t = 0; t < series.samples; t++)
        if (capture_at(&series, t, 0).re > capture_at(&series, best, 0).re) best = t;
    assert_int_equal(best, 1602);
    assert_true(capture_at(&series, best, 0).re == 47527);
    capture_free(&series);
}

#else

static void the_burst_has_its_maximum(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_burst_has_its_maximum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
