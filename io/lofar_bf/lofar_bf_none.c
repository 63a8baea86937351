/* lofar_bf_none.c: without HDF5 nothing is read or written, and the stages say so; see lofar_bf.h.
 * Room: io/lofar_bf. Knows what is missing. Does not know files. */
#include "lofar_bf.h"

#ifdef CT_HAVE_HDF5

bool ct_lofar_bf_there(void)
{
    return true;
}

#else

const char *const ct_lofar_bf_given[] = {NULL};

bool ct_lofar_bf_there(void)
{
    return false;
}

bool ct_lofar_bf_is(const char *file)
{
    (void)file;
    return false;
}

static ct_status bf_none(ct_error *err)
{
    return ct_error_add(err, CT_DATA, CT_LOFAR_BF_NONE);
}

ct_status ct_lofar_bf_open(ct_lofar_bf *out, const char *file, int64_t pointing, int64_t beam,
                           ct_error *err)
{
    *out = (ct_lofar_bf){.file = file, .pointing = pointing, .beam = beam};
    return ct_error_add(err, CT_DATA, "%s: " CT_LOFAR_BF_NONE, file);
}

bool ct_lofar_bf_frequencies(const ct_lofar_bf *file, double *hz)
{
    (void)file, (void)hz;
    return false;
}

ct_status ct_lofar_bf_load(const ct_lofar_bf *file, int64_t plane, int64_t first, int64_t count,
                           float *out, ct_error *err)
{
    (void)file, (void)plane, (void)first, (void)count, (void)out;
    return bf_none(err);
}

void ct_lofar_bf_close(ct_lofar_bf *file)
{
    file->planes = file->handle = 0;
}

/* Never called: the sink asks first. */
struct ct_lofar_bf_made {
    char none;
};

ct_status ct_lofar_bf_make(ct_lofar_bf_made **out, ct_step *step, const char *file, const char *raw,
                           const ct_lofar_bf_head *head, bool many, ct_error *err)
{
    (void)out, (void)step, (void)file, (void)raw, (void)head, (void)many;
    return bf_none(err);
}

ct_status ct_lofar_bf_add(ct_lofar_bf_made *file, const float *samples, int64_t count,
                          ct_error *err)
{
    (void)file, (void)samples, (void)count;
    return bf_none(err);
}

ct_status ct_lofar_bf_flush(ct_lofar_bf_made *file, ct_error *err)
{
    (void)file;
    return bf_none(err);
}

ct_status ct_lofar_bf_save(ct_lofar_bf_made *file, const void **data, size_t *bytes, ct_error *err)
{
    (void)file, (void)data, (void)bytes;
    return bf_none(err);
}

ct_status ct_lofar_bf_restore(ct_lofar_bf_made *file, int64_t samples, const void *data,
                              size_t bytes, ct_error *err)
{
    (void)file, (void)samples, (void)data, (void)bytes;
    return bf_none(err);
}

ct_status ct_lofar_bf_end(ct_lofar_bf_made *file, bool complete, ct_error *err)
{
    (void)file, (void)complete;
    return bf_none(err);
}

#endif
