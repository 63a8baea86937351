/* psrfits.c: see psrfits.h. [Hotan et al. 2004; PSRFITS definition 6; CFITSIO]
 * Room: io/psrfits. Knows the table SUBINT. Does not know blocks. */
#include "psrfits.h"
#include "angle.h"
#include "fits_walk.h"
#include "magic.h"
#include "ranges.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef CT_HAVE_CFITSIO
#include <fitsio.h>

static ct_status psrfits_fail(const ct_psrfits *file, const char *what, int code, ct_error *err)
{
    char text[FLEN_STATUS];
    fits_get_errstatus(code, text);
    fits_clear_errmsg();
    return ct_error_add(err, CT_DATA, "%s: %s: %s", file->file, what, text);
}

/* ---- headers */

typedef enum psrfits_kind { KIND_INT, KIND_REAL, KIND_TEXT } psrfits_kind;

#define ROW(keyword, kind, member, needed, least, most)                                            \
    {                                                                                              \
        keyword, kind, offsetof(psrfits_keys, member), needed, least, most                         \
    }

/* What is read of both headers. */
typedef struct psrfits_keys {
    int64_t pols, bits, channels, row_samples, total, with_sign, before, imjd, smjd;
    double zero_off, spacing, offset, centre_mhz, width_mhz;
    char mode[CT_PSRFITS_TEXT], telescope[CT_PSRFITS_TEXT], source[CT_PSRFITS_TEXT],
        ra[CT_PSRFITS_TEXT], dec[CT_PSRFITS_TEXT], pol_type[CT_PSRFITS_TEXT],
        fd_poln[CT_PSRFITS_TEXT];
} psrfits_keys;

typedef struct psrfits_row {
    const char *keyword;
    psrfits_kind kind;
    size_t at;
    bool needed;
    double least, most;
} psrfits_row;

static const psrfits_row primary_rows[] = {
    ROW("OBS_MODE", KIND_TEXT, mode, true, 0, 0),
    ROW("TELESCOP", KIND_TEXT, telescope, false, 0, 0),
    ROW("SRC_NAME", KIND_TEXT, source, false, 0, 0),
    ROW("RA", KIND_TEXT, ra, false, 0, 0),
    ROW("DEC", KIND_TEXT, dec, false, 0, 0),
    ROW("FD_POLN", KIND_TEXT, fd_poln, false, 0, 0),
    ROW("STT_IMJD", KIND_INT, imjd, false, 0, 1e6),
    ROW("STT_SMJD", KIND_INT, smjd, false, 0, 86400),
    ROW("STT_OFFS", KIND_REAL, offset, false, 0, 1e6),
    ROW("OBSFREQ", KIND_REAL, centre_mhz, false, 0, 1e12),
};

static const psrfits_row table_rows[] = {
    ROW("NPOL", KIND_INT, pols, true, 1, 4),
    ROW("POL_TYPE", KIND_TEXT, pol_type, false, 0, 0),
    ROW("NBITS", KIND_INT, bits, true, 1, 32),
    ROW("NCHAN", KIND_INT, channels, true, 1, CT_PSRFITS_CHANNELS),
    ROW("NSBLK", KIND_INT, row_samples, true, 1, 1 << 30),
    ROW("TBIN", KIND_REAL, spacing, true, 1e-15, 1e9),
    ROW("SIGNINT", KIND_INT, with_sign, false, 0, 1),
    ROW("ZERO_OFF", KIND_REAL, zero_off, false, -1e30, 1e30),
    ROW("NSUBOFFS", KIND_INT, before, false, 0, 1e12),
    ROW("NSTOT", KIND_INT, total, false, 0, 9e15),
    ROW("CHAN_BW", KIND_REAL, width_mhz, false, -1e12, 1e12),
};

static ct_status psrfits_out_of_range(const ct_psrfits *file, const psrfits_row *row, double value,
                                      ct_error *err)
{
    return ct_error_add(
        err, CT_DATA, "%s: %s: expected a %snumber from %.15g to %.15g, found %.15g", file->file,
        row->keyword, row->kind == KIND_INT ? "whole " : "", row->least, row->most, value);
}

