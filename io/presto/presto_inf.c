/* presto_inf.c: see presto.h. Lines are found by how their labels begin, as these differ a little
 * between versions; others are passed over.
 * Room: io/presto. Knows the labels. Does not know blocks. */
#include "angle.h"
#include "magic.h"
#include "presto.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct inf_line {
    const char *file;
    int number;
    char label[CT_PRESTO_TEXT], value[CT_PRESTO_TEXT];
} inf_line;

bool ct_presto_beside(char out[CT_PRESTO_NAME], const char *dat)
{
    const size_t length = strlen(dat);
    if (length < 5 || length >= CT_PRESTO_NAME || strcmp(dat + length - 4, ".dat") != 0)
        return false;
    memcpy(out, dat, length - 3);
    memcpy(out + length - 3, "inf", 4);
    return true;
}

bool ct_presto_is(const uint8_t *start, size_t bytes)
{
    static const char begin[] = " Data file name without suffix";
    return bytes >= sizeof begin - 1 && memcmp(start, begin, sizeof begin - 1) == 0;
}

/* ---- values */

static ct_status inf_fail(const inf_line *line, const char *expected, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s:%d: %s: expected %s, found \"%s\"", line->file,
                        line->number, line->label, expected, line->value);
}

static ct_status inf_text(const inf_line *line, void *out, ct_error *err)
{
    (void)err;
    snprintf(out, CT_PRESTO_TEXT, "%s", strcmp(line->value, "Unknown") == 0 ? "" : line->value);
    return CT_OK;
}

static ct_status inf_number(const inf_line *line, void *out, ct_error *err)
{
    char *end;
    const double value = ct_number_read(line->value, &end);
    if (end == line->value || *end || !isfinite(value)) return inf_fail(line, "a number", err);
    *(double *)out = value;
    return CT_OK;
}

static ct_status inf_angle(const inf_line *line, void *out, ct_error *err)
{
    (void)err;
    *(double *)out = ct_angle_read(line->value);
    return CT_OK;
}

/* To more digits than a double has: the part of a day by itself. */
static ct_status inf_epoch(const inf_line *line, void *out, ct_error *err)
{
    double *epoch = out;
    const char *point = strchr(line->value, '.');
    const ct_status status = inf_number(line, &epoch[0], err);
    epoch[1] = 0;
    if (status != CT_OK || !point || epoch[0] < 0) return status;
    const double part = ct_number_read(point, NULL), day = floor(epoch[0]);
    const double rest = part - (epoch[0] - day);
    if (fabs(rest) < 1e-9) epoch[1] = rest * 86400; /* else the day was rounded up */
    return CT_OK;
}

/* "On/Off bin pair #  1 = 0 , 499999" */
static ct_status inf_pair(const inf_line *line, void *out, ct_error *err)
{
    ct_presto_inf *inf = out;
    double pair[2];
    char *end;
    pair[0] = ct_number_read(line->value, &end);
    end += strspn(end, " \t");
    if (*end++ != ',') return inf_fail(line, "two bins with a comma between them", err);
    char *last;
    pair[1] = ct_number_read(end, &last);
    const double after = inf->pairs > 0 ? (double)inf->pair[inf->pairs - 1][1] : -1;
    if (last == end || !(pair[0] >= after && pair[0] >= 0 && pair[1] >= pair[0] && pair[1] < 1e15))
        return inf_fail(line, "the first and the last bin with data, after those before", err);
    if (inf->pairs == CT_PRESTO_PAIRS) return inf_fail(line, "at most 40 pairs", err);
    inf->pair[inf->pairs][0] = (int64_t)pair[0];
    inf->pair[inf->pairs++][1] = (int64_t)pair[1];
    return CT_OK;
}

/* ---- lines */

#define AT(member) offsetof(ct_presto_inf, member)

