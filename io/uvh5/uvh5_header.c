/* uvh5_header.c: what a UVH5 file says once: the array, its band, its phase centre.
 * Room: io/uvh5. Knows the names in the file. Does not know rows. */
#ifdef CT_HAVE_HDF5
#include "uvh5_inner.h"
#include <stdio.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)

static bool header_put(const ct_uvh5 *file, const char *name, hid_t type, int rank,
                       const hsize_t *extent, const void *data)
{
    const hid_t space = rank > 0 ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    bool fine = space >= 0 && how >= 0 && H5Pset_obj_track_times(how, 0) >= 0;
    const hid_t set =
        fine ? H5Dcreate2(file->made.file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT) : -1;
    fine = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0) H5Dclose(set);
    if (how >= 0) H5Pclose(how);
    if (space >= 0) H5Sclose(space);
    return fine;
}

static bool header_put_text(const ct_uvh5 *file, const char *name, size_t letters, int rank,
                            const hsize_t *extent, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    bool fine = type >= 0 && H5Tset_size(type, letters > 0 ? letters : 1) >= 0 &&
                H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0;
    fine = fine && header_put(file, name, type, rank, extent, text);
    if (type >= 0) H5Tclose(type);
    return fine;
}

static bool header_put_word(const ct_uvh5 *file, const char *name, const char *word)
{
    char text[CT_UVH5_TEXT];
    ct_visibility_letters(text, sizeof text, word);
    return header_put_text(file, name, strlen(text), 0, NULL, text);
}

static bool header_put_words(const ct_uvh5 *file)
{
    const ct_visibility_header *header = file->header->of;
    const char history[CT_UVH5_HISTORY] = "";
    const struct {
        const char *name, *word;
    } words[] = {
        {"Header/telescope_name", header->telescope},
        {"Header/instrument", "Cornerturn"},
        {"Header/version", "1.1"},
        {"Header/phase_center_catalog/0/cat_name",
         header->projected ? header->source : "unprojected"},
        {"Header/phase_center_catalog/0/cat_type", header->projected ? "sidereal" : "unprojected"},
        {"Header/phase_center_catalog/0/cat_frame", header->projected ? "icrs" : "altaz"},
    };
    bool fine = header_put_text(file, "Header/history", CT_UVH5_HISTORY, 0, NULL, history);
    for (size_t i = 0; fine && i < sizeof words / sizeof words[0]; i++)
        fine = header_put_word(file, words[i].name, words[i].word);
    return fine;
}

/* Times and rows are put right at the end. */
static bool header_put_counts(const ct_uvh5 *file)
{
    const ct_visibility_header *header = file->header->of;
    const struct {
        const char *name;
        int64_t count;
    } counts[] = {{"Header/Nants_data", header->stations},
                  {"Header/Nants_telescope", header->stations},
                  {"Header/Nbls", header->baselines},
                  {"Header/Nblts", 0},
                  {"Header/Ntimes", 0},
                  {"Header/Nspws", 1},
                  {"Header/Nfreqs", header->channels},
                  {"Header/Npols", header->products},
                  {"Header/Nphase", 1}};
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof counts / sizeof counts[0]; i++)
        fine = header_put(file, counts[i].name, H5T_NATIVE_INT64, 0, NULL, &counts[i].count);
    return fine;
}

static bool header_put_reals(const ct_uvh5 *file)
{
    const ct_visibility_header *header = file->header->of;
    const struct {
        const char *name;
        double real;
    } reals[] = {{"Header/latitude", header->site.latitude / DEGREE},
                 {"Header/longitude", header->site.longitude / DEGREE},
                 {"Header/altitude", header->site.altitude_m},
                 {"Header/phase_center_catalog/0/cat_lon", header->centre[0]},
                 {"Header/phase_center_catalog/0/cat_lat", header->centre[1]},
                 {"Header/phase_center_catalog/0/cat_epoch", 2000}};
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof reals / sizeof reals[0]; i++)
        fine = header_put(file, reals[i].name, H5T_NATIVE_DOUBLE, 0, NULL, &reals[i].real);
    return fine;
}

