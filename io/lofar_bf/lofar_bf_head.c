/* lofar_bf_head.c: what a written file says: the groups and attributes of the ICD, with the values
 * that LOFAR's own correlator gives them, and texts that every reader takes.
 * Room: io/lofar_bf. Knows names in the file. Does not know samples. */
#ifdef CT_HAVE_HDF5
#include "calendar.h"
#include "hdf5_attributes.h"
#include "lofar_bf_inner.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 128, NAME = 24 };

#define DAY_S 86400.0
#define MHZ 1e6

/* Beside each value whose unit is said: UNIT("s") says it. */
typedef struct head_row {
    const char *name;
    enum { SAID, REAL, WHOLE } kind;
    const char *text, *unit;
    double number;
} head_row;

#define TEXT(name, text)                                                                           \
    {                                                                                              \
        name, SAID, text, NULL, 0                                                                  \
    }
#define NUMBER(name, number, unit)                                                                 \
    {                                                                                              \
        name, REAL, NULL, unit, number                                                             \
    }
#define COUNT(name, number)                                                                        \
    {                                                                                              \
        name, WHOLE, NULL, NULL, (double)(number)                                                  \
    }

static bool head_put_row(hid_t at, const head_row *row)
{
    char unit[64];
    if (row->kind == SAID) return ct_hdf5_put_text(at, row->name, row->text);
    if (row->kind == WHOLE) return ct_hdf5_put_whole(at, row->name, (int64_t)row->number);
    if (!ct_hdf5_put_reals(at, row->name, &row->number, 0)) return false;
    snprintf(unit, sizeof unit, "%s_UNIT", row->name);
    return !row->unit || ct_hdf5_put_text(at, unit, row->unit);
}

/* Attributes of a group or a data set. */
static bool head_put_rows(const ct_lofar_bf_made *made, const char *path, const head_row *rows,
                          size_t count)
{
    const hid_t at = H5Oopen(made->of.file, path, H5P_DEFAULT);
    bool fine = at >= 0;
    for (size_t i = 0; fine && i < count; i++)
        fine = head_put_row(at, &rows[i]);
    if (at >= 0) H5Oclose(at);
    return fine;
}

static bool head_put_list(const ct_lofar_bf_made *made, const char *path, const char *name,
                          const char *const *texts, size_t count)
{
    const hid_t at = H5Oopen(made->of.file, path, H5P_DEFAULT);
    const bool fine = at >= 0 && (count == 0 || ct_hdf5_put_texts(at, name, texts, count));
    if (at >= 0) H5Oclose(at);
    return fine;
}

#define ROWS(made, path, rows) head_put_rows(made, path, rows, sizeof(rows) / sizeof(rows)[0])

/* ---- paths */

void ct_lofar_bf_path(const ct_lofar_bf_made *made, const char *below, char *out, size_t size)
{
    snprintf(out, size, "SUB_ARRAY_POINTING_000/BEAM_%03d%s", (int)made->head.beam, below);
}

/* COORDINATE_1 has a number for each channel, more than an attribute of the usual kind takes. */
static bool head_make_group(const ct_lofar_bf_made *made, const char *path)
{
    const hid_t how = H5Pcreate(H5P_GROUP_CREATE);
    const bool large = strstr(path, "COORDINATE_1") != NULL;
    bool fine = how >= 0 && H5Pset_obj_track_times(how, false) >= 0 &&
                (!large || H5Pset_attr_phase_change(how, 0, 0) >= 0);
    const hid_t group = fine ? H5Gcreate2(made->of.file, path, H5P_DEFAULT, how, H5P_DEFAULT) : -1;
    if (how >= 0) H5Pclose(how);
    return group >= 0 && H5Gclose(group) >= 0;
}

bool ct_lofar_bf_put_groups(const ct_lofar_bf_made *made)
{
    static const char *const fixed[] = {"SYS_LOG", "SUB_ARRAY_POINTING_000",
                                        "SUB_ARRAY_POINTING_000/PROCESS_HISTORY"};
    static const char *const below[] = {"", "/PROCESS_HISTORY", "/COORDINATES",
                                        "/COORDINATES/COORDINATE_0", "/COORDINATES/COORDINATE_1"};
    char path[PATH];
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof fixed / sizeof fixed[0]; i++)
        fine = head_make_group(made, fixed[i]);
    for (size_t i = 0; fine && i < sizeof below / sizeof below[0]; i++) {
        ct_lofar_bf_path(made, below[i], path, sizeof path);
        fine = head_make_group(made, path);
    }
    return fine;
}

/* ---- instants */

typedef struct head_instant {
    char utc[CT_CALENDAR_INSTANT];
    double mjd;
} head_instant;

