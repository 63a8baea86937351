/* plan_store_test.c: the best plan stays, the nearest one is found, and whatever else lies in the
 * folder does no harm. Plans are default ones that say that they were tuned.
 * Room: tuner/store (test). */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cornerturn_tune.h"
#include "file.h"
#include "memory.h"
#include "plan_key.h"

typedef struct shop {
    ct_context *context;
    ct_device *device;
    char data[64], folder[128];
} shop;

static void must(ct_status status, const ct_error *err)
{
    if (status != CT_OK) fail_msg("%s", err->text);
}

static ct_graph *graph_of(const shop *s, int channels, const char *fir, const char *pin)
{
    ct_text text = {0};
    ct_graph *graph = NULL;
    ct_error err = {0};
    ct_text_add(
        &text,
        "{ \"cornerturn\": 1, \"block\": { \"T\": 1024 }, \"nodes\": { \"sky\": { \"stage\": "
        "\"source.simulate\", \"stations\": 3, \"samples\": 4096 }, \"%s\": { \"stage\": "
        "\"fir\", \"input\": \"sky\", \"channels\": %d, \"taps\": 4%s }, \"out\": { \"stage\": "
        "\"sink.npy\", \"input\": \"%s\", \"file\": \"a.npy\" } } }",
        fir, channels, pin, fir);
    must(ct_graph_parse(&graph, s->context, text.data, "p.json", NULL, &err), &err);
    ct_text_free(&text);
    return graph;
}

/* Stores a plan that says this of itself; whether it was put. */
static bool keep(const shop *s, const ct_graph *graph, const char *tuned)
{
    ct_plan *plan = NULL;
    char *file = NULL;
    ct_error err = {0};
    must(ct_plan_default(&plan, graph, s->device, &err), &err);
    must(ct_plan_key_add(plan, s->device, &err), &err);
    plan->about[1] = tuned;
    must(ct_tune_keep(&file, plan, s->device, &err), &err);
    const bool put = file != NULL;
    free(file);
    ct_plan_free(plan);
    return put;
}

/* What is said; the plan is taken or not. */
static char *find(const shop *s, const ct_graph *graph, ct_tune_match match, bool taken)
{
    static char said[2048];
    ct_plan *plan = NULL;
    char *say = NULL;
    ct_error err = {0};
    must(ct_tune_stored_as(&plan, graph, s->device, match, &say, &err), &err);
    snprintf(said, sizeof said, "%s", say ? say : "");
    if ((plan != NULL) != taken) fail_msg("%s: %s", taken ? "not taken" : "taken", said);
    assert_null(strchr(said, '\n'));
    free(say);
    ct_plan_free(plan);
    return said;
}

#define SAYS(said, part)                                                                           \
    do {                                                                                           \
        const char *said_ = (said);                                                                \
        if (!strstr(said_, part)) fail_msg("\"%s\" is not in \"%s\"", part, said_);                \
    } while (0)

static void empty(const shop *s)
{
    char path[512];
    DIR *all = opendir(s->folder);
    const struct dirent *entry;
    while (all && (entry = readdir(all))) {
        snprintf(path, sizeof path, "%s/%s", s->folder, entry->d_name);
        if (entry->d_name[0] != '.') remove(path);
    }
    if (all) closedir(all);
}

