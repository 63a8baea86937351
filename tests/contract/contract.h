/* contract.h: what the tests of the contract share: a pipeline in a folder of its own, and ends
 * that do as they are told.
 *
 * Room: tests. Knows only cornerturn.h, as a program does that embeds the library. */
#ifndef CT_TESTS_CONTRACT_H
#define CT_TESTS_CONTRACT_H
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cornerturn_stage.h"

#define CONTRACT_HEAD "{\"cornerturn\": 1, \"block\": {\"T\": 240}, \"nodes\": {"
#define CONTRACT_SOURCE                                                                            \
    "\"in\": {\"stage\": \"source.simulate\", \"stations\": 2, \"samples\": 960},"
#define CONTRACT_SINK(name, input)                                                                 \
    "\"" name "\": {\"stage\": \"sink.npy\", \"input\": \"" input "\", \"file\": \"" name ".npy\"" \
    "}"
/* Four blocks: as they come, filtered, and two files. */
#define CONTRACT_PIPELINE                                                                          \
    CONTRACT_HEAD CONTRACT_SOURCE                                                                  \
        "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 4, \"taps\": "             \
        "3}," CONTRACT_SINK("raw", "in") "," CONTRACT_SINK("out", "fir") "}}"

typedef struct contract {
    char folder[32], name[48];
    ct_context *context;
    ct_device *device;
    ct_graph *graph;
    ct_plan *plan;
    ct_run *run;
} contract;

static inline void contract_must(ct_status status, const ct_error *err)
{
    if (status != CT_OK) fail_msg("status %d: %s", (int)status, err->text);
}

static inline void contract_open(contract *c, const char *pipeline)
{
    ct_error err = {0};
    memset(c, 0, sizeof *c);
    strcpy(c->folder, "/tmp/ct_contract_XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->name, sizeof c->name, "%s/p.json", c->folder);
    contract_must(ct_context_open(&c->context, &err), &err);
    contract_must(ct_device_open(&c->device, NULL, &err), &err);
    contract_must(ct_graph_parse(&c->graph, c->context, pipeline, c->name, NULL, &err), &err);
    contract_must(ct_plan_default(&c->plan, c->graph, c->device, &err), &err);
    contract_must(ct_run_new(&c->run, c->plan, c->device, &err), &err);
}

/* How many files the folder has. */
static inline int contract_files(const contract *c)
{
    int count = 0;
    DIR *folder = opendir(c->folder);
    assert_non_null(folder);
    for (struct dirent *file; (file = readdir(folder)) != NULL;)
        count += file->d_name[0] != '.';
    closedir(folder);
    return count;
}

static inline void contract_close(contract *c)
{
    char command[64];
    ct_run_free(c->run);
    ct_plan_free(c->plan);
    ct_graph_free(c->graph);
    ct_device_free(c->device);
    ct_context_free(c->context);
    snprintf(command, sizeof command, "rm -r %s", c->folder);
    assert_int_equal(system(command), 0);
}

/* A source or sink that counts its calls and does something at one of them. */
typedef struct contract_end {
    int calls, at;         /* 1: the first; 0: never */
    ct_status then;        /* what it gives at that one */
    const char *sentence;  /* and says; NULL nothing */
    void (*act)(void *of); /* and does; NULL nothing */
    void *of;
    int64_t got; /* samples that it says it gave; 0: the block's */
} contract_end;

static inline ct_status contract_act(contract_end *end, ct_error *err)
{
    if (++end->calls != end->at) return CT_OK;
    if (end->act) end->act(end->of);
    if (end->sentence) return ct_error_add(err, end->then, "%s", end->sentence);
    return end->then;
}

static inline ct_status contract_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                                      ct_error *err)
{
    contract_end *end = (contract_end *)state;
    (void)flags;
    *got = end->got ? end->got : ct_array_extent(block, 'T');
    memset(block->data, end->calls, ct_array_bytes(block));
    return contract_act(end, err);
}

static inline ct_status contract_write(void *state, const ct_array *block, int64_t first,
                                       int64_t count, ct_error *err)
{
    (void)block, (void)first, (void)count;
    return contract_act((contract_end *)state, err);
}

static inline void contract_bind(ct_run *run, const char *node, contract_end *end)
{
    ct_error err = {0};
    const ct_io io = {sizeof io, end, contract_read, contract_write, NULL};
    contract_must(ct_run_bind(run, node, &io, &err), &err);
}

#endif
