/* cutouts_file.c: a cut-out as the HDF5 file that `your` writes and FETCH reads: two pictures of
 * 256 x 256, and what the candidate is as attributes.
 * Room: io/cutouts. Knows HDF5. Does not know blocks. The file is made in memory and put as a
 * whole. */
#include "cutouts.h"

#ifdef CT_HAVE_HDF5
#include "hdf5_attributes.h"
#include "hdf5_guard.h"
#include <stdio.h>
#include <stdlib.h>

bool ct_cutouts_there(void)
{
    return true;
}

/* Means; where there are no samples, beyond the stream's ends, the mean of all. */
static void make_means(float sums[CT_CUTOUT_SIDE][CT_CUTOUT_SIDE],
                       int32_t counts[CT_CUTOUT_SIDE][CT_CUTOUT_SIDE])
{
    double sum = 0, count = 0;
    for (int i = 0; i < CT_CUTOUT_SIDE; i++)
        for (int k = 0; k < CT_CUTOUT_SIDE; k++) {
            sum += (double)sums[i][k];
            count += counts[i][k];
        }
    const float mean = (float)(count > 0 ? sum / count : 0);
    for (int i = 0; i < CT_CUTOUT_SIDE; i++)
        for (int k = 0; k < CT_CUTOUT_SIDE; k++)
            sums[i][k] = counts[i][k] > 0 ? sums[i][k] / (float)counts[i][k] : mean;
}

static bool put_set(hid_t file, const char *name, const void *data)
{
    const hsize_t extent[2] = {CT_CUTOUT_SIDE, CT_CUTOUT_SIDE};
    const hid_t space = H5Screate_simple(2, extent, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = -1;
    if (space >= 0 && how >= 0 && H5Pset_obj_track_times(how, 0) >= 0)
        set = H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, how, H5P_DEFAULT);
    const bool fine =
        set >= 0 && H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0) H5Dclose(set);
    if (how >= 0) H5Pclose(how);
    if (space >= 0) H5Sclose(space);
    return fine;
}

static bool put_attributes(hid_t file, const ct_cutout *one, const ct_cutout_band *band)
{
    const ct_meta *meta = &band->array->meta;
    char id[160];
    const struct {
        const char *name;
        double value;
    } reals[] = {{"tcand", one->time_s},
                 {"dm", one->dm},
                 {"dm_opt", -1},
                 {"snr", one->snr},
                 {"snr_opt", -1},
                 {"tsamp", meta->sample_time_s},
                 {"tstart", meta->start_mjd},
                 {"fch1", 1e-6 * band->high_hz},
                 {"foff", 1e-6 * band->width_hz}};
    const struct {
        const char *name;
        int64_t value;
    } wholes[] = {{"width", one->width},
                  {"label", -1},
                  {"nchans", CT_CUTOUT_SIDE},
                  {"nspectra", CT_CUTOUT_SIDE * one->each},
                  {"beam", one->beam},
                  {"rfi_mask", 0},
                  {"kill_mask", 0}};
    ct_number_print(id, sizeof id, "cand_tstart_%.12f_tcand_%.7f_dm_%.5f_snr_%.5f", meta->start_mjd,
                    one->time_s, one->dm, one->snr);
    bool fine = ct_hdf5_put_text(file, "cand_id", id) &&
                ct_hdf5_put_text(file, "source_name", meta->source_name);
    for (size_t i = 0; fine && i < sizeof reals / sizeof reals[0]; i++)
        fine = ct_hdf5_put_reals(file, reals[i].name, &reals[i].value, 0);
    for (size_t i = 0; fine && i < sizeof wholes / sizeof wholes[0]; i++)
        fine = ct_hdf5_put_whole(file, wholes[i].name, wholes[i].value);
    return fine;
}

/* A file in memory; below 0: HDF5 failed. */
static hid_t open_file(const char *name)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), how = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = -1;
    if (access >= 0 && how >= 0 && H5Pset_fapl_core(access, 1 << 20, 0) >= 0 &&
        H5Pset_obj_track_times(how, 0) >= 0)
        file = H5Fcreate(name, H5F_ACC_TRUNC, how, access);
    if (access >= 0) H5Pclose(access);
    if (how >= 0) H5Pclose(how);
    return file;
}

/* Its bytes, in memory of the step. */
static void *bytes_of(ct_step *step, hid_t file, ssize_t *bytes)
{
    *bytes = H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 ? H5Fget_file_image(file, NULL, 0) : -1;
    void *image = *bytes > 0 ? ct_step_alloc(step, (size_t)*bytes) : NULL;
    return image && H5Fget_file_image(file, image, (size_t)*bytes) == *bytes ? image : NULL;
}

ct_status ct_cutouts_put(ct_cutout *one, const ct_cutout_band *band, ct_error *err)
{
    ct_cutout_sums *sums = one->sums;
    ssize_t bytes = 0;
    make_means(sums->power, sums->samples);
    make_means(sums->trial, sums->added);
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hid_t file = open_file(one->file.file);
    const bool fine = file >= 0 && put_set(file, "data_freq_time", sums->power) &&
                      put_set(file, "data_dm_time", sums->trial) && put_attributes(file, one, band);
    const void *image = fine ? bytes_of(one->file.step, file, &bytes) : NULL;
    if (file >= 0) H5Fclose(file);
    ct_hdf5_leave(guard);
    if (!image) return ct_error_add(err, CT_FAILED, "%s: HDF5 failed: making it", one->file.file);
    return ct_output_put(&one->file, 0, image, (size_t)bytes, err);
}

#else

bool ct_cutouts_there(void)
{
    return false;
}

ct_status ct_cutouts_put(ct_cutout *one, const ct_cutout_band *band, ct_error *err)
{
    (void)one, (void)band;
    return ct_error_add(err, CT_FAILED, "this Cornerturn was built without HDF5");
}

#endif
