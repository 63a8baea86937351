/* uvh5_none.c: without HDF5 no file is made, and sink.uvh5 says so; see uvh5.h.
 * Room: io/uvh5. Knows what is missing. Does not know files. */
#include "uvh5.h"

#ifndef CT_HAVE_HDF5

bool ct_uvh5_there(void)
{
    return false;
}

/* Never called: the sink asks first. */
struct ct_uvh5 {
    char none;
};

static ct_status file_none(ct_error *err)
{
    return ct_error_add(err, CT_FAILED, "this Cornerturn was built without HDF5");
}

ct_status ct_uvh5_open(ct_uvh5 **out, ct_step *step, const char *file, const ct_uvh5_header *header,
                       ct_error *err)
{
    (void)out, (void)step, (void)file, (void)header;
    return file_none(err);
}

ct_status ct_uvh5_add(ct_uvh5 *file, const ct_uvh5_rows *rows, ct_error *err)
{
    (void)file, (void)rows;
    return file_none(err);
}

ct_status ct_uvh5_put(ct_uvh5 *file, const ct_uvh5_box *box, ct_error *err)
{
    (void)file, (void)box;
    return file_none(err);
}

ct_status ct_uvh5_flush(ct_uvh5 *file, ct_error *err)
{
    (void)file;
    return file_none(err);
}

ct_status ct_uvh5_save(ct_uvh5 *file, const void **data, size_t *bytes, ct_error *err)
{
    (void)file, (void)data, (void)bytes;
    return file_none(err);
}

ct_status ct_uvh5_restore(ct_uvh5 *file, int64_t rows, const void *data, size_t bytes,
                          ct_error *err)
{
    (void)file, (void)rows, (void)data, (void)bytes;
    return file_none(err);
}

ct_status ct_uvh5_end(ct_uvh5 *file, bool complete, const char *history, ct_error *err)
{
    (void)file, (void)complete, (void)history;
    return file_none(err);
}

#endif
