/* filterbank.c: see filterbank.h. [D. Lorimer, SIGPROC]
 * Room: io/shared. Knows ct_meta. Does not know formats. */
#include "filterbank.h"
#include "ranges.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int id;
    const char *name;
} telescopes[] = {
    {0, "Fake"}, {1, "Arecibo"}, {2, "Ooty"},       {3, "Nancay"},   {4, "Parkes"}, {5, "Jodrell"},
    {6, "GBT"},  {7, "GMRT"},    {8, "Effelsberg"}, {9, "ATA"},      {10, "SRT"},   {11, "LOFAR"},
    {12, "VLA"}, {20, "CHIME"},  {21, "FAST"},      {64, "MeerKAT"}, {65, "KAT-7"},
};

enum { TELESCOPES = sizeof telescopes / sizeof telescopes[0] };

void ct_filterbank_telescope(char out[32], int64_t id)
{
    for (size_t i = 0; i < TELESCOPES; i++)
        if (telescopes[i].id == id) {
            snprintf(out, 32, "%s", telescopes[i].name);
            return;
        }
    snprintf(out, 32, "telescope %lld", (long long)id);
}

int64_t ct_filterbank_telescope_id(const char *name)
{
    if (name && strncmp(name, "telescope ", 10) == 0) return strtol(name + 10, NULL, 10);
    for (size_t i = 0; name && i < TELESCOPES; i++) {
        const char *a = name, *b = telescopes[i].name;
        while (*a && toupper((unsigned char)*a) == toupper((unsigned char)*b))
            a++, b++;
        if (!*a && !*b) return telescopes[i].id;
    }
    return 0;
}

/* ---- an array's frequencies and times */

bool ct_filterbank_ascends(const ct_meta *meta)
{
    return meta->frequencies > 1 && meta->frequency_hz[1] > meta->frequency_hz[0];
}

/* Megahertz of a frequency that once was a decimal number of megahertz: the same number again. */
static double filterbank_mhz(double hz)
{
    char text[32];
    ct_number_print(text, sizeof text, "%.15g", hz / 1e6);
    double near = ct_number_read(text, NULL);
    return near * 1e6 == hz ? near : hz / 1e6;
}

void ct_filterbank_band(const ct_meta *meta, bool backwards, double *fch1, double *foff)
{
    const int64_t channels = meta->frequencies;
    const double width = meta->channel_width_hz;
    double spacing = channels > 1 ? fabs(meta->frequency_hz[1] - meta->frequency_hz[0]) : width;
    if (fabs(width - spacing) <= 1e-6 * spacing) spacing = width; /* free of rounding */
    *fch1 = filterbank_mhz(meta->frequency_hz[backwards ? channels - 1 : 0]);
    *foff = filterbank_mhz(spacing);
    if (backwards || !ct_filterbank_ascends(meta)) *foff = -*foff;
}

double ct_filterbank_start(const ct_meta *meta)
{
    const double after_s = meta->start_s - 0.5 * meta->sample_time_s;
    if (fabs(after_s) <= 1e-9 * meta->sample_time_s) return meta->start_mjd;
    return meta->start_mjd + after_s / 86400;
}

/* ---- checks */

ct_status ct_filterbank_check(const ct_step *step, const char *what, ct_error *err)
{
    const ct_meta *meta = &step->port[0].meta;
    int64_t channels = ct_array_extent(&step->port[0], 'C');
    if (!meta->frequency_hz || meta->frequencies != channels)
        return ct_step_fail(step, NULL, err,
                            "%s needs the channels' frequencies, which are not known: give the "
                            "source frequency_hz",
                            what);
    double spacing = channels > 1 ? meta->frequency_hz[1] - meta->frequency_hz[0] : 1;
    for (int64_t c = 1; c < channels; c++) {
        double expected = meta->frequency_hz[0] + (double)c * spacing;
        if (spacing == 0 || fabs(meta->frequency_hz[c] - expected) > 1e-3 * fabs(spacing))
            return ct_step_fail(step, NULL, err,
                                "%s needs channels of equal spacing: expected channel "
                                "%lld at %.9g Hz, found it at %.9g Hz",
                                what, (long long)c, expected, meta->frequency_hz[c]);
    }
    return CT_OK;
}

ct_status ct_filterbank_hold(const char *file, const char *keyword, const char *key, double value,
                             double unit, ct_error *err)
{
    char expected[CT_RANGES_EXPECTED];
    if (ct_ranges_hold(key, value * unit, expected)) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: %s: expected %s, found %g%s", file, keyword, expected,
                        value, unit > 1 ? " MHz" : "");
}
