/* cutouts_view.c: how files of cut-outs are recognized and described.
 * Room: io/cutouts. Knows HDF5 and the names in the file. Does not know blocks. */
#include "cutouts.h"
#include "format.h"
#include <string.h>

#ifdef CT_HAVE_HDF5
#include "describe_lines.h"
#include "hdf5_attributes.h"
#include "hdf5_guard.h"
#include "hdf5_storage.h"

static bool view_is(int64_t handle)
{
    return H5Lexists(handle, "data_freq_time", H5P_DEFAULT) > 0 &&
           H5Lexists(handle, "data_dm_time", H5P_DEFAULT) > 0;
}

static bool cutouts_holds(const char *file)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hid_t handle = ct_hdf5_open(file);
    const bool is = handle >= 0 && view_is(handle);
    if (handle >= 0) H5Fclose(handle);
    ct_hdf5_leave(guard);
    return is;
}

static void view_describe(FILE *out, hid_t handle)
{
    static const struct {
        const char *name, *label, *unit;
    } rows[] = {
        {"dm", "DM", " pc cm^-3"},          {"snr", "S/N", ""},   {"tcand", "time", " s"},
        {"width", "width", " samples"},     {"beam", "beam", ""}, {"tsamp", "sample time", " s"},
        {"fch1", "highest channel", " MHz"}};
    char source[128];
    ct_describe_line(out, "format", "a candidate's cut-out (your, FETCH), HDF5");
    if (ct_hdf5_get_text(handle, "source_name", source, sizeof source))
        ct_describe_line(out, "source", "%s", source);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value;
        if (ct_hdf5_get_real(handle, rows[i].name, &value))
            ct_describe_line(out, rows[i].label, "%.9g%s", value, rows[i].unit);
    }
}

static ct_status cutouts_describe(FILE *out, ct_input *in, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hid_t handle = ct_hdf5_open(in->file);
    if (handle >= 0) view_describe(out, handle);
    if (handle >= 0) H5Fclose(handle);
    ct_hdf5_leave(guard);
    if (handle >= 0) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: cannot be read: damaged", in->file);
}

#else

static bool cutouts_holds(const char *file)
{
    (void)file;
    return false;
}

static ct_status cutouts_describe(FILE *out, ct_input *in, ct_error *err)
{
    (void)out;
    return ct_error_add(err, CT_DATA, "%s: this Cornerturn was built without HDF5", in->file);
}

#endif

static bool cutouts_begins(const uint8_t *start, size_t bytes)
{
    (void)bytes;
    return memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0;
}

extern const ct_stage ct_stage_sink_cutouts;
const ct_format ct_format_cutouts = {
    .name = "cut-out",
    .is = cutouts_begins,
    .holds = cutouts_holds,
    .found = "a candidate's cut-out, which no source reads; your_h5plotter.py draws it",
    .describe = cutouts_describe,
    .sink = &ct_stage_sink_cutouts};