/* Left as it is where the header lacks it or has '*', which stands for unknown. */
static ct_status psrfits_key(const ct_psrfits *file, const psrfits_row *row, psrfits_keys *out,
                             ct_error *err)
{
    int code = 0;
    char text[FLEN_VALUE] = "";
    double value = 0;
    void *at = (char *)out + row->at;
    fits_read_key(file->handle, TSTRING, row->keyword, text, NULL, &code);
    const bool there = code == 0 && strcmp(text, "*") != 0 && text[0];
    fits_clear_errmsg();
    if (!there && !row->needed) return CT_OK;
    if (!there)
        return ct_error_add(err, CT_DATA, "%s: expected the keyword %s, found none", file->file,
                            row->keyword);
    if (row->kind == KIND_TEXT) {
        snprintf(at, CT_PSRFITS_TEXT, "%s", text);
        return CT_OK;
    }
    char *end;
    value = ct_number_read(text, &end);
    if (end == text || !(value >= row->least && value <= row->most) ||
        (row->kind == KIND_INT && floor(value) != value))
        return psrfits_out_of_range(file, row, end == text ? NAN : value, err);
    const int64_t whole = row->kind == KIND_INT ? (int64_t)value : 0;
    if (row->kind == KIND_INT)
        memcpy(at, &whole, sizeof whole);
    else
        memcpy(at, &value, sizeof value);
    return CT_OK;
}

static ct_status psrfits_keys_read(const ct_psrfits *file, const psrfits_row *rows, size_t count,
                                   psrfits_keys *out, ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < count; i++)
        status = psrfits_key(file, &rows[i], out, err);
    return status;
}

/* ---- the table */

static ct_status psrfits_column(ct_psrfits *file, const char *name, int64_t numbers, bool needed,
                                int *out, ct_error *err)
{
    int code = 0, type;
    long repeat, width;
    *out = 0;
    fits_get_colnum(file->handle, CASEINSEN, (char *)name, out, &code);
    fits_clear_errmsg();
    if (code != 0) *out = 0;
    if (code != 0 && !needed) return CT_OK;
    if (code != 0)
        return ct_error_add(err, CT_DATA,
                            "%s: expected the column %s in the table SUBINT, found "
                            "none",
                            file->file, name);
    fits_get_coltype(file->handle, *out, &type, &repeat, &width, &code);
    if (code != 0) return psrfits_fail(file, name, code, err);
    if (type > 0 && repeat == numbers) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: %s: expected %lld numbers in each row, found %ld",
                        file->file, name, (long long)numbers, type > 0 ? repeat : 0);
}

static ct_status psrfits_columns(ct_psrfits *file, ct_error *err)
{
    const int64_t samples = file->row_samples * file->pols * file->channels;
    const int64_t numbers = file->bits < 8 ? (samples * file->bits + 7) / 8 : samples;
    const int64_t lines = file->pols * file->channels;
    const struct {
        const char *name;
        int64_t numbers;
        bool needed;
        int *out;
    } rows[] = {{"DATA", numbers, true, &file->data},
                {"DAT_SCL", lines, false, &file->scale},
                {"DAT_OFFS", lines, false, &file->offset},
                {"DAT_WTS", file->channels, false, &file->weight},
                {"DAT_FREQ", file->channels, false, &file->frequency},
                {"OFFS_SUB", 1, false, &file->subint}};
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < sizeof rows / sizeof rows[0]; i++)
        status =
            psrfits_column(file, rows[i].name, rows[i].numbers, rows[i].needed, rows[i].out, err);
    return status;
}

static ct_status psrfits_check(ct_psrfits *file, int64_t size, ct_error *err)
{
    int64_t bits = 0;
    const bool known = file->bits == 1 || file->bits == 2 || file->bits == 4 || file->bits == 8 ||
                       file->bits == 16 || file->bits == 32;
    if (!known || (file->with_sign && file->bits < 8))
        return ct_error_add(err, CT_DATA,
                            "%s: NBITS: expected 1, 2, 4, 8, 16 or 32 (signed: 8 or more), found "
                            "%lld%s",
                            file->file, (long long)file->bits, file->with_sign ? " signed" : "");
    if (__builtin_mul_overflow(file->row_samples * file->pols, file->channels * file->bits,
                               &bits) ||
        file->rows < 1 || file->rows > size / (bits / 8 + 1) + 1 || bits / 8 > size)
        return ct_error_add(err, CT_DATA,
                            "%s: expected rows of %lld samples of %lld channels, found %lld rows "
                            "in a file of %lld bytes",
                            file->file, (long long)file->row_samples, (long long)file->channels,
                            (long long)file->rows, (long long)size);
    const int64_t whole = file->rows * file->row_samples;
    if (file->samples < 1 || file->samples > whole) file->samples = whole;
    return CT_OK;
}

