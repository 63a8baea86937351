/* psrfits_none.c: without CFITSIO a file is refused with a sentence; see psrfits.h.
 * Room: io/psrfits. Knows what is missing. Does not know files. */
#include "psrfits.h"
#include "psrfits_print.h"

#ifndef CT_HAVE_CFITSIO

ct_status ct_psrfits_open(ct_psrfits *out, const char *file, ct_error *err)
{
    *out = (ct_psrfits){.file = file};
    return ct_error_add(err, CT_DATA,
                        "%s: this Cornerturn was built without CFITSIO, which reads PSRFITS: "
                        "install libcfitsio-dev and build it again",
                        file);
}

void ct_psrfits_close(ct_psrfits *file)
{
    file->handle = NULL;
}

ct_status ct_psrfits_frequencies(const ct_psrfits *file, double *hz, ct_error *err)
{
    (void)hz;
    return ct_error_add(err, CT_FAILED, "%s: is not open", file->file);
}

int64_t ct_psrfits_row_bytes(const ct_psrfits *file)
{
    return (file->row_samples * file->pols * file->channels * file->bits + 7) / 8;
}

ct_status ct_psrfits_row(const ct_psrfits *file, int64_t row, void *data, ct_error *err)
{
    (void)row, (void)data;
    return ct_error_add(err, CT_FAILED, "%s: is not open", file->file);
}

ct_status ct_psrfits_scales(const ct_psrfits *file, int64_t row, float *scale, float *offset,
                            float *weight, ct_error *err)
{
    (void)row, (void)scale, (void)offset, (void)weight;
    return ct_error_add(err, CT_FAILED, "%s: is not open", file->file);
}

ct_status ct_psrfits_scan(ct_psrfits *file, float *numbers, double least_weight, ct_error *err)
{
    (void)numbers, (void)least_weight;
    return ct_error_add(err, CT_FAILED, "%s: is not open", file->file);
}

uint8_t ct_psrfits_flag(const ct_psrfits *file, float weight, double least_weight)
{
    (void)file, (void)weight, (void)least_weight;
    return 0;
}

ct_status ct_psrfits_middle(const ct_psrfits *file, int64_t row, double *out, ct_error *err)
{
    (void)row, (void)out;
    return ct_error_add(err, CT_FAILED, "%s: is not open", file->file);
}

ct_status ct_psrfits_can_print(const ct_step *step, ct_error *err)
{
    return ct_step_fail(step, NULL, err,
                        "this Cornerturn was built without CFITSIO, which makes the headers of "
                        "PSRFITS: install libcfitsio-dev and build it again");
}

ct_status ct_psrfits_print_headers(uint8_t out[CT_PSRFITS_HEADERS], size_t *bytes,
                                   const ct_psrfits_look *look, int64_t rows, int64_t samples,
                                   ct_error *err)
{
    (void)out, (void)look, (void)rows, (void)samples;
    *bytes = 0;
    return ct_error_add(err, CT_FAILED, "there is no CFITSIO");
}

#endif