static void best_stays(void **state)
{
    const shop *s = *state;
    ct_graph *graph = graph_of(s, 8, "fir", "");
    empty(s);
    assert_string_equal(find(s, graph, CT_TUNE_MATCH_USUAL, false), "");
    assert_false(keep(s, graph, "{\"ratio\":1.0,\"complete\":false}"));
    assert_true(keep(s, graph, "{\"ratio\":0.5,\"seconds\":1,\"complete\":false}"));
    SAYS(find(s, graph, CT_TUNE_MATCH_EXACT, true), ", by a search that was cut short");
    assert_true(
        keep(s, graph,
             "{\"ratio\":0.7,\"seconds\":1,\"date\":\"2026-11-23T01:02:03Z\",\"complete\":true}"));
    SAYS(find(s, graph, CT_TUNE_MATCH_EXACT, true),
         ".json, 0.70 of the default plan's time, of 2026-11-23");
    assert_false(keep(s, graph, "{\"ratio\":0.8,\"seconds\":1,\"complete\":true}"));
    assert_false(keep(s, graph, "{\"ratio\":0.3,\"seconds\":1,\"complete\":false}"));
    assert_false(
        keep(s, graph, "{\"ratio\":0.3,\"seconds\":1,\"only\":[\"fir\"],\"complete\":true}"));
    assert_false(keep(s, graph, "{\"ratio\":0.3,\"seconds\":1,\"memory\":1000,\"complete\":true}"));
    SAYS(find(s, graph, CT_TUNE_MATCH_EXACT, true), ", 0.70 of");
    assert_true(keep(s, graph, "{\"ratio\":0.6,\"seconds\":1,\"complete\":true}"));
    SAYS(find(s, graph, CT_TUNE_MATCH_EXACT, true), ", 0.60 of");
    ct_graph_free(graph);
}

static void nearest_is_taken(void **state)
{
    const shop *s = *state;
    ct_graph *small = graph_of(s, 8, "fir", ""), *large = graph_of(s, 64, "fir", ""),
             *between = graph_of(s, 16, "filter", ""),
             *pinned = graph_of(s, 8, "fir",
                                ", \"layout\": { \"read\": \"TPS\", \"write\": \"CTSP\" }, "
                                "\"tunables\": { \"TILE_T\": 4, \"CELL_T\": 4 }");
    empty(s);
    assert_true(keep(s, large, "{\"ratio\":0.64,\"seconds\":1,\"complete\":true}"));
    SAYS(find(s, between, CT_TUNE_MATCH_USUAL, true), ", tuned for C=64 of \"filter\", here C=16");
    assert_true(keep(s, small, "{\"ratio\":0.08,\"seconds\":1,\"complete\":true}"));
    SAYS(find(s, between, CT_TUNE_MATCH_USUAL, true),
         ", 0.08 of the default plan's time, tuned for C=8");
    SAYS(find(s, between, CT_TUNE_MATCH_EXACT, false),
         "the default plan, a stored plan is not used: ");
    SAYS(find(s, pinned, CT_TUNE_MATCH_USUAL, true),
         "0.08 of the default plan's time, tuned for other parameters or pins of \"fir\"");
    SAYS(find(s, large, CT_TUNE_MATCH_USUAL, true), ", 0.64 of the default plan's time");
    s->device->compute_units = 1;
    SAYS(find(s, large, CT_TUNE_MATCH_USUAL, false),
         "tuned elsewhere: its cores is \"2\", this one's \"1\"");
    SAYS(find(s, large, CT_TUNE_MATCH_NEAREST, true), "tuned elsewhere: its cores");
    s->device->compute_units = 2;
    ct_graph_free(small);
    ct_graph_free(large);
    ct_graph_free(between);
    ct_graph_free(pinned);
}

/* The file's text with one of its parts replaced, under another name of the same graph. */
static void leave(const shop *s, const char *text, const char *name)
{
    char path[512];
    ct_error err = {0};
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    must(ct_file_write(path, text, strlen(text), &err), &err);
}

