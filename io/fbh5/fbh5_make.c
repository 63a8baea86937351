/* fbh5_make.c: an FBH5 file that is written: its life, and its samples, which go to the file by
 * whole chunks, so that its bytes do not depend on blocks. All attributes come at the end: texts
 * are in a heap of HDF5's, whose place would otherwise depend on when a run was resumed.
 * Room: io/fbh5. Knows HDF5's storage. Does not know ports. */
#ifdef CT_HAVE_HDF5
#include "fbh5.h"
#include "hdf5_attributes.h"
#include "hdf5_guard.h"
#include "hdf5_made.h"
#include <string.h>

#define CHUNK_BYTES ((int64_t)1 << 20) /* at most, but for a single number */

struct ct_fbh5_made {
    ct_fbh5_shape shape;
    ct_hdf5_made of;
    bool many;
    hid_t set;                                   /* 0: not there */
    int64_t samples;                             /* in the file */
    int64_t row;                                 /* bytes of a sample */
    int64_t chunk_channels, chunk_samples, held; /* held: those that do not make a chunk yet */
    uint8_t *room;
    uint8_t *saved;
    size_t saved_room;
};

static const struct made_compression {
    const char *name;
    H5Z_filter_t filter;
    unsigned value;
} made_compressions[] = {CT_FBH5_COMPRESSIONS(CT_ROW)};

bool ct_fbh5_compresses(int compression)
{
    const H5Z_filter_t filter = made_compressions[compression].filter;
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool can = filter == 0 || H5Zfilter_avail(filter) > 0;
    ct_hdf5_leave(guard);
    return can;
}

/* ---- the data set */

/* Of bitshuffle the values are the size of its blocks (0: its own choice) and LZ4. */
static bool made_compress(const ct_fbh5_made *made, hid_t how)
{
    const struct made_compression *by = &made_compressions[made->shape.compression];
    const unsigned values[] = {by->filter == H5Z_FILTER_DEFLATE ? by->value : 0, by->value};
    const size_t count = by->filter == H5Z_FILTER_DEFLATE ? 1 : 2;
    return by->filter == 0 ||
           H5Pset_filter(how, by->filter, H5Z_FLAG_MANDATORY, count, values) >= 0;
}

static void made_types(const ct_fbh5_made *made, hid_t *stored, hid_t *memory)
{
    const struct {
        ct_type type;
        hid_t stored, memory;
    } rows[] = {{CT_U8, H5T_STD_U8LE, H5T_NATIVE_UINT8},
                {CT_I8, H5T_STD_I8LE, H5T_NATIVE_INT8},
                {CT_U16, H5T_STD_U16LE, H5T_NATIVE_UINT16},
                {CT_I16, H5T_STD_I16LE, H5T_NATIVE_INT16},
                {CT_F32, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT}};
    *stored = *memory = -1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type == made->shape.type) *stored = rows[i].stored, *memory = rows[i].memory;
}

static hid_t made_create_set(const ct_fbh5_made *made, hid_t access)
{
    const ct_fbh5_shape *shape = &made->shape;
    const hsize_t none[] = {0, (hsize_t)shape->ifs, (hsize_t)shape->channels};
    const hsize_t most[] = {H5S_UNLIMITED, (hsize_t)shape->ifs, (hsize_t)shape->channels};
    const hsize_t chunk[] = {(hsize_t)made->chunk_samples, 1, (hsize_t)made->chunk_channels};
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, none, most);
    hid_t stored, memory, set = -1;
    made_types(made, &stored, &memory);
    if (how >= 0 && space >= 0 && H5Pset_obj_track_times(how, false) >= 0 &&
        H5Pset_chunk(how, 3, chunk) >= 0 && H5Pset_fill_time(how, H5D_FILL_TIME_ALLOC) >= 0 &&
        made_compress(made, how))
        set = H5Dcreate2(made->of.file, "data", stored, space, H5P_DEFAULT, how, access);
    if (space >= 0) H5Sclose(space);
    if (how >= 0) H5Pclose(how);
    return set;
}