/* So many samples after the first one's leading edge. */
static head_instant head_instant_of(const ct_lofar_bf_head *head, int64_t samples)
{
    head_instant out;
    const double after = head->start_s + (double)samples * head->sample_time_s;
    ct_calendar_print(out.utc, head->start_day, after);
    out.mjd = head->start_day + after / DAY_S;
    return out;
}

static double head_seconds(const ct_lofar_bf_head *head)
{
    return (double)head->samples * head->sample_time_s;
}

/* ---- the root */

const char *const ct_lofar_bf_given[] = {
    "PROJECT_ID",     "PROJECT_TITLE", "PROJECT_PI",       "PROJECT_CO_I", "PROJECT_CONTACT",
    "OBSERVATION_ID", "ANTENNA_SET",   "FILTER_SELECTION", "NOTES",        NULL};

static bool head_put_given(const ct_lofar_bf_made *made)
{
    bool fine = true;
    for (size_t i = 0; fine && ct_lofar_bf_given[i]; i++) {
        const char *text = made->head.given[i];
        const head_row row = TEXT(ct_lofar_bf_given[i], text ? text : "");
        fine = head_put_rows(made, "/", &row, 1);
    }
    return fine;
}

static bool head_put_observation(const ct_lofar_bf_made *made)
{
    const ct_lofar_bf_head *head = &made->head;
    const double *hz = head->frequency_hz, half = head->width_hz / 2;
    const double low = hz[0] - half, high = hz[head->channels - 1] + half;
    const head_instant begin = head_instant_of(head, 0), end = head_instant_of(head, head->samples);
    const head_row rows[] = {
        TEXT("OBSERVATION_START_UTC", begin.utc),
        NUMBER("OBSERVATION_START_MJD", begin.mjd, NULL),
        TEXT("OBSERVATION_END_UTC", end.utc),
        NUMBER("OBSERVATION_END_MJD", end.mjd, NULL),
        COUNT("OBSERVATION_NOF_STATIONS", head->stations_count),
        NUMBER("OBSERVATION_FREQUENCY_MIN", low / MHZ, NULL),
        NUMBER("OBSERVATION_FREQUENCY_CENTER", (low + high) / 2 / MHZ, NULL),
        NUMBER("OBSERVATION_FREQUENCY_MAX", high / MHZ, NULL),
        TEXT("OBSERVATION_FREQUENCY_UNIT", "MHz"),
        NUMBER("CLOCK_FREQUENCY", head->clock_mhz, "MHz"),
        NUMBER("TOTAL_INTEGRATION_TIME", head_seconds(head), "s"),
        NUMBER("BANDWIDTH", (double)head->channels * head->width_hz / MHZ, "MHz"),
        COUNT("OBSERVATION_NOF_SUB_ARRAY_POINTINGS", 1),
        COUNT("NOF_SUB_ARRAY_POINTINGS", 1),
    };
    return ROWS(made, "/", rows) &&
           head_put_list(made, "/", "OBSERVATION_STATIONS_LIST", head->stations,
                         (size_t)head->stations_count) &&
           head_put_list(made, "/", "TARGETS", &head->source, 1);
}

static bool head_put_root(const ct_lofar_bf_made *made)
{
    char version[PATH];
    const char *slash = strrchr(made->of.disk.output.file, '/');
    const head_instant begin = head_instant_of(&made->head, 0);
    snprintf(version, sizeof version, "%d.%d.%d", CT_VERSION_MAJOR, CT_VERSION_MINOR,
             CT_VERSION_PATCH);
    const head_row rows[] = {
        TEXT("GROUPTYPE", "Root"),
        TEXT("FILENAME", slash ? slash + 1 : made->of.disk.output.file),
        TEXT("FILEDATE", begin.utc), /* equal runs make equal files */
        TEXT("FILETYPE", "bf"),
        TEXT("TELESCOPE", made->head.telescope),
        TEXT("DOC_NAME", "ICD 3: Beam-Formed Data"),
        TEXT("DOC_VERSION", "2.5"),
        TEXT("SYSTEM_VERSION", version),
        TEXT("PIPELINE_NAME", "Cornerturn"),
        TEXT("PIPELINE_VERSION", version),
        TEXT("BF_FORMAT", "TAB"),
        TEXT("BF_VERSION", version),
        TEXT("CREATE_OFFLINE_ONLINE", "Offline"),
    };
    const head_row log = TEXT("GROUPTYPE", "SysLog");
    return ROWS(made, "/", rows) && head_put_given(made) && head_put_observation(made) &&
           head_put_rows(made, "SYS_LOG", &log, 1);
}

/* ---- the pointing and the beam */