static void psrfits_take(ct_psrfits *file, const psrfits_keys *keys)
{
    file->pols = keys->pols;
    file->bits = keys->bits;
    file->channels = keys->channels;
    file->row_samples = keys->row_samples;
    file->samples = keys->total;
    file->with_sign = keys->with_sign != 0;
    file->zero_off = keys->zero_off;
    file->sample_time_s = keys->spacing;
    file->start_mjd = (double)keys->imjd + (double)keys->smjd / 86400;
    file->before_s = (double)keys->before * (double)keys->row_samples * keys->spacing;
    file->start_s = keys->offset + file->before_s;
    file->step_hz = keys->width_mhz * 1e6;
    file->first_hz =
        (keys->centre_mhz - 0.5 * (double)(keys->channels - 1) * keys->width_mhz) * 1e6;
    file->src_raj = ct_angle_read(keys->ra);
    file->src_dej = ct_angle_read(keys->dec);
    memcpy(file->telescope, keys->telescope, sizeof file->telescope);
    memcpy(file->source, keys->source, sizeof file->source);
    memcpy(file->pol_type, keys->pol_type, sizeof file->pol_type);
    memcpy(file->fd_poln, keys->fd_poln, sizeof file->fd_poln);
}

static ct_status psrfits_headers(ct_psrfits *file, int64_t size, ct_error *err)
{
    psrfits_keys keys = {0};
    int code = 0;
    LONGLONG rows = 0;
    ct_status status = psrfits_keys_read(file, primary_rows,
                                         sizeof primary_rows / sizeof primary_rows[0], &keys, NULL);
    fits_movnam_hdu(file->handle, BINARY_TBL, (char *)"SUBINT", 0, &code);
    fits_clear_errmsg();
    if (status != CT_OK || code != 0 || strcmp(keys.mode, "SEARCH") != 0)
        return ct_error_add(err, CT_DATA,
                            "%s: a FITS file without search data: expected OBS_MODE 'SEARCH' and a "
                            "table SUBINT, found OBS_MODE '%s'%s",
                            file->file, keys.mode, code != 0 ? " and no such table" : "");
    status =
        psrfits_keys_read(file, table_rows, sizeof table_rows / sizeof table_rows[0], &keys, err);
    if (status != CT_OK) return status;
    psrfits_take(file, &keys);
    fits_get_num_rowsll(file->handle, &rows, &code);
    file->rows = rows;
    if (code != 0) return psrfits_fail(file, "SUBINT", code, err);
    status = psrfits_check(file, size, err);
    return status == CT_OK ? psrfits_columns(file, err) : status;
}

/* ---- rows */

int64_t ct_psrfits_row_bytes(const ct_psrfits *file)
{
    return (file->row_samples * file->pols * file->channels * file->bits + 7) / 8;
}

ct_status ct_psrfits_row(const ct_psrfits *file, int64_t row, void *data, ct_error *err)
{
    const int width = file->bits > 8 ? (int)file->bits / 8 : 1;
    const int type = width == 4 ? TFLOAT : width == 2 ? TSHORT : TBYTE;
    int code = 0, any = 0;
    if (width == 1) fits_set_tscale(file->handle, file->data, 1, 0, &code); /* bits as they are */
    fits_read_col(file->handle, type, file->data, row + 1, 1, ct_psrfits_row_bytes(file) / width,
                  NULL, data, &any, &code);
    return code == 0 ? CT_OK : psrfits_fail(file, "DATA", code, err);
}

static ct_status psrfits_floats(const ct_psrfits *file, int column, int64_t row, int64_t count,
                                float otherwise, float *out, ct_error *err)
{
    int code = 0, any = 0;
    for (int64_t i = 0; i < count; i++)
        out[i] = otherwise;
    if (column == 0) return CT_OK;
    fits_read_col(file->handle, TFLOAT, column, row + 1, 1, count, NULL, out, &any, &code);
    return code == 0 ? CT_OK : psrfits_fail(file, "DAT_SCL, DAT_OFFS, DAT_WTS", code, err);
}

ct_status ct_psrfits_scales(const ct_psrfits *file, int64_t row, float *scale, float *offset,
                            float *weight, ct_error *err)
{
    const int64_t lines = file->pols * file->channels;
    ct_status status = psrfits_floats(file, file->scale, row, lines, 1, scale, err);
    if (status == CT_OK) status = psrfits_floats(file, file->offset, row, lines, 0, offset, err);
    if (status == CT_OK)
        status = psrfits_floats(file, file->weight, row, file->channels, 1, weight, err);
    return status;
}