static const struct {
    const char *label;
    ct_status (*read)(const inf_line *line, void *out, ct_error *err);
    size_t at;
} inf_rows[] = {{"Telescope used", inf_text, AT(telescope)},
                {"Object being observed", inf_text, AT(object)},
                {"J2000 Right Ascension", inf_angle, AT(raj)},
                {"J2000 Declination", inf_angle, AT(dej)},
                {"Epoch of observation", inf_epoch, AT(epoch_mjd)},
                {"Barycentered?", inf_number, AT(barycentric)},
                {"Number of bins", inf_number, AT(bins)},
                {"Width of each time series bin", inf_number, AT(bin_s)},
                {"Any breaks in the data?", inf_number, AT(breaks)},
                {"On/Off bin pair", inf_pair, 0},
                {"Dispersion measure", inf_number, AT(dm)},
                {"Central freq of low channel", inf_number, AT(low_mhz)},
                {"Total bandwidth", inf_number, AT(bandwidth_mhz)},
                {"Number of channels", inf_number, AT(channels)}};

static void inf_trim(char out[CT_PRESTO_TEXT], const char *from, size_t length)
{
    while (length > 0 && strchr(" \t", *from))
        from++, length--;
    while (length > 0 && strchr(" \t\r", from[length - 1]))
        length--;
    snprintf(out, CT_PRESTO_TEXT, "%.*s", (int)length, from);
}

static ct_status inf_read_line(ct_presto_inf *out, inf_line *line, const char *text, size_t length,
                               ct_error *err)
{
    const char *equals = memchr(text, '=', length);
    if (!equals) return CT_OK;
    inf_trim(line->label, text, (size_t)(equals - text));
    inf_trim(line->value, equals + 1, length - (size_t)(equals + 1 - text));
    for (size_t i = 0; i < sizeof inf_rows / sizeof inf_rows[0]; i++)
        if (strncmp(line->label, inf_rows[i].label, strlen(inf_rows[i].label)) == 0)
            return inf_rows[i].read(line, (char *)out + inf_rows[i].at, err);
    return CT_OK;
}

/* Notes, which may be any text, are the last. */
static ct_status inf_read_lines(ct_presto_inf *out, const char *file, const char *text,
                                ct_error *err)
{
    ct_status status = CT_OK;
    inf_line line = {.file = file};
    while (status == CT_OK && *text) {
        const size_t length = strcspn(text, "\n");
        if (strncmp(text, " Any additional notes", 21) == 0) break;
        line.number++;
        status = inf_read_line(out, &line, text, length, err);
        text += length + (text[length] == '\n');
    }
    return status;
}

static ct_status inf_check(const ct_presto_inf *inf, const char *file, ct_error *err)
{
    if (!(inf->bins >= 1 && inf->bins < 1e15 && floor(inf->bins) == inf->bins))
        return ct_error_add(err, CT_DATA,
                            "%s: Number of bins in the time series: expected a whole number above "
                            "0, found %g",
                            file, inf->bins);
    if (!(inf->bin_s > 0))
        return ct_error_add(err, CT_DATA,
                            "%s: Width of each time series bin (sec): expected a time above 0, "
                            "found %g",
                            file, inf->bin_s);
    if (inf->breaks != 0 && inf->pairs == 0)
        return ct_error_add(err, CT_DATA,
                            "%s: Any breaks in the data? is not 0: expected lines On/Off bin pair, "
                            "found none",
                            file);
    return CT_OK;
}

static ct_status inf_load(char *text, ct_input *in, ct_error *err)
{
    if (in->size >= CT_PRESTO_LONGEST)
        return ct_error_add(err, CT_DATA, "%s: expected an .inf of at most %d bytes, found %lld",
                            in->file, CT_PRESTO_LONGEST - 1, (long long)in->size);
    const ct_status status = ct_input_read(in, 0, text, (size_t)in->size, err);
    if (status != CT_OK) return status;
    text[in->size] = 0;
    if (ct_presto_is((const uint8_t *)text, (size_t)in->size)) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: expected PRESTO's .inf, which begins with \" Data file name without "
                        "suffix\", found %s",
                        in->file, ct_magic_name(in));
}

ct_status ct_presto_read(ct_presto_inf *out, const char *file, ct_error *err)
{
    char text[CT_PRESTO_LONGEST];
    ct_input in;
    *out = (ct_presto_inf){0};
    ct_status status = ct_input_open(&in, file, err);
    if (status != CT_OK) return status;
    status = inf_load(text, &in, err);
    ct_input_close(&in);
    if (status == CT_OK) status = inf_read_lines(out, file, text, err);
    return status == CT_OK ? inf_check(out, file, err) : status;
}
