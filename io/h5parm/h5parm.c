/* h5parm.c: tables of solutions for any stage: ct_h5parm_load.
 * Room: io/h5parm. Knows what a file is by its beginning. Does not know HDF5 (h5parm_table.c). */
#include "h5parm.h"

#include <string.h>

#include "input.h"
#include "magic.h"

/* HDF5 says nothing of use about a file that is none. */
static ct_status check_file(const char *file, ct_error *err)
{
    static const uint8_t start[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    uint8_t found[8] = {0};
    ct_input in;
    ct_status status = ct_input_open(&in, file, err);
    if (status != CT_OK) return status;
    if (in.size >= (int64_t)sizeof found) status = ct_input_read(&in, 0, found, sizeof found, err);
    if (status == CT_OK && memcmp(found, start, sizeof start) != 0)
        status = ct_error_add(err, CT_DATA, "%s: expected an H5parm, which is HDF5, found %s", file,
                              in.size == 0 ? "an empty file" : ct_magic_name(&in));
    ct_input_close(&in);
    return status;
}

ct_status ct_h5parm_load(ct_step *step, const char *file, const char *solset, const char *soltab,
                         const char *direction, ct_solutions *out, ct_error *err)
{
    if (!step || !file || !soltab || !out)
        return ct_error_add(err, CT_USAGE, "ct_h5parm_load: there is no %s",
                            !step     ? "step"
                            : !file   ? "file"
                            : !soltab ? "soltab"
                                      : "out");
    memset(out, 0, sizeof *out);
    const ct_status status = check_file(file, err);
    if (status != CT_OK) return status;
    return ct_h5parm_read(step, file, solset, soltab, direction, out, err);
}
