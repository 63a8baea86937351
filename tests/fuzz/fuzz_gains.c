/* fuzz_gains.c: the first line of the input is the JSON of "gains"; the others describe the tables
 * of the H5parm "a.h5" that it may name: axes, extents of the numbers, those of the weights,
 * stations (after a '*': each of its own length), polarizations, directions, times, frequencies,
 * type. HDF5 makes the file, as bytes by chance try HDF5 and not us. Room: tests/fuzz. Knows
 * delay's descriptor, and H5parm. */
#include "fuzz_source.h"

#include "h5parm_write.h"
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const ct_stage ct_stage_delay;

enum { LINES = 10, WORDS = 8, MOST = 2048 };

void fuzz_begin(void)
{
}

#ifdef CT_HAVE_HDF5
/* Words between commas; NULL where there are none. */
static const char *const *words_of(char *line, const char *words[WORDS + 1])
{
    int count = 0;
    for (char *at = line; at && *at && count < WORDS;) {
        char *end = strchr(at, ',');
        if (end) *end++ = 0;
        words[count++] = at;
        at = end;
    }
    words[count] = NULL;
    return count > 0 ? words : NULL;
}

/* Few numbers, or NULL. */
static const double *numbers_of(char *line, double numbers[MOST])
{
    int count = 0;
    memset(numbers, 0, MOST * sizeof *numbers);
    for (char *at = line, *end; *at && count < WORDS; at = end) {
        numbers[count] = ct_number_read(at, &end);
        if (end == at) break;
        count++;
    }
    return count > 0 ? numbers : NULL;
}

static int extents_of(char *line, hsize_t extent[5])
{
    int rank = 0;
    int64_t count = 1;
    for (char *at = line, *end; *at && rank < 5; at = end) {
        const long value = strtol(at, &end, 10);
        if (end == at || value < 0) break;
        extent[rank] = (hsize_t)(value > MOST / count ? MOST / count : value);
        count *= extent[rank] ? (int64_t)extent[rank] : 1;
        rank++;
    }
    return rank;
}

/* Weights of other extents than the numbers. */
static void put_weights(hid_t group, char *line, const double *weight)
{
    hsize_t extent[5];
    const int rank = extents_of(line, extent);
    if (rank > 0)
        h5parm_put(group, "weight", rank, extent, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, weight);
}

static void put_table(hid_t file, char *line[LINES], const char *name, const char *kind)
{
    static double value[MOST], weight[MOST], time[MOST], freq[MOST];
    const char *ant[WORDS + 1], *pol[WORDS + 1], *dir[WORDS + 1];
    char *copy[LINES];
    h5parm_table table = {.solset = "sol000", .soltab = name, .title = *kind ? kind : NULL};
    for (int n = 0; n < LINES; n++)
        copy[n] = strdup(line[n] ? line[n] : "");
    for (int n = 0; n < MOST; n++) {
        value[n] = n % 13 == 7 ? 0.0 : 0.25 * (n % 9) - 0.5;
        weight[n] = n % 17 != 3;
    }
    table.axes = *copy[1] ? copy[1] : NULL;
    table.rank = extents_of(copy[2], table.extent);
    table.value = value;
    table.variable = *copy[4] == '*';
    table.ant = words_of(copy[4] + table.variable, ant);
    table.pol = words_of(copy[5], pol);
    table.dir = words_of(copy[6], dir);
    table.time = numbers_of(copy[7], time);
    table.freq = numbers_of(copy[8], freq);
    if (*copy[9] == 'f') table.type = H5T_IEEE_F32BE;
    if (*copy[9] == 'i') table.type = H5T_STD_I16LE;
    if (table.rank > 0) {
        h5parm_add(file, &table);
        char path[64];
        snprintf(path, sizeof path, "sol000/%s", name);
        hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
        put_weights(group, copy[3], weight);
        H5Gclose(group);
    }
    for (int n = 0; n < LINES; n++)
        free(copy[n]);
}

static void put_file(char *line[LINES])
{
    char path[512];
    snprintf(path, sizeof path, "%s/a.h5", fuzz_folder());
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) fuzz_fail("no file could be made");
    put_table(file, line, "amplitude000", "amplitude");
    put_table(file, line, "phase000", "");
    H5Fclose(file);
}
#endif

static void fill_tables(ct_step *step)
{
    const ct_stage *stage = step->stage;
    for (int p = 0; p < CT_PORTS && stage->ports[p].name; p++) {
        ct_error err = {0};
        ct_array table = step->port[p];
        if (stage->ports[p].direction != CT_TABLE || table.type == CT_NONE) continue;
        ct_array_dense(&table, NULL);
        table.data = calloc(1, ct_array_bytes(&table));
        table.meta = step->port[0].meta;
        fuzz_said(stage->table(step, stage->ports[p].name, &table, &err), &err);
        free(table.data);
    }
}

/* Two stations of three channels, whose names an H5parm may have. */
static void try_gains(const char *gains)
{
    static const double hz[] = {1.5e8, 1.51e8, 1.52e8};
    static const char *const names[] = {"CS001", "CS002", NULL};
    static const ct_observation observation = {.names = names};
    const ct_source_location location = {.folder = fuzz_folder(), .observation = &observation};
    const size_t room = strlen(gains) + 64;
    char *json = malloc(room);
    ct_value *value = NULL;
    ct_step *step = NULL;
    ct_error err = {0};
    snprintf(json, room, "{\"delays\": [[0], [1e-7]], \"gains\": %s}", gains);
    ct_status status = ct_value_parse(&value, json, "fuzz", &err);
    if (status == CT_OK)
        status = ct_step_new(&step, &ct_stage_delay, "node", value, NULL, &location, &err);
    if (status == CT_OK) {
        ct_array *input = &step->port[0];
        input->type = CT_CF32;
        ct_array_add(input, 'S', 2);
        ct_array_add(input, 'P', 2);
        ct_array_add(input, 'T', 32);
        ct_array_add(input, 'C', 3);
        input->meta = (ct_meta){.sample_time_s = 0.1,
                                .start_mjd = 59759,
                                .total = 1000,
                                .frequency_hz = hz,
                                .frequencies = 3};
        status = ct_step_infer(step, &err);
    }
    fuzz_said(status, &err);
    if (status == CT_OK) fill_tables(step);
    ct_step_free(step);
    ct_value_free(value);
    free(json);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *line[LINES] = {text};
    for (int n = 1; n < LINES && line[n - 1]; n++) {
        line[n] = strchr(line[n - 1], '\n');
        if (line[n]) *line[n]++ = 0;
    }
#ifdef CT_HAVE_HDF5
    if (strstr(text, "a.h5")) put_file(line);
#endif
    try_gains(text);
    free(text);
}
