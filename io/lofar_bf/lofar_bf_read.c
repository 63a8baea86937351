/* lofar_bf_read.c: what a file says: its groups and attributes. Attributes that are missing or of
 * another kind are not known; without samples it is no file of ours.
 * Room: io/lofar_bf. Knows HDF5 and names in the file. Does not know storage. */
#ifdef CT_HAVE_HDF5
#include "calendar.h"
#include "hdf5_attributes.h"
#include "hdf5_guard.h"
#include "hdf5_storage.h"
#include "lofar_bf_inner.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS = 1000, NAME = 40 };

#define COORDINATES 4 /* names of groups that may have the channels' frequencies */

/* ---- attributes with a unit beside them */

static double read_unit(hid_t at, const char *name, double otherwise)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"Hz", 1},    {"kHz", 1e3}, {"MHz", 1e6},
                 {"GHz", 1e9}, {"s", 1},     {"ms", 1e-3},
                 {"us", 1e-6}, {"deg", 1},   {"rad", 180 / 3.14159265358979323846}};
    char unit[CT_LOFAR_BF_TEXT];
    (void)ct_hdf5_get_text(at, name, unit, sizeof unit);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0) return units[i].scale;
    return otherwise;
}

/* In s, Hz or degrees; `otherwise`: what a number is worth if its unit is not said. */
static bool read_scaled(hid_t at, const char *name, double otherwise, double *out)
{
    char unit[NAME];
    double value;
    if (!ct_hdf5_get_real(at, name, &value)) return false;
    snprintf(unit, sizeof unit, "%s_UNIT", name);
    *out = value * read_unit(at, unit, otherwise);
    return true;
}

/* ---- groups */

typedef struct read_groups {
    hid_t pointing, beam;
} read_groups;

static ct_status read_absent(const ct_lofar_bf *file, const char *name, bool any, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: expected a group %s%s, found none", file->file, name,
                        any ? " or a later one" : "");
}

/* The group of this number; below 0: the first there is, whose number *number becomes. */
static ct_status read_group(const ct_lofar_bf *file, hid_t at, const char *kind, int64_t *number,
                            hid_t *out, ct_error *err)
{
    char name[NAME];
    const bool any = *number < 0;
    for (int64_t i = any ? 0 : *number; i < (any ? GROUPS : *number + 1); i++) {
        snprintf(name, sizeof name, "%s_%03d", kind, (int)i);
        if (H5Lexists(at, name, H5P_DEFAULT) <= 0) continue;
        *number = i;
        *out = H5Gopen2(at, name, H5P_DEFAULT);
        if (*out >= 0) return CT_OK;
        return ct_error_add(err, CT_DATA, "%s: %s cannot be read: damaged", file->file, name);
    }
    snprintf(name, sizeof name, "%s_%03d", kind, any ? 0 : (int)*number);
    return read_absent(file, name, any, err);
}

static ct_status read_find_groups(ct_lofar_bf *file, read_groups *out, ct_error *err)
{
    ct_status status =
        read_group(file, file->handle, "SUB_ARRAY_POINTING", &file->pointing, &out->pointing, err);
    if (status != CT_OK) return status;
    return read_group(file, out->pointing, "BEAM", &file->beam, &out->beam, err);
}

/* ---- data sets */

static ct_status read_component(const ct_lofar_bf *file, hid_t beam, hid_t set, const char *name,
                                int number, int *out, ct_error *err)
{
    char said[CT_LOFAR_BF_TEXT];
    double volts = 0;
    if (!ct_hdf5_get_text(set, "STOKES_COMPONENT", said, sizeof said)) {
        (void)ct_hdf5_get_real(beam, "COMPLEX_VOLTAGE", &volts);
        *out = number + (volts != 0 ? CT_LOFAR_BF_VOLTS : 0);
        return CT_OK;
    }
    if (ct_lofar_bf_component_find(said, out)) return CT_OK;
    return ct_error_add(
        err, CT_DATA, "%s: %s: STOKES_COMPONENT: expected a name such as I, XX or Xr, found \"%s\"",
        file->file, name, said);
}

static hid_t read_open_set(hid_t beam, const char *name)
{
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t set = -1;
    if (access >= 0 && H5Pset_efile_prefix(access, "${ORIGIN}") >= 0)
        set = H5Dopen2(beam, name, access);
    if (access >= 0) H5Pclose(access);
    return set;
}

