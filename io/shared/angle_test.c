/* angle_test.c: angles as text, packed as SIGPROC does, and as one number. */
#include "angle.h"
#include "io_trial.h"
#include <math.h>

static const struct {
    const char *text;
    double packed, value;
} rows[] = {
    {"00:00:00.0000", 0, 0},
    {"04:37:15.8000", 43715.8, 4 + 37 / 60. + 15.8 / 3600},
    {"-47:15:09.1000", -471509.1, -(47 + 15 / 60. + 9.1 / 3600)},
    {"-00:00:30.5000", -30.5, -30.5 / 3600},
    {"359:59:59.9990", 3595959.999, 360 - 0.001 / 3600},
};

static void angles_go_there_and_back(void **unused)
{
    char text[CT_ANGLE_TEXT];
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ct_angle_print(text, rows[i].packed);
        assert_string_equal(text, rows[i].text);
        assert_true(ct_angle_read(rows[i].text) == rows[i].packed);
        assert_true(fabs(ct_angle_unpack(rows[i].packed) - rows[i].value) < 1e-12);
        assert_true(fabs(ct_angle_pack(rows[i].value) - rows[i].packed) < 1e-6);
    }
    ct_angle_print(text, 115959.99999);
    assert_string_equal(text, "12:00:00.0000");
    assert_true(ct_angle_read("+01:02:03") == 10203);
}

static void other_texts_are_none(void **unused)
{
    static const char *const none[] = {"", "12", "0.0712", "12:30", "a:b:c", "12:x:3", "1:2:1e9"};
    (void)unused;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_true(ct_angle_read(none[i]) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_go_there_and_back),
        cmocka_unit_test(other_texts_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