static bool head_put_pointing(const ct_lofar_bf_made *made)
{
    const ct_lofar_bf_head *head = &made->head;
    const head_instant begin = head_instant_of(head, 0), end = head_instant_of(head, head->samples);
    const head_row rows[] = {
        TEXT("GROUPTYPE", "SubArrayPointing"),
        TEXT("EXPTIME_START_UTC", begin.utc),
        NUMBER("EXPTIME_START_MJD", begin.mjd, NULL),
        TEXT("EXPTIME_END_UTC", end.utc),
        NUMBER("EXPTIME_END_MJD", end.mjd, NULL),
        NUMBER("TOTAL_INTEGRATION_TIME", head_seconds(head), "s"),
        NUMBER("POINT_RA", head->ra_deg, "deg"),
        NUMBER("POINT_DEC", head->dec_deg, "deg"),
        COUNT("OBSERVATION_NOF_BEAMS", head->beams),
        COUNT("NOF_BEAMS", 1),
    };
    const head_row history = TEXT("GROUPTYPE", "ProcessingHistory");
    return ROWS(made, "SUB_ARRAY_POINTING_000", rows) &&
           head_put_rows(made, "SUB_ARRAY_POINTING_000/PROCESS_HISTORY", &history, 1);
}

static double head_mean_hz(const ct_lofar_bf_head *head)
{
    double sum = 0;
    for (int64_t c = 0; c < head->channels; c++)
        sum += head->frequency_hz[c];
    return sum / (double)head->channels;
}

static bool head_put_signal(const ct_lofar_bf_made *made, const char *path)
{
    const ct_lofar_bf_head *head = &made->head;
    const char *component = ct_lofar_bf_component_name(head->component);
    const head_row rows[] = {
        COUNT("FOLDED_DATA", 0),
        NUMBER("FOLD_PERIOD", 0, "s"),
        TEXT("DEDISPERSION", head->dm != 0 ? "INCOHERENT" : "NONE"),
        NUMBER("DISPERSION_MEASURE", head->dm, "pc/cm^3"),
        COUNT("BARYCENTERED", 0),
        COUNT("OBSERVATION_NOF_STOKES", head->sets),
        COUNT("NOF_STOKES", 1),
        COUNT("COMPLEX_VOLTAGE", head->component >= CT_LOFAR_BF_VOLTS),
        TEXT("SIGNAL_SUM", head->signal_sum),
    };
    return ROWS(made, path, rows) && head_put_list(made, path, "STOKES_COMPONENTS", &component, 1);
}

static bool head_put_beam(const ct_lofar_bf_made *made)
{
    const ct_lofar_bf_head *head = &made->head;
    char path[PATH];
    const head_row rows[] = {
        TEXT("GROUPTYPE", "Beam"),
        COUNT("NOF_STATIONS", head->stations_count),
        COUNT("NOF_SAMPLES", head->samples),
        NUMBER("SAMPLING_RATE", 1 / head->sample_time_s, "Hz"),
        NUMBER("SAMPLING_TIME", head->sample_time_s, "s"),
        COUNT("CHANNELS_PER_SUBBAND", head->subband_channels),
        NUMBER("SUBBAND_WIDTH", (double)head->subband_channels * head->width_hz, "Hz"),
        NUMBER("CHANNEL_WIDTH", head->width_hz, "Hz"),
        TEXT("TRACKING", "J2000"),
        NUMBER("POINT_RA", head->ra_deg, "deg"),
        NUMBER("POINT_DEC", head->dec_deg, "deg"),
        NUMBER("POINT_OFFSET_RA", 0, "deg"),
        NUMBER("POINT_OFFSET_DEC", 0, "deg"),
        NUMBER("BEAM_DIAMETER_RA", 0, "arcmin"),
        NUMBER("BEAM_DIAMETER_DEC", 0, "arcmin"),
        NUMBER("BEAM_FREQUENCY_CENTER", head_mean_hz(head) / MHZ, "MHz"),
    };
    const head_row history = TEXT("GROUPTYPE", "ProcessingHistory");
    ct_lofar_bf_path(made, "/PROCESS_HISTORY", path, sizeof path);
    if (!head_put_rows(made, path, &history, 1)) return false;
    ct_lofar_bf_path(made, "", path, sizeof path);
    return ROWS(made, path, rows) && head_put_signal(made, path) &&
           head_put_list(made, path, "STATIONS_LIST", head->stations,
                         (size_t)head->stations_count) &&
           head_put_list(made, path, "TARGETS", &head->source, 1);
}

/* ---- coordinates */