static ct_status read_plane(ct_lofar_bf *file, hid_t beam, int number, ct_error *err)
{
    char name[NAME];
    ct_lofar_bf_plane *plane = &file->plane[file->planes];
    snprintf(name, sizeof name, "STOKES_%d", number);
    if (H5Lexists(beam, name, H5P_DEFAULT) <= 0) return CT_OK;
    plane->set = read_open_set(beam, name);
    if (plane->set < 0)
        return ct_error_add(err, CT_DATA, "%s: %s: expected a data set that can be read",
                            file->file, name);
    file->planes++;
    ct_status status = read_component(file, beam, plane->set, name, number, &plane->component, err);
    if (status == CT_OK) status = ct_lofar_bf_measure(file, file->planes - 1, name, err);
    return status;
}

static ct_status read_planes(ct_lofar_bf *file, hid_t beam, ct_error *err)
{
    ct_status status = CT_OK;
    for (int k = 0; status == CT_OK && k < CT_LOFAR_BF_PLANES; k++)
        status = read_plane(file, beam, k, err);
    if (status != CT_OK) return status;
    if (file->planes == 0)
        return ct_error_add(err, CT_DATA, "%s: beam %lld: expected a data set STOKES_0, found none",
                            file->file, (long long)file->beam);
    if (file->samples > 0) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: expected samples, found none", file->file);
}

/* ---- what is said once */

/* "2013-02-16T16:18:00.000000000Z", or else a number. */
static void read_start(ct_lofar_bf *file, hid_t at, const char *name)
{
    char key[NAME], text[CT_LOFAR_BF_TEXT];
    int64_t minutes;
    double second;
    snprintf(key, sizeof key, "%s_UTC", name);
    if (ct_hdf5_get_text(at, key, text, sizeof text)) {
        text[strcspn(text, "Z")] = 0;
        if (ct_calendar_read(text, 'T', &minutes, &second)) {
            file->start_mjd = ((double)minutes * 60 + floor(second)) / 86400;
            file->start_s = second - floor(second);
            return;
        }
    }
    snprintf(key, sizeof key, "%s_MJD", name);
    (void)ct_hdf5_get_real(at, key, &file->start_mjd);
    if (!(file->start_mjd > 0 && file->start_mjd < 1e6)) file->start_mjd = 0;
}

/* Seconds, whatever its unit says. */
static void read_increment(ct_lofar_bf *file, hid_t beam)
{
    const hid_t time = H5Gopen2(beam, "COORDINATES/COORDINATE_0", H5P_DEFAULT);
    if (time < 0) return;
    (void)ct_hdf5_get_real(time, "INCREMENT", &file->sample_time_s);
    H5Gclose(time);
}

static void read_sample_time(ct_lofar_bf *file, hid_t beam)
{
    double rate = 0;
    if (read_scaled(beam, "SAMPLING_TIME", 1, &file->sample_time_s)) return;
    if (read_scaled(beam, "SAMPLING_RATE", 1, &rate) && rate > 0)
        file->sample_time_s = 1 / rate;
    else
        read_increment(file, beam);
}

static void read_said(ct_lofar_bf *file, const read_groups *groups)
{
    const hid_t places[] = {groups->beam, groups->pointing};
    for (size_t i = 0; i < 2 && file->sample_time_s == 0; i++)
        read_sample_time(file, places[i]);
    for (size_t i = 0; i < 2 && file->width_hz == 0; i++)
        (void)read_scaled(places[i], "CHANNEL_WIDTH", 1, &file->width_hz);
    for (size_t i = 0; i < 2 && file->ra_deg == 0 && file->dec_deg == 0; i++) {
        (void)read_scaled(places[i], "POINT_RA", 1, &file->ra_deg);
        (void)read_scaled(places[i], "POINT_DEC", 1, &file->dec_deg);
    }
    (void)read_scaled(groups->beam, "BEAM_FREQUENCY_CENTER", 1e6, &file->centre_hz);
    (void)ct_hdf5_get_real(groups->beam, "DISPERSION_MEASURE", &file->dm);
    (void)ct_hdf5_get_text(file->handle, "TELESCOPE", file->telescope, sizeof file->telescope);
    (void)ct_hdf5_get_text(file->handle, "ANTENNA_SET", file->antennas, sizeof file->antennas);
    if (!ct_hdf5_get_text(groups->beam, "TARGETS", file->source, sizeof file->source))
        (void)ct_hdf5_get_text(file->handle, "TARGETS", file->source, sizeof file->source);
    read_start(file, file->handle, "OBSERVATION_START");
    if (file->start_mjd == 0) read_start(file, groups->pointing, "EXPTIME_START");
}

/* ---- life */

