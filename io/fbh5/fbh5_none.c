/* fbh5_none.c: without HDF5 nothing is read or written, and the stages say so; see fbh5.h.
 * Room: io/fbh5. Knows what is missing. Does not know files. */
#include "fbh5.h"

#ifdef CT_HAVE_HDF5

bool ct_fbh5_there(void)
{
    return true;
}

#else

bool ct_fbh5_there(void)
{
    return false;
}

static ct_status fbh5_none(ct_error *err)
{
    return ct_error_add(err, CT_DATA, CT_FBH5_NONE);
}

bool ct_fbh5_is(const char *file)
{
    (void)file;
    return false;
}

ct_status ct_fbh5_open(ct_fbh5 *out, const char *file, ct_error *err)
{
    *out = (ct_fbh5){.file = file};
    return ct_error_add(err, CT_DATA, "%s: " CT_FBH5_NONE, file);
}

ct_status ct_fbh5_load(const ct_fbh5 *file, int64_t first, int64_t count, void *out, ct_error *err)
{
    (void)file, (void)first, (void)count, (void)out;
    return fbh5_none(err);
}

ct_status ct_fbh5_load_mask(const ct_fbh5 *file, int64_t first, int64_t count, uint8_t *out,
                            ct_error *err)
{
    (void)file, (void)first, (void)count, (void)out;
    return fbh5_none(err);
}

void ct_fbh5_close(ct_fbh5 *file)
{
    file->handle = 0;
}

bool ct_fbh5_compresses(int compression)
{
    (void)compression;
    return false;
}

/* Never called: the sink asks first. */
struct ct_fbh5_made {
    char none;
};

ct_status ct_fbh5_make(ct_fbh5_made **out, ct_step *step, const char *file,
                       const ct_fbh5_shape *shape, bool many, ct_error *err)
{
    (void)out, (void)step, (void)file, (void)shape, (void)many;
    return fbh5_none(err);
}

void *ct_fbh5_room(ct_fbh5_made *file, int64_t *samples)
{
    (void)file;
    *samples = 0;
    return NULL;
}

ct_status ct_fbh5_add(ct_fbh5_made *file, int64_t samples, ct_error *err)
{
    (void)file, (void)samples;
    return fbh5_none(err);
}

ct_status ct_fbh5_flush(ct_fbh5_made *file, ct_error *err)
{
    (void)file;
    return fbh5_none(err);
}

ct_status ct_fbh5_save(ct_fbh5_made *file, const void **data, size_t *bytes, ct_error *err)
{
    (void)file, (void)data, (void)bytes;
    return fbh5_none(err);
}

ct_status ct_fbh5_restore(ct_fbh5_made *file, int64_t samples, const void *data, size_t bytes,
                          ct_error *err)
{
    (void)file, (void)samples, (void)data, (void)bytes;
    return fbh5_none(err);
}

ct_status ct_fbh5_end(ct_fbh5_made *file, const ct_fbh5_head *head, ct_error *err)
{
    (void)file, (void)head;
    return fbh5_none(err);
}

#endif
