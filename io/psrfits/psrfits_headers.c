/* psrfits_headers.c: the headers of a PSRFITS file in search mode, made by CFITSIO in memory.
 * [PSRFITS definition 6.1, ATNF] Room: io/psrfits. Knows keywords. Does not know samples. */
#include "psrfits_print.h"

#ifdef CT_HAVE_CFITSIO
#include "angle.h"
#include "calendar.h"
#include <fitsio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LETTERS = 60 };

static void put_text(fitsfile *fits, const char *key, const char *value, int *code)
{
    char text[NAME_LETTERS + 1];
    snprintf(text, sizeof text, "%.*s", NAME_LETTERS, value ? value : "");
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~') *at = '_'; /* FITS has ASCII */
    fits_write_key_str(fits, key, text, NULL, code);
}

static void put_real(fitsfile *fits, const char *key, double value, int *code)
{
    fits_write_key_dbl(fits, key, value, -15, NULL, code);
}

static void put_whole(fitsfile *fits, const char *key, int64_t value, int *code)
{
    fits_write_key_lng(fits, key, value, NULL, code);
}

static void put_pointing(fitsfile *fits, const ct_psrfits_look *look, int *code)
{
    char ra[CT_ANGLE_TEXT] = "00:00:00", dec[CT_ANGLE_TEXT] = "00:00:00"; /* readers parse these */
    if (look->pointed) {
        ct_angle_print(ra, ct_angle_pack(look->ra / 15));
        ct_angle_print(dec, ct_angle_pack(look->dec));
    }
    put_text(fits, "COORD_MD", "J2000", code);
    put_real(fits, "EQUINOX", 2000, code);
    put_text(fits, "RA", ra, code);
    put_text(fits, "DEC", dec, code);
    put_real(fits, "BMAJ", 0, code); /* readers ask for them */
    put_real(fits, "BMIN", 0, code);
    put_real(fits, "BPA", 0, code);
    put_text(fits, "TRK_MODE", "TRACK", code);
}

static void put_start(fitsfile *fits, const ct_psrfits_look *look, int *code)
{
    char date[CT_CALENDAR_INSTANT];
    const double whole = floor(look->second);
    ct_calendar_print(date, (double)look->day, look->second);
    date[23] = '\0'; /* yyyy-mm-ddThh:mm:ss.sss */
    put_text(fits, "DATE-OBS", date, code);
    put_whole(fits, "STT_IMJD", look->day, code);
    put_whole(fits, "STT_SMJD", (int64_t)whole, code);
    put_real(fits, "STT_OFFS", look->second - whole, code);
}

static double centre_mhz(const ct_psrfits_look *look)
{
    return (look->hz[0] + look->hz[look->channels - 1]) / 2e6;
}

static void put_primary(fitsfile *fits, const ct_psrfits_look *look, int *code)
{
    const double band = look->width_hz * (double)look->channels / 1e6;
    fits_create_img(fits, BYTE_IMG, 0, NULL, code);
    put_text(fits, "HDRVER", "6.1", code);
    put_text(fits, "FITSTYPE", "PSRFITS", code);
    put_text(fits, "OBSERVER", "unknown", code);
    put_text(fits, "PROJID", "unknown", code);
    put_text(fits, "TELESCOP", look->telescope ? look->telescope : "unknown", code);
    put_text(fits, "FRONTEND", "unknown", code);
    put_text(fits, "BACKEND", "Cornerturn", code);
    put_whole(fits, "NRCVR", look->pols > 1 ? 2 : 1, code);
    put_text(fits, "FD_POLN", look->feed ? look->feed : "*", code);
    put_text(fits, "OBS_MODE", "SEARCH", code);
    put_real(fits, "OBSFREQ", centre_mhz(look), code);
    put_real(fits, "OBSBW", band, code);
    put_whole(fits, "OBSNCHAN", look->channels, code);
    put_real(fits, "CHAN_DM", 0, code);
    put_text(fits, "SRC_NAME", look->source ? look->source : "unknown", code);
    put_pointing(fits, look, code);
    put_start(fits, look, code);
    if (look->beam >= 0) put_whole(fits, "IBEAM", look->beam, code);
}

/* ---- the table */

enum { COLUMNS = 9, FORM = 24 };

static const struct {
    const char *name, *unit;
} columns[COLUMNS] = {{"TSUBINT", "s"},   {"OFFS_SUB", "s"},   {"RA_SUB", "deg"},
                      {"DEC_SUB", "deg"}, {"DAT_FREQ", "MHz"}, {"DAT_WTS", ""},
                      {"DAT_OFFS", ""},   {"DAT_SCL", ""},     {"DATA", "Jy"}};

