/* ranges.c: see ranges.h.
 * Room: io/shared. Knows ct_meta's numbers by name. Does not know formats. */
#include "ranges.h"
#include <math.h>
#include <string.h>

/* Of the number's size: 0 stands for what is not known, or for a beginning. */
static const struct {
    const char *key;
    double least, most;
    const char *unit;
} ranges[] = {
    {"sample_time_s", 1e-15, 1e9, " s"},
    {"start_s", 0, 1e12, " s"},
    {"start_mjd", 0, 1e7, ""},
    {"frequency_hz", 1e-3, 1e18, " Hz"},
    {"channel_width_hz", 1e-12, 1e18, " Hz"},
    {"dm", 0, 1e9, " pc cm^-3"},
    {"src_raj", 0, 1e7, ""},
    {"src_dej", 0, 1e7, ""},
};

enum { RANGES = sizeof ranges / sizeof ranges[0] };

bool ct_ranges_hold(const char *key, double value, char expected[CT_RANGES_EXPECTED])
{
    const double size = fabs(value);
    int i = 0;
    while (i < RANGES && strcmp(ranges[i].key, key) != 0)
        i++;
    if (i == RANGES || value == 0 || (size >= ranges[i].least && size <= ranges[i].most))
        return true;
    ct_number_print(expected, CT_RANGES_EXPECTED, "0 or %g to %g%s", ranges[i].least,
                    ranges[i].most, ranges[i].unit);
    return false;
}