static void others_do_no_harm(void **state)
{
    const shop *s = *state;
    char path[512] = "", name[300] = "", pipe[600], *text = NULL;
    ct_graph *graph = graph_of(s, 8, "fir", "");
    const struct dirent *entry;
    ct_error err = {0};
    empty(s);
    assert_true(keep(s, graph, "{\"ratio\":0.5,\"seconds\":1,\"complete\":true}"));
    DIR *all = opendir(s->folder);
    while ((entry = readdir(all)))
        if (strstr(entry->d_name, ".json")) snprintf(name, sizeof name, "%s", entry->d_name);
    closedir(all);
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    must(ct_file_read(&text, NULL, path, &err), &err);
    char *gone = strstr(text, "\n    \"fir\": {"), *end = text + strlen(text);
    assert_non_null(gone);

    name[17] = '0'; /* beside it, of the same graph of stages: */
    name[18] = '1';
    leave(s, "", name);
    name[18] = '2';
    leave(s, "{ \"cornerturn_plan\": 2, \"nodes\": 7 }", name);
    name[18] = '3';
    end[-200] = '\0'; /* torn */
    leave(s, text, name);
    end[-200] = ' ';
    name[18] = '4';
    memcpy(gone + 6, "fur", 3); /* of a node that is gone */
    leave(s, text, name);
    memcpy(gone + 6, "fir", 3);
    name[18] = '5';
    snprintf(pipe, sizeof pipe, "%s/%s", s->folder, name);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    leave(s, "{}", "0123456789abcdef-0123456789abcdef.json"); /* an older key */
    SAYS(find(s, graph, CT_TUNE_MATCH_USUAL, true), ", 0.50 of the default plan's time");
    remove(path);
    SAYS(find(s, graph, CT_TUNE_MATCH_USUAL, false), "a stored plan is not used: ");
    leave(s, "torn", strrchr(path, '/') + 1);
    assert_true(keep(s, graph, "{\"ratio\":0.9,\"seconds\":1,\"complete\":true}"));
    SAYS(find(s, graph, CT_TUNE_MATCH_USUAL, true), ", 0.90 of the default plan's time");
    remove(pipe);
    ct_memory_free(text);
    ct_graph_free(graph);
}

/* Two processes that store at the same time: the best of all is there, whole. */
static void two_jobs_store(void **state)
{
    const shop *s = *state;
    static const char *const tuned[2][3] = {{"{\"ratio\":0.9,\"seconds\":1,\"complete\":true}",
                                             "{\"ratio\":0.41,\"seconds\":1,\"complete\":true}",
                                             "{\"ratio\":0.8,\"seconds\":1,\"complete\":true}"},
                                            {"{\"ratio\":0.7,\"seconds\":1,\"complete\":true}",
                                             "{\"ratio\":0.42,\"seconds\":1,\"complete\":true}",
                                             "{\"ratio\":0.95,\"seconds\":1,\"complete\":true}"}};
    ct_graph *graph = graph_of(s, 8, "fir", "");
    empty(s);
    for (int job = 0; job < 2; job++)
        if (fork() == 0) {
            for (int i = 0; i < 24; i++)
                (void)keep(s, graph, tuned[job][i % 3]);
            _exit(0);
        }
    for (int job = 0; job < 2; job++) {
        int code = 1;
        assert_true(wait(&code) > 0);
        assert_int_equal(code, 0);
    }
    SAYS(find(s, graph, CT_TUNE_MATCH_EXACT, true), ", 0.41 of the default plan's time");
    ct_graph_free(graph);
}

static int open_shop(void **state)
{
    static shop s;
    static ct_device device = {.name = "a device", .driver = "1", .compute_units = 2};
    snprintf(s.data, sizeof s.data, "/tmp/plan_store_test_XXXXXX");
    if (!mkdtemp(s.data)) return -1;
    snprintf(s.folder, sizeof s.folder, "%s/cornerturn/plans", s.data);
    setenv("XDG_DATA_HOME", s.data, 1);
    s.device = &device;
    *state = &s;
    return ct_context_open(&s.context, NULL);
}

static int close_shop(void **state)
{
    char command[128];
    const shop *s = *state;
    snprintf(command, sizeof command, "rm -rf %s", s->data);
    ct_context_free(s->context);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_stays), cmocka_unit_test(nearest_is_taken),
        cmocka_unit_test(others_do_no_harm), cmocka_unit_test(two_jobs_store)};
    return cmocka_run_group_tests(tests, open_shop, close_shop);
}