/* How many numbers of which kind a row has in each. */
static void column_forms(char form[COLUMNS][FORM], const ct_psrfits_look *look)
{
    const long long channels = look->channels, lines = look->pols * channels;
    const long long numbers = lines * look->row_samples;
    const char kind = look->bits == 32 ? 'E' : look->bits == 16 ? 'I' : 'B';
    for (int i = 0; i < COLUMNS; i++)
        snprintf(form[i], FORM, "1D");
    snprintf(form[4], FORM, "%lldD", channels);
    snprintf(form[5], FORM, "%lldE", channels);
    snprintf(form[6], FORM, "%lldE", lines);
    snprintf(form[7], FORM, "%lldE", lines);
    snprintf(form[8], FORM, "%lld%c", look->bits < 8 ? numbers * look->bits / 8 : numbers, kind);
}

static void put_columns(fitsfile *fits, const ct_psrfits_look *look, int *code)
{
    char forms[COLUMNS][FORM], *name[COLUMNS], *unit[COLUMNS], *form[COLUMNS];
    column_forms(forms, look);
    for (int i = 0; i < COLUMNS; i++) {
        name[i] = (char *)columns[i].name;
        unit[i] = (char *)columns[i].unit;
        form[i] = forms[i];
    }
    fits_create_tbl(fits, BINARY_TBL, 0, COLUMNS, name, form, unit, "SUBINT", code);
}

/* Where a channel has whole bytes: the shape of DATA, fastest first. */
static void put_shape(fitsfile *fits, const ct_psrfits_look *look, int *code)
{
    const int64_t bits = look->bits < 8 ? look->bits : 8, line = look->channels * bits;
    char text[96];
    if (line % 8 != 0) return;
    snprintf(text, sizeof text, "(1,%lld,%lld,%lld)", (long long)line / 8, (long long)look->pols,
             (long long)look->row_samples);
    fits_write_key_str(fits, "TDIM9", text, NULL, code);
}

static void put_table(fitsfile *fits, const ct_psrfits_look *look, int64_t samples, int *code)
{
    put_columns(fits, look, code);
    put_shape(fits, look, code);
    put_text(fits, "INT_TYPE", "TIME", code);
    put_text(fits, "INT_UNIT", "SEC", code);
    put_text(fits, "SCALE", "FluxDen", code);
    put_text(fits, "POL_TYPE", look->pol_type, code);
    put_whole(fits, "NPOL", look->pols, code);
    put_real(fits, "TBIN", look->spacing_s, code);
    put_whole(fits, "NBIN", 1, code);
    put_whole(fits, "NBITS", look->bits, code);
    put_real(fits, "ZERO_OFF", 0, code);
    put_whole(fits, "SIGNINT", look->with_sign, code);
    put_whole(fits, "NSUBOFFS", 0, code);
    put_whole(fits, "NCHAN", look->channels, code);
    put_real(fits, "CHAN_BW", look->width_hz / 1e6, code);
    put_whole(fits, "NCHNOFFS", 0, code);
    put_whole(fits, "NSBLK", look->row_samples, code);
    put_whole(fits, "NSTOT", samples, code);
}

/* CFITSIO would clear room for the rows if it knew of them. */
static void set_rows(uint8_t *headers, size_t bytes, int64_t rows)
{
    char card[81];
    snprintf(card, sizeof card, "%-8s= %20lld %-49s", "NAXIS2", (long long)rows, "/ rows");
    for (size_t at = CT_PSRFITS_BLOCK; at + 80 <= bytes; at += 80)
        if (memcmp(headers + at, "NAXIS2  ", 8) == 0) memcpy(headers + at, card, 80);
}

ct_status ct_psrfits_can_print(const ct_step *step, ct_error *err)
{
    (void)step, (void)err;
    return CT_OK;
}

ct_status ct_psrfits_print_headers(uint8_t out[CT_PSRFITS_HEADERS], size_t *bytes,
                                   const ct_psrfits_look *look, int64_t rows, int64_t samples,
                                   ct_error *err)
{
    int code = 0, closed = 0;
    fitsfile *fits = NULL;
    size_t size = CT_PSRFITS_HEADERS;
    void *memory = out;
    LONGLONG begin = 0, data = 0, end = 0;
    memset(out, 0, size); /* CFITSIO looks for headers in it */
    fits_create_memfile(&fits, &memory, &size, 0, NULL, &code);
    put_primary(fits, look, &code);
    put_table(fits, look, samples, &code);
    fits_flush_file(fits, &code);
    fits_get_hduaddrll(fits, &begin, &data, &end, &code);
    const bool fits_in = code == 0 && data > 0 && data <= CT_PSRFITS_HEADERS;
    if (fits) fits_close_file(fits, &closed);
    fits_clear_errmsg();
    *bytes = fits_in ? (size_t)data : 0;
    set_rows(out, *bytes, rows);
    return fits_in ? CT_OK
                   : ct_error_add(err, CT_FAILED, "CFITSIO made no headers: error %d", code);
}

#endif
