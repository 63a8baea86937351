/* dada.c: see dada.h. [W. van Straten, A. Jameson, PSRDADA]
 * Room: io/dada. Knows the keys. Does not know blocks. */
#include "dada.h"
#include "calendar.h"
#include "magic.h"
#include "ranges.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum dada_kind { KIND_INT, KIND_REAL, KIND_TEXT } dada_kind;

#define KEY(keyword, kind, member, least, most)                                                    \
    {                                                                                              \
#keyword, kind, offsetof(ct_dada, member), least, most                                     \
    }

/* The keys that are read; whole numbers and their range. Other keys are ignored. */
static const struct dada_key {
    const char *keyword;
    dada_kind kind;
    size_t at;
    int64_t least, most;
} dada_keys[] = {
    KEY(HDR_SIZE, KIND_INT, header_bytes, 1, CT_DADA_LONGEST),
    KEY(NBIT, KIND_INT, bits, 1, 64),
    KEY(NDIM, KIND_INT, dims, 1, 2),
    KEY(NPOL, KIND_INT, pols, 1, 4),
    KEY(NCHAN, KIND_INT, channels, 1, CT_DADA_CHANNELS),
    KEY(OBS_OFFSET, KIND_INT, offset, 0, INT64_MAX / 16),
    KEY(PICOSECONDS, KIND_INT, picoseconds, 0, 999999999999),
    KEY(FREQ, KIND_REAL, freq_mhz, 0, 0),
    KEY(BW, KIND_REAL, bw_mhz, 0, 0),
    KEY(TSAMP, KIND_REAL, tsamp_us, 0, 0),
    KEY(TELESCOPE, KIND_TEXT, telescope, 0, 0),
    KEY(SOURCE, KIND_TEXT, source, 0, 0),
    KEY(UTC_START, KIND_TEXT, utc_start, 0, 0),
    KEY(STATE, KIND_TEXT, state, 0, 0),
    KEY(ENCODING, KIND_TEXT, encoding, 0, 0),
    KEY(ORDER, KIND_TEXT, order, 0, 0),
    KEY(RA, KIND_TEXT, ra, 0, 0),
    KEY(DEC, KIND_TEXT, dec, 0, 0),
};

enum { DADA_KEYS = sizeof dada_keys / sizeof dada_keys[0] };

static const struct {
    const char *name, *dims;
} dada_orders[] = {{"TFP", "TCPQ"}, {"TPF", "TPQC"}};

bool ct_dada_order_known(const char *order)
{
    return strcmp(order, dada_orders[0].name) == 0 || strcmp(order, dada_orders[1].name) == 0;
}

const char *ct_dada_order(const char *order)
{
    return dada_orders[strcmp(order, dada_orders[1].name) == 0].dims;
}

bool ct_dada_is(const uint8_t *start, size_t bytes)
{
    static const char *const begins[] = {"HEADER", "HDR_VERSION", "HDR_SIZE", "DADA_VERSION"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        const size_t length = strlen(begins[i]);
        if (bytes > length && memcmp(start, begins[i], length) == 0 &&
            (start[length] == ' ' || start[length] == '\t'))
            return true;
    }
    return false;
}

/* ---- reading */

static ct_status dada_value(const struct dada_key *key, ct_dada *out, const char *value,
                            const ct_input *in, ct_error *err)
{
    void *at = (char *)out + key->at;
    char *end = NULL;
    if (key->kind == KIND_TEXT) {
        snprintf(at, CT_DADA_TEXT, "%s", value);
        return CT_OK;
    }
    const double real = ct_number_read(value, &end);
    if (key->kind == KIND_REAL) memcpy(at, &real, sizeof real);
    if (end == value || *end || !isfinite(real))
        return ct_error_add(err, CT_DATA, "%s: %s: expected a number, found \"%s\"", in->file,
                            key->keyword, value);
    if (key->kind == KIND_REAL) return CT_OK;
    const bool fits =
        real >= (double)key->least && real <= (double)key->most && floor(real) == real;
    const int64_t whole = fits ? strtoll(value, &end, 10) : 0;
    memcpy(at, &whole, sizeof whole);
    if (fits && !*end) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: %s: expected a whole number from %lld to %lld, found %s",
                        in->file, key->keyword, (long long)key->least, (long long)key->most, value);
}

