/* resume.h: what the tests of going on share: a pipeline of three sinks, and runs of it that are
 * cancelled.
 *
 * Room: tests. */
#ifndef CT_TESTS_RESUME_H
#define CT_TESTS_RESUME_H
#include "contract.h"

#include <sys/stat.h>

#define SAMPLES 960
#define OUTPUTS 4
#define SINK(name, stage, ending, layout)                                                          \
    "\"" name "\": {\"stage\": \"" stage "\", \"input\": \"in\", \"file\": \"" name ending         \
    "\", \"layout\": \"" layout "\"}"

/* Seven blocks; no packet ends with one. */
static const char pipeline[] =
    "{\"cornerturn\": 1, \"block\": {\"T\": 150}, \"nodes\": {\"in\": {\"stage\": \"source.raw\", "
    "\"file\": \"in.raw\", \"dims\": \"TP\", \"type\": \"ci8\", \"sizes\": {\"P\": 2}, "
    "\"sample_time_s\": 5.12e-6}," SINK("a", "sink.npy", ".npy", "PT") "," SINK(
        "b", "sink.lofar", ".udp", "PT") "," SINK("c", "sink.raw", ".raw", "TP") "}}";
static const char *const outputs[] = {"a.npy", "a.npy.json", "b.udp", "c.raw"};

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static inline const char *in_folder(const contract *c, const char *file)
{
    static char path[4][320];
    static unsigned next;
    char *out = path[next++ % 4];
    snprintf(out, 320, "%s/%s", c->folder, file);
    return out;
}

static inline void put(const contract *c, const char *file, const void *data, size_t size)
{
    FILE *to = fopen(in_folder(c, file), "w");
    assert_non_null(to);
    assert_int_equal(fwrite(data, 1, size, to), size);
    assert_int_equal(fclose(to), 0);
}

static inline bytes get(const contract *c, const char *file)
{
    bytes out = {malloc(65536), 0};
    FILE *from = fopen(in_folder(c, file), "r");
    if (!from) fail_msg("%s is not there", file);
    out.size = fread(out.data, 1, 65536, from);
    fclose(from);
    return out;
}

/* The hidden file with this ending, "" where there is none; *count: how many are hidden. */
static inline const char *hidden(const contract *c, const char *ending, int *count)
{
    static char name[256];
    DIR *folder = opendir(c->folder);
    name[0] = 0;
    *count = 0;
    for (struct dirent *file; (file = readdir(folder)) != NULL;) {
        if (strncmp(file->d_name, ".cornerturn", 11) != 0) continue;
        const size_t length = strlen(file->d_name), end = strlen(ending);
        ++*count;
        if (length > end && strcmp(file->d_name + length - end, ending) == 0)
            snprintf(name, sizeof name, "%s", file->d_name);
    }
    closedir(folder);
    return name;
}

static inline void begin(contract *c)
{
    ct_error err = {0};
    contract_must(ct_run_new(&c->run, c->plan, c->device, &err), &err);
}

static inline void end(contract *c)
{
    ct_run_free(c->run);
    c->run = NULL;
}

/* A run to the end, and what it gives. */
static inline void prepare(contract *c, bytes whole[OUTPUTS])
{
    ct_error err = {0};
    ct_status status = CT_OK;
    unsigned char data[SAMPLES * 4];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 37 + i / 251);
    memset(c, 0, sizeof *c);
    /* Nothing here asks for a disk that keeps its word, and this one is fast. */
    strcpy(c->folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/ct_XXXXXX" : "/tmp/ct_XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->name, sizeof c->name, "%s/p.json", c->folder);
    put(c, "in.raw", data, sizeof data);
    contract_must(ct_context_open(&c->context, &err), &err);
    contract_must(ct_device_open(&c->device, NULL, &err), &err);
    contract_must(ct_graph_parse(&c->graph, c->context, pipeline, c->name, NULL, &err), &err);
    contract_must(ct_plan_default(&c->plan, c->graph, c->device, &err), &err);
    begin(c);
    while (status == CT_OK)
        status = ct_run_block(c->run, &err);
    contract_must(ct_run_finish(c->run, &err), &err);
    end(c);
    for (int i = 0; i < OUTPUTS; i++) {
        whole[i] = get(c, outputs[i]);
        assert_int_equal(unlink(in_folder(c, outputs[i])), 0);
    }
    (void)unlink(in_folder(c, "c.raw.json"));
}

static inline void compare(const contract *c, bytes whole[OUTPUTS])
{
    int count;
    for (int i = 0; i < OUTPUTS; i++) {
        bytes found = get(c, outputs[i]);
        if (found.size != whole[i].size || memcmp(found.data, whole[i].data, found.size) != 0)
            fail_msg("%s is another than that of an undisturbed run", outputs[i]);
        free(found.data);
        (void)unlink(in_folder(c, outputs[i]));
    }
    (void)unlink(in_folder(c, "c.raw.json"));
    (void)hidden(c, "", &count);
    assert_int_equal(count, 0);
}

static inline void done(contract *c, bytes whole[OUTPUTS])
{
    for (int i = 0; i < OUTPUTS; i++)
        free(whole[i].data);
    contract_close(c);
}

/* So many blocks with a journal, then it is cancelled. */
static inline void some_blocks(contract *c, int64_t from, int blocks)
{
    ct_error err = {0};
    int64_t block = -1;
    begin(c);
    contract_must(ct_run_resume(c->run, 0, &block, &err), &err);
    assert_int_equal(block, from);
    for (int i = 0; i < blocks; i++)
        contract_must(ct_run_block(c->run, &err), &err);
    ct_run_cancel(c->run);
    assert_int_equal(ct_run_block(c->run, &err), CT_INTERRUPTED);
    end(c);
}

/* To the end, from whatever there is; the status of ct_run_resume. */
static inline ct_status go_on(contract *c, ct_error *err)
{
    memset(err, 0, sizeof *err);
    begin(c);
    ct_status status = ct_run_resume(c->run, 0, NULL, err);
    const ct_status begun = status;
    while (status == CT_OK)
        status = ct_run_block(c->run, err);
    if (begun == CT_OK && status == CT_EOF) contract_must(ct_run_finish(c->run, err), err);
    end(c);
    return begun;
}

#endif