static bool head_put_reference(const ct_lofar_bf_made *made, const char *path)
{
    static const char *const types[] = {"Time", "Spectral"}, *const units[] = {"m", "m", "m"};
    const ct_lofar_bf_head *head = &made->head;
    const head_row rows[] = {
        TEXT("GROUPTYPE", "Coordinates"),
        TEXT("REF_LOCATION_FRAME", "ITRF"),
        NUMBER("REF_TIME_VALUE", head_instant_of(head, 0).mjd, NULL),
        TEXT("REF_TIME_UNIT", "d"),
        TEXT("REF_TIME_FRAME", "MJD"),
        COUNT("NOF_COORDINATES", 2),
        COUNT("NOF_AXES", 2),
    };
    const hid_t at = H5Gopen2(made->of.file, path, H5P_DEFAULT);
    const bool fine = at >= 0 && ct_hdf5_put_texts(at, "COORDINATE_TYPES", types, 2) &&
                      (!head->site || (ct_hdf5_put_reals(at, "REF_LOCATION_VALUE", head->site, 3) &&
                                       ct_hdf5_put_texts(at, "REF_LOCATION_UNIT", units, 3)));
    if (at >= 0) H5Gclose(at);
    return fine && ROWS(made, path, rows);
}

typedef struct head_axis {
    const char *group, *type, *storage, *name, *unit;
    double increment;
    const double *world;
    int64_t count;
} head_axis;

static bool head_put_values(const ct_lofar_bf_made *made, hid_t at, const head_axis *axis)
{
    const double one = 1;
    uint32_t *pixel = ct_step_alloc(made->of.disk.step, (size_t)axis->count * sizeof *pixel);
    if (!pixel) return false;
    for (int64_t i = 0; i < axis->count; i++)
        pixel[i] = (uint32_t)i;
    return ct_hdf5_put_texts(at, "STORAGE_TYPE", &axis->storage, 1) &&
           ct_hdf5_put_texts(at, "AXIS_NAMES", &axis->name, 1) &&
           ct_hdf5_put_texts(at, "AXIS_UNITS", &axis->unit, 1) &&
           ct_hdf5_put_reals(at, "PC", &one, 1) &&
           ct_hdf5_put_wholes(at, "AXIS_VALUES_PIXEL", pixel, (size_t)axis->count) &&
           ct_hdf5_put_reals(at, "AXIS_VALUES_WORLD", axis->world, (size_t)axis->count);
}

static bool head_put_axis(const ct_lofar_bf_made *made, const char *below, const head_axis *axis)
{
    char path[PATH];
    const head_row rows[] = {
        TEXT("GROUPTYPE", axis->group),
        TEXT("COORDINATE_TYPE", axis->type),
        COUNT("NOF_AXES", 1),
        NUMBER("REFERENCE_VALUE", 0, NULL),
        NUMBER("REFERENCE_PIXEL", 0, NULL),
        NUMBER("INCREMENT", axis->increment, NULL),
    };
    ct_lofar_bf_path(made, below, path, sizeof path);
    const hid_t at = H5Gopen2(made->of.file, path, H5P_DEFAULT);
    const bool fine = at >= 0 && head_put_values(made, at, axis);
    if (at >= 0) H5Gclose(at);
    return fine && ROWS(made, path, rows);
}

static bool head_put_coordinates(const ct_lofar_bf_made *made)
{
    const ct_lofar_bf_head *head = &made->head;
    const double begin = 0;
    char path[PATH];
    const head_axis time = {"TimeCoord",         "Time", "Linear", "Time", "s",
                            head->sample_time_s, &begin, 1};
    const head_axis band = {"SpectralCoord",    "Spectral",    "Tabular", "Frequency", "Hz", 0,
                            head->frequency_hz, head->channels};
    ct_lofar_bf_path(made, "/COORDINATES", path, sizeof path);
    return head_put_reference(made, path) &&
           head_put_axis(made, "/COORDINATES/COORDINATE_0", &time) &&
           head_put_axis(made, "/COORDINATES/COORDINATE_1", &band);
}

static bool head_put_set(const ct_lofar_bf_made *made)
{
    const ct_lofar_bf_head *head = &made->head;
    const int64_t subbands = head->channels / head->subband_channels;
    const head_row rows[] = {
        TEXT("GROUPTYPE", "bfData"),
        TEXT("DATATYPE", "float"),
        TEXT("STOKES_COMPONENT", ct_lofar_bf_component_name(head->component)),
        COUNT("NOF_SUBBANDS", subbands),
        COUNT("NOF_SAMPLES", head->samples),
    };
    uint32_t *each = ct_step_alloc(made->of.disk.step, (size_t)subbands * sizeof *each);
    bool fine = each != NULL;
    for (int64_t i = 0; fine && i < subbands; i++)
        each[i] = (uint32_t)head->subband_channels;
    for (size_t i = 0; fine && i < sizeof rows / sizeof rows[0]; i++)
        fine = head_put_row(made->set, &rows[i]);
    return fine && ct_hdf5_put_wholes(made->set, "NOF_CHANNELS", each, (size_t)subbands);
}

bool ct_lofar_bf_put_head(const ct_lofar_bf_made *made)
{
    return head_put_root(made) && head_put_pointing(made) && head_put_beam(made) &&
           head_put_coordinates(made) && head_put_set(made);
}

#endif