/* "KEY value # comment", without its end. */
static ct_status dada_line(ct_dada *out, char *line, const ct_input *in, ct_error *err)
{
    line += strspn(line, " \t");
    line[strcspn(line, "#\r")] = 0;
    const size_t length = strcspn(line, " \t");
    char *value = line + length + strspn(line + length, " \t");
    for (size_t end = strlen(value); end > 0 && strchr(" \t", value[end - 1]); end--)
        value[end - 1] = 0;
    for (int i = 0; i < DADA_KEYS; i++)
        if (strlen(dada_keys[i].keyword) == length &&
            memcmp(dada_keys[i].keyword, line, length) == 0)
            return dada_value(&dada_keys[i], out, value, in, err);
    return CT_OK;
}

static ct_status dada_parse(ct_dada *out, char *text, const ct_input *in, ct_error *err)
{
    *out = (ct_dada){.header_bytes = -1, .bits = -1, .dims = 1, .pols = 1, .channels = 1};
    out->freq_mhz = out->bw_mhz = out->tsamp_us = NAN;
    ct_status status = CT_OK;
    while (status == CT_OK && *text) {
        char *end = text + strcspn(text, "\n"), *next = *end ? end + 1 : end;
        *end = 0;
        status = dada_line(out, text, in, err);
        text = next;
    }
    return status;
}

/* ---- what it says must be possible */

static ct_status dada_check_reals(const ct_dada *header, const ct_input *in, ct_error *err)
{
    const struct {
        const char *keyword, *key, *unit;
        double value, scale;
    } rows[] = {{"TSAMP", "sample_time_s", " microseconds", header->tsamp_us, 1e-6},
                {"FREQ", "frequency_hz", " MHz", header->freq_mhz, 1e6},
                {"BW", "channel_width_hz", " MHz", header->bw_mhz, 1e6}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[CT_RANGES_EXPECTED];
        if (isnan(rows[i].value)) continue; /* not said */
        const bool sane = i == 2 || rows[i].value > 0;
        if (sane && ct_ranges_hold(rows[i].key, rows[i].value * rows[i].scale, expected)) continue;
        return ct_error_add(err, CT_DATA, "%s: %s: expected %s, found %g%s", in->file,
                            rows[i].keyword, sane ? expected : "a number above 0", rows[i].value,
                            rows[i].unit);
    }
    return CT_OK;
}

static ct_status dada_check(const ct_dada *header, const ct_input *in, ct_error *err)
{
    double mjd;
    if (header->header_bytes < 0 || header->bits < 0)
        return ct_error_add(err, CT_DATA, "%s: the header has no line %s", in->file,
                            header->header_bytes < 0
                                ? "HDR_SIZE, which says how many bytes it has: expected \"HDR_SIZE "
                                  "4096\", for example, after \"HEADER DADA\""
                                : "NBIT, the bits of a number: expected \"NBIT 8\", for example");
    if (header->utc_start[0] && !ct_dada_mjd(&mjd, header->utc_start))
        return ct_error_add(err, CT_DATA,
                            "%s: UTC_START: expected yyyy-mm-dd-hh:mm:ss, found \"%s\"", in->file,
                            header->utc_start);
    if (header->order[0] && !ct_dada_order_known(header->order))
        return ct_error_add(err, CT_DATA,
                            "%s: ORDER: expected TFP (time, frequency, polarization) or TPF, found "
                            "\"%s\"",
                            in->file, header->order);
    return dada_check_reals(header, in, err);
}