ct_status ct_psrfits_frequencies(const ct_psrfits *file, double *hz, ct_error *err)
{
    int code = 0, any = 0;
    if (file->frequency)
        fits_read_col(file->handle, TDOUBLE, file->frequency, 1, 1, file->channels, NULL, hz, &any,
                      &code);
    if (code != 0) return psrfits_fail(file, "DAT_FREQ", code, err);
    for (int64_t c = 0; c < file->channels; c++) {
        char expected[CT_RANGES_EXPECTED] = "a frequency above 0";
        hz[c] = file->frequency ? hz[c] * 1e6 : file->first_hz + (double)c * file->step_hz;
        if (hz[c] > 0 && ct_ranges_hold("frequency_hz", hz[c], expected)) continue;
        return ct_error_add(err, CT_DATA, "%s: %s: expected %s, found %g MHz for channel %lld",
                            file->file, file->frequency ? "DAT_FREQ" : "OBSFREQ", expected,
                            hz[c] / 1e6, (long long)c);
    }
    return CT_OK;
}

/* ---- what only all rows together tell */

ct_status ct_psrfits_middle(const ct_psrfits *file, int64_t row, double *out, ct_error *err)
{
    int code = 0, any = 0;
    *out = 0;
    if (file->subint)
        fits_read_col(file->handle, TDOUBLE, file->subint, row + 1, 1, 1, NULL, out, &any, &code);
    if (code == 0 && isfinite(*out)) return CT_OK;
    if (code != 0) return psrfits_fail(file, "OFFS_SUB", code, err);
    return ct_error_add(err, CT_DATA, "%s: OFFS_SUB: expected a time, found %g in row %lld",
                        file->file, *out, (long long)row + 1);
}

uint8_t ct_psrfits_flag(const ct_psrfits *file, float weight, double least_weight)
{
    const double fraction = (double)weight / file->most_weight;
    if (!(fraction > 0) || fraction < least_weight) return 1;
    return fraction < 1 ? 4 : 0;
}

static void psrfits_count(ct_psrfits *file, const float *weight, double least_weight)
{
    for (int64_t c = 0; c < file->channels; c++) {
        const uint8_t flag = ct_psrfits_flag(file, weight[c], least_weight);
        const bool none = !(weight[c] > 0);
        file->unread += none;
        file->below += !none && flag == 1;
        file->partly += flag == 4;
    }
}

static ct_status psrfits_count_all(ct_psrfits *file, float *weight, double least_weight,
                                   ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t row = 0; status == CT_OK && row < file->rows; row++) {
        status = psrfits_floats(file, file->weight, row, file->channels, 1, weight, err);
        if (status == CT_OK) psrfits_count(file, weight, least_weight);
    }
    return status;
}

ct_status ct_psrfits_scan(ct_psrfits *file, float *numbers, double least_weight, ct_error *err)
{
    const int64_t lines = file->pols * file->channels;
    float *offset = numbers + lines, *weight = offset + lines;
    ct_status status = CT_OK;
    file->as_stored = file->zero_off == 0;
    file->most_weight = 1;
    for (int64_t row = 0; status == CT_OK && row < file->rows; row++) {
        status = ct_psrfits_scales(file, row, numbers, offset, weight, err);
        for (int64_t i = 0; status == CT_OK && i < lines; i++)
            file->as_stored &= numbers[i] == 1 && offset[i] == 0;
        for (int64_t c = 0; status == CT_OK && c < file->channels; c++)
            if (weight[c] > file->most_weight && isfinite(weight[c])) file->most_weight = weight[c];
    }
    return status == CT_OK ? psrfits_count_all(file, weight, least_weight, err) : status;
}

ct_status ct_psrfits_open(ct_psrfits *out, const char *file, ct_error *err)
{
    ct_input in;
    fitsfile *fits = NULL;
    int code = 0;
    uint8_t start[9] = {0};
    *out = (ct_psrfits){.file = file};
    ct_status status = ct_input_open(&in, file, err);
    if (status != CT_OK) return status;
    if (in.size < 2880 || ct_input_read(&in, 0, start, 9, NULL) != CT_OK ||
        !ct_psrfits_is(start, 9))
        status = ct_error_add(err, CT_DATA, "%s: expected a PSRFITS file, found %s", file,
                              ct_magic_name(&in));
    if (status == CT_OK) status = ct_fits_walk(&in, err);
    ct_input_close(&in);
    if (status != CT_OK) return status;
    fits_open_diskfile(&fits, file, READONLY, &code);
    if (code != 0) return psrfits_fail(out, "not readable as FITS", code, err);
    out->handle = fits;
    status = psrfits_headers(out, in.size, err);
    if (status != CT_OK) ct_psrfits_close(out);
    return status;
}

void ct_psrfits_close(ct_psrfits *file)
{
    int code = 0;
    if (file->handle) fits_close_file(file->handle, &code);
    file->handle = NULL;
    fits_clear_errmsg();
}

#endif