static bool read_is(int64_t handle, char kind[CT_LOFAR_BF_TEXT])
{
    return ct_hdf5_get_text(handle, "FILETYPE", kind, CT_LOFAR_BF_TEXT) && strcmp(kind, "bf") == 0;
}

bool ct_lofar_bf_is(const char *file)
{
    char kind[CT_LOFAR_BF_TEXT];
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hid_t handle = ct_hdf5_open(file);
    const bool is = handle >= 0 && read_is(handle, kind);
    if (handle >= 0) H5Fclose(handle);
    ct_hdf5_leave(guard);
    return is;
}

static ct_status read_check_kind(const ct_lofar_bf *file, ct_error *err)
{
    char kind[CT_LOFAR_BF_TEXT];
    if (read_is(file->handle, kind)) return CT_OK;
    const bool uvh5 = H5Lexists(file->handle, "Header", H5P_DEFAULT) > 0 &&
                      H5Lexists(file->handle, "Data", H5P_DEFAULT) > 0;
    return ct_error_add(err, CT_DATA,
                        "%s: expected LOFAR's beam-formed data (FILETYPE \"bf\"), found %s%s%s",
                        file->file,
                        kind[0] ? "FILETYPE \""
                        : uvh5  ? "UVH5 visibilities, which pyuvdata reads"
                                : "another HDF5 file, which h5py reads",
                        kind, kind[0] ? "\"" : "");
}

static ct_status read_file(ct_lofar_bf *file, ct_error *err)
{
    read_groups groups = {-1, -1};
    const hid_t handle = ct_hdf5_open(file->file);
    if (handle < 0)
        return ct_error_add(err, CT_DATA,
                            "%s: expected an HDF5 file, found one that is damaged or cut short",
                            file->file);
    file->handle = handle;
    ct_status status = read_check_kind(file, err);
    if (status == CT_OK) status = read_find_groups(file, &groups, err);
    if (status == CT_OK) status = read_planes(file, groups.beam, err);
    if (status == CT_OK) read_said(file, &groups);
    if (groups.beam >= 0) H5Gclose(groups.beam);
    if (groups.pointing >= 0) H5Gclose(groups.pointing);
    return status;
}

ct_status ct_lofar_bf_open(ct_lofar_bf *out, const char *file, int64_t pointing, int64_t beam,
                           ct_error *err)
{
    *out = (ct_lofar_bf){.file = file, .pointing = pointing, .beam = beam};
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const ct_status status = read_file(out, err);
    ct_hdf5_leave(guard);
    if (status != CT_OK) ct_lofar_bf_close(out);
    return status;
}

void ct_lofar_bf_close(ct_lofar_bf *file)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    for (int64_t i = 0; i < file->planes; i++)
        H5Dclose(file->plane[i].set);
    if (file->handle > 0) H5Fclose(file->handle);
    ct_hdf5_leave(guard);
    file->planes = file->handle = 0;
}

/* ---- frequencies */

/* LOFAR's own files have Hz there, and "MHz" beside them. */
static bool read_table(const ct_lofar_bf *file, hid_t at, double *hz)
{
    if (!ct_hdf5_get_reals(at, "AXIS_VALUES_WORLD", hz, file->channels)) return false;
    const double scale = read_unit(at, "AXIS_UNITS", 1);
    for (int64_t c = 0; c < file->channels; c++)
        if (hz[c] * scale < 1e12) hz[c] *= scale;
    return true;
}

static bool read_frequencies(const ct_lofar_bf *file, double *hz)
{
    static const char *const names[COORDINATES] = {"COORDINATE_1", "COORDINATE_0", "SPECTRAL",
                                                   "Spectral"};
    char path[2 * NAME + NAME];
    for (int i = 0; i < COORDINATES; i++) {
        snprintf(path, sizeof path, "SUB_ARRAY_POINTING_%03d/BEAM_%03d/COORDINATES/%s",
                 (int)file->pointing, (int)file->beam, names[i]);
        const hid_t at = H5Gopen2(file->handle, path, H5P_DEFAULT);
        const bool found = at >= 0 && (file->channels > 1 || i != 1) && read_table(file, at, hz);
        if (at >= 0) H5Gclose(at);
        if (found) return true;
    }
    for (int64_t c = 0; c < file->channels; c++)
        hz[c] = file->centre_hz + ((double)c - 0.5 * (double)(file->channels - 1)) * file->width_hz;
    return file->centre_hz > 0 && (file->width_hz > 0 || file->channels == 1);
}

bool ct_lofar_bf_frequencies(const ct_lofar_bf *file, double *hz)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool there = read_frequencies(file, hz);
    ct_hdf5_leave(guard);
    return there;
}

#endif