/* Chunks go past the cache to the file. */
static bool made_reach_set(ct_fbh5_made *made)
{
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (access >= 0 && H5Pset_chunk_cache(access, 1, 0, 1) >= 0)
        made->set = made->of.again ? H5Dopen2(made->of.file, "data", access)
                                   : made_create_set(made, access);
    if (access >= 0) H5Pclose(access);
    return made->set > 0;
}

/* Those that are held, after those that are in the file. */
static bool made_write(ct_fbh5_made *made)
{
    const hsize_t ifs = (hsize_t)made->shape.ifs, channels = (hsize_t)made->shape.channels;
    const hsize_t from[] = {(hsize_t)made->samples, 0, 0};
    const hsize_t extent[] = {(hsize_t)made->held, ifs, channels};
    const hsize_t all[] = {(hsize_t)(made->samples + made->held), ifs, channels};
    hid_t stored, memory;
    made_types(made, &stored, &memory);
    const hid_t here = H5Screate_simple(3, extent, NULL);
    const hid_t there = H5Dset_extent(made->set, all) >= 0 ? H5Dget_space(made->set) : -1;
    const bool fine = here >= 0 && there >= 0 &&
                      H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, extent, NULL) >= 0 &&
                      H5Dwrite(made->set, memory, here, there, H5P_DEFAULT, made->room) >= 0;
    if (there >= 0) H5Sclose(there);
    if (here >= 0) H5Sclose(here);
    made->samples += made->held;
    made->held = 0;
    return fine;
}

/* ---- life */

/* Many files share the descriptors that a process may have. */
static ct_status made_rest(ct_fbh5_made *made, ct_error *err)
{
    return made->many ? ct_output_pause(&made->of.disk.output, err) : CT_OK;
}

static void made_chunks(ct_fbh5_made *made)
{
    const ct_fbh5_shape *shape = &made->shape;
    const int64_t number = ct_type_bits(shape->type) / 8, most = CHUNK_BYTES / number;
    made->row = shape->ifs * shape->channels * number;
    made->chunk_channels = shape->channels < most ? shape->channels : most;
    made->chunk_samples = most / made->chunk_channels;
    if (shape->samples > 0 && made->chunk_samples > shape->samples)
        made->chunk_samples = shape->samples;
}

ct_status ct_fbh5_make(ct_fbh5_made **out, ct_step *step, const char *file,
                       const ct_fbh5_shape *shape, bool many, ct_error *err)
{
    ct_fbh5_made *made = *out = ct_step_alloc(step, sizeof *made);
    if (!made) return CT_FAILED;
    made->shape = *shape;
    made->many = many;
    made_chunks(made);
    made->room = ct_step_alloc(step, (size_t)(made->chunk_samples * made->row));
    if (!made->room) return CT_FAILED;
    const ct_status status = ct_hdf5_made_open(&made->of, step, file, err);
    return status == CT_OK ? made_rest(made, err) : status;
}

static bool made_begin(ct_fbh5_made *made)
{
    return ct_hdf5_made_begin(&made->of, true) && made_reach_set(made);
}

/* Once, before the first thing that is asked of it: a file of an earlier run is cut until then. */
static bool made_ready(ct_fbh5_made *made)
{
    return made->of.file > 0 || (made->of.disk.failed == CT_OK && made_begin(made));
}

/* ---- samples */

void *ct_fbh5_room(ct_fbh5_made *made, int64_t *samples)
{
    *samples = made->chunk_samples - made->held;
    return made->room + made->held * made->row;
}

ct_status ct_fbh5_add(ct_fbh5_made *made, int64_t samples, ct_error *err)
{
    made->held += samples;
    if (made->held < made->chunk_samples) return CT_OK;
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = made_ready(made) && made_write(made);
    ct_hdf5_leave(guard);
    return ct_hdf5_made_judge(&made->of, fine, "writing samples", err);
}

ct_status ct_fbh5_flush(ct_fbh5_made *made, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = made_ready(made) && ct_hdf5_made_flush(&made->of);
    ct_hdf5_leave(guard);
    const ct_status status = ct_hdf5_made_judge(&made->of, fine, "writing its metadata", err);
    return status == CT_OK ? made_rest(made, err) : status;
}