/* Names of one length: that of the longest. */
static bool header_put_names(const ct_uvh5 *file)
{
    const ct_visibility_header *header = file->header->of;
    const hsize_t count = (hsize_t)header->stations;
    char *text = ct_step_alloc(file->made.disk.step, (size_t)count * CT_UVH5_TEXT);
    char name[CT_UVH5_TEXT];
    size_t longest = 1;
    if (!text) return false;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t s = 0; s < header->stations; s++) {
            ct_visibility_station(header, s, name, sizeof name);
            const size_t letters = strlen(name);
            if (pass == 1) memcpy(text + (size_t)s * longest, name, letters);
            if (letters > longest) longest = letters;
        }
    return header_put_text(file, "Header/antenna_names", longest, 1, &count, text);
}

static bool header_put_lists(const ct_uvh5 *file)
{
    const ct_visibility_header *header = file->header->of;
    const hsize_t stations[2] = {(hsize_t)header->stations, 3};
    const hsize_t channels = (hsize_t)header->channels, products = (hsize_t)header->products,
                  one = 1;
    const int64_t band = 0;
    int64_t *numbers = ct_step_alloc(file->made.disk.step, stations[0] * sizeof *numbers);
    double *widths = ct_step_alloc(file->made.disk.step, channels * sizeof *widths);
    if (!numbers || !widths) return false;
    for (int64_t s = 0; s < header->stations; s++)
        numbers[s] = s;
    for (int64_t c = 0; c < header->channels; c++)
        widths[c] = header->channel_width_hz;
    const struct {
        const char *name;
        hid_t type;
        int rank;
        const hsize_t *extent;
        const void *data;
    } lists[] = {
        {"Header/antenna_numbers", H5T_NATIVE_INT64, 1, stations, numbers},
        {"Header/antenna_positions", H5T_NATIVE_DOUBLE, 2, stations, header->position},
        {"Header/freq_array", H5T_NATIVE_DOUBLE, 1, &channels, header->frequency_hz},
        {"Header/channel_width", H5T_NATIVE_DOUBLE, 1, &channels, widths},
        {"Header/spw_array", H5T_NATIVE_INT64, 1, &one, &band},
        {"Header/polarization_array", H5T_NATIVE_INT64, 1, &products, file->header->product},
    };
    bool fine = header_put_names(file);
    for (size_t i = 0; fine && i < sizeof lists / sizeof lists[0]; i++)
        fine = header_put(file, lists[i].name, lists[i].type, lists[i].rank, lists[i].extent,
                          lists[i].data);
    return fine;
}

static bool header_put_groups(const ct_uvh5 *file)
{
    static const char *const names[] = {"Header", "Data", "Header/phase_center_catalog",
                                        "Header/phase_center_catalog/0"};
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof names / sizeof names[0]; i++) {
        const hid_t group =
            H5Gcreate2(file->made.file, names[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        fine = group >= 0 && H5Gclose(group) >= 0;
    }
    return fine;
}

bool ct_uvh5_put_header(const ct_uvh5 *file)
{
    const int8_t no = 0;
    return header_put_groups(file) && header_put_words(file) && header_put_counts(file) &&
           header_put_reals(file) && header_put_lists(file) &&
           header_put(file, "Header/flex_spw", file->boolean, 0, NULL, &no);
}

/* ---- at the end */

static bool header_correct(const ct_uvh5 *file, const char *name, hid_t type, const void *data)
{
    const hid_t set = H5Dopen2(file->made.file, name, H5P_DEFAULT);
    const hid_t stored = set >= 0 ? H5Dget_type(set) : -1;
    const bool fine = stored >= 0 && H5Dwrite(set, type >= 0 ? type : stored, H5S_ALL, H5S_ALL,
                                              H5P_DEFAULT, data) >= 0;
    if (stored >= 0) H5Tclose(stored);
    if (set >= 0) H5Dclose(set);
    return fine;
}

bool ct_uvh5_put_end(const ct_uvh5 *file, const char *history)
{
    char text[CT_UVH5_HISTORY] = "";
    const int64_t times = file->rows / file->header->of->baselines;
    snprintf(text, sizeof text, "%s", history);
    return header_correct(file, "Header/history", -1, text) &&
           header_correct(file, "Header/Nblts", H5T_NATIVE_INT64, &file->rows) &&
           header_correct(file, "Header/Ntimes", H5T_NATIVE_INT64, &times);
}

#endif
