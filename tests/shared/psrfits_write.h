/* psrfits_write.h: PSRFITS files in search mode for tests, written by CFITSIO only.
 * Room: tests. Knows no code of ours. */
#ifndef CT_TESTS_PSRFITS_WRITE_H
#define CT_TESTS_PSRFITS_WRITE_H
#include <fitsio.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct psrfits_file {
    int bits, pols, channels, row_samples;
    int64_t samples; /* rows are filled up */
    double tbin_s, zero_off, first_mhz, step_mhz;
    long imjd, smjd, before; /* before: rows of earlier files */
    double offs_s;
    const void *data;    /* rows one behind the other, as FITS has them but for the byte order */
    const float *scale;  /* [pols][channels], of every row; NULL: 1 */
    const float *offset; /* NULL: 0 */
    const float *weight; /* [rows][channels]; NULL: 1 */
    const char *mode;    /* NULL: SEARCH */
    const double *late;  /* [rows]: samples that each row begins later; NULL: 0 */
    const char *pol_type, *fd_poln; /* NULL: no such keyword */
} psrfits_file;

static void psrfits_put_int(fitsfile *fits, const char *key, long value, int *code)
{
    fits_write_key(fits, TLONG, key, &value, NULL, code);
}

static void psrfits_put_real(fitsfile *fits, const char *key, double value, int *code)
{
    fits_write_key(fits, TDOUBLE, key, &value, NULL, code);
}

static void psrfits_put_text(fitsfile *fits, const char *key, const char *value, int *code)
{
    fits_write_key(fits, TSTRING, key, (void *)value, NULL, code);
}

static void psrfits_put_primary(fitsfile *fits, const psrfits_file *file, int *code)
{
    fits_create_img(fits, BYTE_IMG, 0, NULL, code);
    psrfits_put_text(fits, "FITSTYPE", "PSRFITS", code);
    psrfits_put_text(fits, "TELESCOP", "ASKAP", code);
    psrfits_put_text(fits, "SRC_NAME", "FRB", code);
    psrfits_put_text(fits, "RA", "12:26:37.6361", code);
    psrfits_put_text(fits, "DEC", "-01:30:00.5", code);
    psrfits_put_text(fits, "OBS_MODE", file->mode ? file->mode : "SEARCH", code);
    if (file->fd_poln) psrfits_put_text(fits, "FD_POLN", file->fd_poln, code);
    psrfits_put_int(fits, "STT_IMJD", file->imjd, code);
    psrfits_put_int(fits, "STT_SMJD", file->smjd, code);
    psrfits_put_real(fits, "STT_OFFS", file->offs_s, code);
}

static void psrfits_put_table(fitsfile *fits, const psrfits_file *file, int *code)
{
    static const char *const names[] = {"OFFS_SUB", "DAT_FREQ", "DAT_WTS",
                                        "DAT_OFFS", "DAT_SCL",  "DATA"};
    const long lines = (long)file->pols * file->channels;
    const long numbers = file->bits < 8 ? (lines * file->row_samples * file->bits + 7) / 8
                                        : lines * file->row_samples;
    char forms[6][32];
    char *form[6], *name[6];
    snprintf(forms[0], 32, "1D");
    snprintf(forms[1], 32, "%dD", file->channels);
    snprintf(forms[2], 32, "%dE", file->channels);
    snprintf(forms[3], 32, "%ldE", lines);
    snprintf(forms[4], 32, "%ldE", lines);
    snprintf(forms[5], 32, "%ld%c", numbers, file->bits == 32 ? 'E' : file->bits == 16 ? 'I' : 'B');
    for (int i = 0; i < 6; i++)
        form[i] = forms[i], name[i] = (char *)names[i];
    fits_create_tbl(fits, BINARY_TBL, 0, 6, name, form, NULL, "SUBINT", code);
    psrfits_put_int(fits, "NPOL", file->pols, code);
    if (file->pol_type) psrfits_put_text(fits, "POL_TYPE", file->pol_type, code);
    psrfits_put_int(fits, "NBITS", file->bits, code);
    psrfits_put_int(fits, "NCHAN", file->channels, code);
    psrfits_put_int(fits, "NSBLK", file->row_samples, code);
    psrfits_put_int(fits, "NSUBOFFS", file->before, code);
    psrfits_put_int(fits, "NSTOT", (long)file->samples, code);
    psrfits_put_real(fits, "TBIN", file->tbin_s, code);
    psrfits_put_real(fits, "ZERO_OFF", file->zero_off, code);
    psrfits_put_real(fits, "CHAN_BW", file->step_mhz, code);
}

static void psrfits_put_lines(fitsfile *fits, int column, long row, const float *from, long count,
                              float otherwise, int *code)
{
    for (long i = 0; i < count; i++) {
        float value = from ? from[i] : otherwise;
        fits_write_col(fits, TFLOAT, column, row, i + 1, 1, &value, code);
    }
}

static void psrfits_put_row(fitsfile *fits, const psrfits_file *file, long row, int *code)
{
    const long lines = (long)file->pols * file->channels;
    const long bytes = (lines * file->row_samples * file->bits + 7) / 8;
    const int width = file->bits > 8 ? file->bits / 8 : 1;
    double middle = ((double)row - 0.5 + (double)file->before) * file->row_samples * file->tbin_s;
    if (file->late) middle += file->late[row - 1] * file->tbin_s;
    fits_write_col(fits, TDOUBLE, 1, row, 1, 1, &middle, code);
    for (int c = 0; c < file->channels; c++) {
        double mhz = file->first_mhz + c * file->step_mhz;
        fits_write_col(fits, TDOUBLE, 2, row, c + 1, 1, &mhz, code);
    }
    psrfits_put_lines(fits, 3, row, file->weight ? file->weight + (row - 1) * file->channels : NULL,
                      file->channels, 1, code);
    psrfits_put_lines(fits, 4, row, file->offset, lines, 0, code);
    psrfits_put_lines(fits, 5, row, file->scale, lines, 1, code);
    fits_write_col(fits,
                   width == 4   ? TFLOAT
                   : width == 2 ? TSHORT
                                : TBYTE,
                   6, row, 1, bytes / width, (char *)file->data + (row - 1) * bytes, code);
}

/* False where it could not be written. */
static bool psrfits_write(const char *path, const psrfits_file *file)
{
    fitsfile *fits = NULL;
    int code = 0;
    unlink(path);
    fits_create_diskfile(&fits, path, &code);
    psrfits_put_primary(fits, file, &code);
    psrfits_put_table(fits, file, &code);
    const int64_t rows = (file->samples + file->row_samples - 1) / file->row_samples;
    for (long row = 1; row <= rows && code == 0; row++)
        psrfits_put_row(fits, file, row, &code);
    fits_close_file(fits, &code);
    return code == 0;
}

#endif