/* ---- for a later run: how many samples are held, these, and the driver's metadata */

ct_status ct_fbh5_save(ct_fbh5_made *made, const void **data, size_t *bytes, ct_error *err)
{
    const void *disk = NULL;
    size_t disk_bytes = 0;
    const size_t held_bytes = (size_t)(made->held * made->row);
    ct_status status = ct_fbh5_flush(made, err);
    if (status == CT_OK) status = ct_hdf5_driver_save(&made->of.disk, &disk, &disk_bytes, err);
    if (status != CT_OK) return status;
    *bytes = sizeof made->held + held_bytes + disk_bytes;
    if (*bytes > made->saved_room) {
        made->saved = ct_step_alloc(made->of.disk.step, 2 * *bytes);
        if (!made->saved) return CT_FAILED;
        made->saved_room = 2 * *bytes;
    }
    memcpy(made->saved, &made->held, sizeof made->held);
    memcpy(made->saved + sizeof made->held, made->room, held_bytes);
    memcpy(made->saved + sizeof made->held + held_bytes, disk, disk_bytes);
    *data = made->saved;
    return made_rest(made, err);
}

ct_status ct_fbh5_restore(ct_fbh5_made *made, int64_t samples, const void *data, size_t bytes,
                          ct_error *err)
{
    const uint8_t *from = data;
    int64_t held = -1;
    if (bytes >= sizeof held) memcpy(&held, from, sizeof held);
    if (held < 0 || held >= made->chunk_samples || held > samples ||
        (size_t)(held * made->row) > bytes - sizeof held)
        return ct_error_add(err, CT_DATA, "%s: what the journal has of it is not whole",
                            made->of.disk.output.file);
    const size_t held_bytes = (size_t)(held * made->row);
    memcpy(made->room, from + sizeof held, held_bytes);
    made->held = held;
    made->samples = samples - held;
    made->of.again = true;
    const ct_status status = ct_hdf5_driver_restore(&made->of.disk, from + sizeof held + held_bytes,
                                                    bytes - sizeof held - held_bytes, err);
    return status == CT_OK ? made_rest(made, err) : status;
}

/* ---- at the end */

static bool made_put_numbers(const ct_fbh5_made *made, const ct_fbh5_head *head)
{
    const struct {
        const char *name;
        const double *at;
        bool whole, always;
    } rows[] = {
#define ROW(name, whole, always) {#name, &head->name, whole, always},
        CT_FBH5_NUMBERS(ROW)
#undef ROW
    };
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof rows / sizeof rows[0]; i++) {
        if (*rows[i].at == 0 && !rows[i].always) continue;
        fine = rows[i].whole ? ct_hdf5_put_whole(made->set, rows[i].name, (int64_t)*rows[i].at)
                             : ct_hdf5_put_reals(made->set, rows[i].name, rows[i].at, 0);
    }
    return fine;
}

static bool made_put_head(const ct_fbh5_made *made, const ct_fbh5_head *head)
{
    static const char *const labels[] = {"time", "feed_id", "frequency"};
    return ct_hdf5_put_text(made->of.file, "CLASS", "FILTERBANK") &&
           ct_hdf5_put_text(made->of.file, "VERSION", "1.0") &&
           ct_hdf5_put_texts(made->set, "DIMENSION_LABELS", labels, 3) &&
           made_put_numbers(made, head) &&
           ct_hdf5_put_text(made->set, "source_name", head->source_name);
}

static bool made_finish(ct_fbh5_made *made, const ct_fbh5_head *head)
{
    const bool fine = !head || (made_ready(made) && (made->held == 0 || made_write(made)) &&
                                made_put_head(made, head) && ct_hdf5_made_flush(&made->of));
    if (!head || !fine) ct_hdf5_made_give_up(&made->of);
    if (made->set > 0) H5Dclose(made->set);
    return ct_hdf5_made_close(&made->of) && fine;
}

ct_status ct_fbh5_end(ct_fbh5_made *made, const ct_fbh5_head *head, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = made_finish(made, head);
    ct_hdf5_leave(guard);
    return ct_hdf5_made_end(&made->of, head, fine, err);
}

#endif
