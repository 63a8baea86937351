/* angle.c: see angle.h.
 * Room: io/shared. Knows SIGPROC's way to write an angle. Does not know formats. */
#include "angle.h"
#include <math.h>

double ct_angle_read(const char *text)
{
    const bool below = *text == '-';
    double value = 0;
    char *end = (char *)text + (*text == '-' || *text == '+');
    for (int i = 0; i < 3; i++) {
        const char *at = end;
        value = value * 100 + fabs(ct_number_read(at, &end));
        if (end == at || (i < 2 && *end++ != ':')) return 0;
    }
    if (!(value < 1e7)) return 0;
    return below ? -value : value;
}

void ct_angle_print(char out[CT_ANGLE_TEXT], double packed)
{
    const double tenths = floor(fabs(packed) * 1e4 + 0.5); /* of 1e-4 seconds */
    const double whole = floor(tenths / 1e4);
    double seconds = (tenths - whole * 1e4) / 1e4 + fmod(whole, 100);
    double minutes = fmod(floor(whole / 100), 100), first = floor(whole / 1e4);
    if (seconds >= 60) seconds -= 60, minutes += 1;
    if (minutes >= 60) minutes -= 60, first += 1;
    ct_number_print(out, CT_ANGLE_TEXT, "%s%02.0f:%02.0f:%07.4f", packed < 0 ? "-" : "", first,
                    minutes, seconds);
}

double ct_angle_unpack(double packed)
{
    const double size = fabs(packed), first = floor(size / 1e4), rest = size - first * 1e4;
    const double minutes = floor(rest / 100);
    return copysign(first + (minutes + (rest - minutes * 100) / 60) / 60, packed);
}

double ct_angle_pack(double value)
{
    const double size = fabs(value), whole = floor(size), minutes = floor((size - whole) * 60);
    const double seconds = fmax(((size - whole) * 60 - minutes) * 60, 0);
    return copysign(whole * 1e4 + minutes * 100 + seconds, value);
}
