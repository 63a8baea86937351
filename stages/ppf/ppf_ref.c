/* ppf_ref.c: the filter bank in double precision: fir's definition, then fft's.
 * Room: stages/ppf. Knows the two references. Does not know formulas, kernels or layouts. */
#include "fft.h"
#include "fir.h"
#include "ppf.h"

enum { X = CT_PPF_X, Y = CT_PPF_Y };

/* One spectrum of so many channels, which begin at an element, or at a row's first number. */
static ct_array ref_spectrum(const ct_array *y, int64_t channels, int64_t element, int64_t stride,
                             void *data)
{
    ct_array one = {.type = y->type};
    ct_array_add(&one, 'C', channels);
    one.stride[0] = stride;
    one.offset = element;
    one.data = data;
    return one;
}

/* In the place of the filtered row that stands there. */
static ct_status ref_transform(const ct_step *step, ct_array *y, int64_t element, ct_error *err)
{
    ct_complex row[FFT_MOST];
    const int64_t stride = ct_array_stride(y, 'C'), channels = ct_step_int(step, "channels");
    ct_array ports[] = {ref_spectrum(y, channels, 0, 1, row),
                        ref_spectrum(y, channels, element, stride, y->data)};
    ports[X].type = CT_CF64;
    for (int64_t c = 0; c < channels; c++)
        row[c] = ct_array_load(y, element + c * stride);
    return ct_fft_reference(step, ports, err);
}

/* The spectra of all subbands, whose channels stand side by side. */
static ct_status ref_subbands(const ct_step *step, ct_array *y, int64_t element, ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t channels = ct_step_int(step, "channels");
    for (int64_t c = 0; c < ct_array_extent(y, 'C') && status == CT_OK; c += channels)
        status = ref_transform(step, y, element + c * ct_array_stride(y, 'C'), err);
    return status;
}

ct_status ct_ppf_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    ct_array *y = &ports[Y];
    const int64_t times = ct_array_extent(y, 'T'), pols = ct_array_extent(y, 'P');
    const int64_t spectra = times * pols * ct_array_extent(y, 'S');
    ct_status status = ct_fir_reference(step, ports, err);
    for (int64_t n = 0; n < spectra && status == CT_OK; n++)
        status = ref_subbands(step, y,
                              y->offset + n / (times * pols) * ct_array_stride(y, 'S') +
                                  n / times % pols * ct_array_stride(y, 'P') +
                                  n % times * ct_array_stride(y, 'T'),
                              err);
    return status;
}
