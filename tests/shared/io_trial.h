/* io_trial.h: what the tests of io/ share: a step from JSON text, a folder for files, blocks.
 * Room: tests. Knows core/step/step.h. Does not know formats. */
#ifndef CT_TESTS_IO_TRIAL_H
#define CT_TESTS_IO_TRIAL_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cornerturn_stage.h"
#include "layout.h"
#include "step.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIAL_UNUSED __attribute__((unused))

typedef struct trial {
    ct_value *value;
    ct_step *step;
    void *state;
    ct_array block;
} trial;

static char trial_folder[64];

TRIAL_UNUSED static int trial_begin(void **state)
{
    (void)state;
    snprintf(trial_folder, sizeof trial_folder, "/tmp/ct_io_XXXXXX");
    return mkdtemp(trial_folder) ? 0 : -1;
}

TRIAL_UNUSED static int trial_files(void)
{
    int count = 0;
    DIR *folder = opendir(trial_folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(folder);
    return count;
}

TRIAL_UNUSED static int trial_end(void **state)
{
    (void)state;
    char path[512];
    DIR *folder = opendir(trial_folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", trial_folder, entry->d_name);
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) unlink(path);
    }
    closedir(folder);
    return rmdir(trial_folder);
}

TRIAL_UNUSED static const char *trial_path(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, 512, "%s/%s", trial_folder, name);
    return path;
}

TRIAL_UNUSED static void trial_write(const char *path, const void *data, size_t bytes)
{
    unlink(path); /* a new file is quicker than a cut one */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* The whole file; the caller frees it. */
TRIAL_UNUSED static uint8_t *trial_read(const char *path, size_t *bytes)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(stat(path, &about), 0);
    *bytes = (size_t)about.st_size;
    uint8_t *data = malloc(*bytes + 1);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    data[*bytes] = 0;
    fclose(file);
    return data;
}

/* NULL where the data are not there: the caller skips. */
TRIAL_UNUSED static const char *trial_data(const char *name)
{
    static char path[4][512];
    static unsigned next;
    char *out = path[next++ % 4];
    const char *folder = getenv("CORNERTURN_TEST_DATA");
    snprintf(out, 512, "%s/%s", folder ? folder : "../shared/data", name);
    if (access(out, R_OK) == 0) return out;
    print_message("no %s: skipped\n", out);
    return NULL;
}

/* A .npy file with this dictionary. */
TRIAL_UNUSED static void trial_npy(const char *path, const char *dictionary, const void *numbers,
                                   size_t bytes)
{
    const size_t length = strlen(dictionary);
    char *file = calloc(1, 10 + length + bytes);
    if (!file) abort();
    memcpy(file, "\x93NUMPY\x01", 7);
    file[8] = (char)length;
    memcpy(file + 10, dictionary, length);
    memcpy(file + 10 + length, numbers, bytes);
    trial_write(path, file, 10 + length + bytes);
    free(file);
}

/* A step from JSON text in which every ' stands for ". */
TRIAL_UNUSED static ct_status trial_make(trial *out, const ct_stage *stage, ct_error *err,
                                         const char *format, ...)
{
    char json[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(json, sizeof json, format, args);
    va_end(args);
    for (char *at = json; *at; at++)
        if (*at == '\'') *at = '"';
    memset(out, 0, sizeof *out);
    ct_status status = ct_value_parse(&out->value, json, "trial", err);
    if (status == CT_OK)
        status = ct_step_new(&out->step, stage, "node", out->value, NULL, NULL, err);
    return status;
}

/* What a run does with a sink, or a source, at its end. */
TRIAL_UNUSED static ct_status trial_close(trial *t, bool complete, ct_error *err)
{
    ct_status status = t->step->stage->io.close(t->state, complete, err);
    ct_staged *staged = ct_step_staged(t->step);
    if (complete && status == CT_OK) status = ct_staged_settle(&staged, 1, err);
    if (complete && status == CT_OK) status = ct_staged_publish(&staged, 1, err);
    if (staged) ct_staged_discard(staged);
    return status;
}

TRIAL_UNUSED static void trial_free(trial *t)
{
    free(t->block.data);
    ct_step_free(t->step);
    ct_value_free(t->value);
    memset(t, 0, sizeof *t);
}

/* A host array like port 0 with this many samples, in this order, with `before` samples in front
 * and one element of `gap` between any two: all bytes poisoned. */
TRIAL_UNUSED static void trial_block(trial *t, int64_t samples, const char *order, int64_t before,
                                     int64_t gap)
{
    ct_layout layout = {.rank = (int)strlen(order)};
    ct_array *block = &t->block;
    free(block->data);
    *block = t->step->port[0];
    snprintf(layout.dim, sizeof layout.dim, "%s", order);
    block->extent[ct_array_find(block, 'T')] = samples + before;
    ct_array_dense(block, &layout);
    size_t bytes = ct_array_bytes(block) * (size_t)gap + 64;
    for (int i = 0; i < block->rank; i++)
        block->stride[i] *= gap;
    block->offset = before * ct_array_stride(block, 'T');
    block->extent[ct_array_find(block, 'T')] = samples;
    block->data = malloc(bytes);
    memset(block->data, 0xA5, bytes);
}

/* The element at these places of the array's dimensions, in its natural order. */
TRIAL_UNUSED static int64_t trial_at(const ct_array *array, const int64_t *index)
{
    int64_t at = array->offset;
    for (int i = 0; i < array->rank; i++)
        at += index[i] * array->stride[i];
    return at;
}

TRIAL_UNUSED static bool trial_next(const ct_array *array, int64_t *index)
{
    for (int i = array->rank; i-- > 0; index[i] = 0)
        if (++index[i] < array->extent[i]) return true;
    return false;
}

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        ct_error trial_error = {0};                                                                \
        ct_error *err = &trial_error;                                                              \
        if ((call) != CT_OK) fail_msg("%s", err->text);                                            \
    } while (0)

/* Fails with this status and a sentence that holds this text. */
#define assert_fails(call, expected, part)                                                         \
    do {                                                                                           \
        ct_error trial_error = {0};                                                                \
        ct_error *err = &trial_error;                                                              \
        assert_int_equal((call), (expected));                                                      \
        if (!strstr(err->text, (part))) fail_msg("no \"%s\" in: %s", (part), err->text);           \
    } while (0)

#endif