/* The header ends where it says, and what follows is no text. */
static ct_status dada_read_text(ct_dada *out, const char *start, size_t bytes, const ct_input *in,
                                ct_error *err)
{
    char text[CT_DADA_READ + 1] = {0};
    memcpy(text, start, bytes);
    (void)dada_parse(out, text, in, NULL);
    if (out->header_bytes >= 0 && out->header_bytes < (int64_t)bytes)
        bytes = (size_t)out->header_bytes;
    memcpy(text, start, bytes);
    text[bytes] = 0;
    return dada_parse(out, text, in, err);
}

ct_status ct_dada_read(ct_dada *out, ct_input *in, ct_error *err)
{
    char start[CT_DADA_READ] = {0};
    const size_t bytes = in->size < CT_DADA_READ ? (size_t)in->size : CT_DADA_READ;
    ct_status status = ct_input_read(in, 0, start, bytes, err);
    if (status != CT_OK) return status;
    if (!ct_dada_is((const uint8_t *)start, bytes))
        return ct_error_add(err, CT_DATA,
                            "%s: expected a DADA file, which begins with HEADER or HDR_VERSION, "
                            "found %s",
                            in->file, ct_magic_name(in));
    status = dada_read_text(out, start, bytes, in, err);
    return status == CT_OK ? dada_check(out, in, err) : status;
}

ct_status ct_dada_take(ct_dada *out, const char *text, size_t bytes, const char *name,
                       ct_error *err)
{
    const ct_input in = {.file = name};
    const ct_status status =
        dada_read_text(out, text, bytes < CT_DADA_READ ? bytes : CT_DADA_READ, &in, err);
    if (status == CT_OK && out->header_bytes < 0) out->header_bytes = (int64_t)bytes;
    return status == CT_OK ? dada_check(out, &in, err) : status;
}

ct_status ct_dada_measure(ct_dada_shape *out, const ct_dada *header, const ct_input *in,
                          ct_error *err)
{
    static const struct {
        int bits, dims;
        ct_type with_sign, without;
    } types[] = {{8, 1, CT_I8, CT_U8},      {8, 2, CT_CI8, CT_NONE}, {16, 1, CT_I16, CT_U16},
                 {16, 2, CT_CI16, CT_NONE}, {32, 1, CT_F32, CT_F32}, {32, 2, CT_CF32, CT_CF32}};
    *out = (ct_dada_shape){.type = CT_NONE, .detected = ct_dada_detected(header->state)};
    const bool without =
        header->encoding[0] ? strncasecmp(header->encoding, "OFFSET", 6) == 0 : out->detected;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].bits == header->bits && types[i].dims == header->dims)
            out->type = without ? types[i].without : types[i].with_sign;
    if (out->type == CT_NONE || (out->detected && header->dims == 2))
        return ct_error_add(err, CT_DATA,
                            "%s: expected NBIT 8, 16 or 32 and NDIM 1 or 2 (of power 1), complex "
                            "ones signed, found NBIT %lld, NDIM %lld%s%s",
                            in->file, (long long)header->bits, (long long)header->dims,
                            without ? ", unsigned" : "", out->detected ? ", power" : "");
    out->sample_bytes = header->bits / 8 * header->dims * header->pols * header->channels;
    return CT_OK;
}

/* ---- calendar */

bool ct_dada_mjd(double *out, const char *utc)
{
    int64_t minutes;
    double second;
    if (!ct_calendar_read(utc, '-', &minutes, &second)) return false;
    *out = (double)(minutes / 1440) + ((double)(minutes % 1440 * 60) + second) / 86400;
    return true;
}

void ct_dada_utc(char out[CT_DADA_TEXT], int64_t mjd_second)
{
    const int64_t rest = mjd_second % 86400;
    int64_t year, month, day;
    ct_calendar_date(mjd_second / 86400, &year, &month, &day);
    snprintf(out, CT_DADA_TEXT, "%04lld-%02lld-%02lld-%02lld:%02lld:%02lld", (long long)year,
             (long long)month, (long long)day, (long long)(rest / 3600),
             (long long)(rest / 60 % 60), (long long)(rest % 60));
}
