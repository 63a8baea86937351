/* journal_identity.c: whose journal it is: what has to be the same for a run to go on where another
 * one ended. Room: core/resume. Knows pipelines, plans and devices by their checksums. Does not
 * know what they do. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "checksum.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "expand.h"
#include "file_conflicts.h"
#include "ranks.h"
#include "run_resume.h"
#include "text.h"

enum { JOURNAL_FORMAT = 1 };

static void add_text(ct_text *json, const char *key, const char *text)
{
    ct_text_add(json, ", \"%s\": ", key);
    ct_text_add_json(json, text);
}

static void add_sum(ct_text *json, const char *key, const char *text)
{
    char sum[32];
    snprintf(sum, sizeof sum, "%016" PRIx64, ct_checksum(text, strlen(text)));
    add_text(json, key, sum);
}

static void add_settings(ct_text *json, const ct_graph *graph)
{
    ct_text root = {0};
    (void)ct_expand_digest(&root, graph->root, NULL);
    add_sum(json, "settings", root.data ? root.data : "");
    ct_text_end(&root, json);
}

void ct_journal_identity_plan(ct_text *json, const ct_plan *plan)
{
    ct_text nodes = {0};
    ct_plan_print_nodes(&nodes, plan);
    add_sum(json, "plan", nodes.data ? nodes.data : "");
    ct_text_end(&nodes, json);
}

static void add_device(ct_text *json, const ct_device *device)
{
    ct_text name = {0};
    ct_text_add(&name, "%s, %s, %s", device->name, device->platform_name, device->driver);
    add_text(json, "device", name.data ? name.data : "");
    ct_text_end(&name, json);
}

/* All files that are read, but for the pipeline, which has its own checksum. */
static void add_inputs(ct_text *json, const ct_graph *graph)
{
    const char *file, *comma = "";
    bool written = false;
    ct_text_add(json, ", \"inputs\": [");
    for (int i = 0; (file = ct_file_conflicts_file(graph, i, &written)); i++) {
        struct stat about = {0};
        if (written || strcmp(file, graph->file) == 0) continue;
        (void)stat(file, &about);
        ct_text_add(json, "%s{\"bytes\": %lld, \"changed\": \"%lld.%09ld\"", comma,
                    (long long)about.st_size, (long long)about.st_mtim.tv_sec,
                    about.st_mtim.tv_nsec);
        add_text(json, "file", file);
        ct_text_add(json, "}");
        comma = ", ";
    }
    ct_text_add(json, "]");
}

/* Says nothing if there is one process. */
static void add_ranks(ct_text *json, const ct_ranks *ranks)
{
    char text[96];
    if (ct_ranks_size(ranks) < 2) return;
    snprintf(text, sizeof text, "%d %s", ct_ranks_size(ranks), ranks->grid);
    add_text(json, "ranks", text);
}

void ct_journal_identity_print(ct_text *json, const ct_run *run)
{
    const ct_graph *graph = run->plan->graph;
    ct_text_add(json, "{\"cornerturn_journal\": %d", JOURNAL_FORMAT);
    add_text(json, "version", ct_version());
    add_sum(json, "pipeline", graph->text);
    add_settings(json, graph);
    ct_text_add(json, ", \"block\": %" PRId64, graph->block);
    add_ranks(json, graph->ranks);
    ct_journal_identity_plan(json, run->plan);
    add_device(json, run->device);
    add_inputs(json, graph);
    ct_text_add(json, "}");
}

static ct_status other(const ct_run *run, ct_error *err, const char *what)
{
    return ct_error_add(err, CT_INVALID,
                        "%s: the run of this journal had %s: expected the same to go on from it "
                        "(without --resume the run begins anew)",
                        ct_journal_name(run->resume->journal), what);
}

static const char *text_of(const ct_value *line, const char *key)
{
    return ct_value_text(ct_value_get(line, key), "");
}

/* The name of the first input that has changed; NULL: none has. */
static const char *other_input(const ct_value *was, const ct_value *is)
{
    const ct_value *before = ct_value_get(was, "inputs"), *now = ct_value_get(is, "inputs");
    for (size_t i = 0; i < ct_value_count(now); i++) {
        const ct_value *one = ct_value_at(before, i), *file = ct_value_at(now, i);
        const bool same = one &&
                          ct_value_int(ct_value_get(one, "bytes"), -1) ==
                              ct_value_int(ct_value_get(file, "bytes"), -1) &&
                          strcmp(text_of(one, "changed"), text_of(file, "changed")) == 0;
        if (!same) return text_of(file, "file");
    }
    return ct_value_count(before) == ct_value_count(now) ? NULL : "other inputs";
}

/* A run that changed its plan while it went on may be gone on with by any plan that it has had. */
static bool was_had(const ct_run *run, const char *plan)
{
    const ct_journal *journal = run->resume->journal;
    for (size_t n = 1; n < ct_journal_count(journal); n++)
        if (strcmp(text_of(ct_journal_line(journal, n), "plan"), plan) == 0) return true;
    return false;
}

/* The order is such that the first difference causes those that follow. */
static ct_status compare(const ct_run *run, const ct_value *was, const ct_value *is, ct_error *err)
{
    static const struct {
        const char *key, *what;
    } texts[] = {{"version", "another version of Cornerturn"},
                 {"pipeline", "another pipeline"},
                 {"settings", "other settings (--set, --dump)"},
                 {"device", "another device"},
                 {NULL, "another block"},
                 {"inputs", NULL},
                 {"ranks", "another number of ranks, or another grid"},
                 {"plan", "another plan"}};
    char what[512];
    if (ct_value_int(ct_value_get(was, "cornerturn_journal"), 0) != JOURNAL_FORMAT)
        return other(run, err, texts[0].what);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *key = texts[i].key ? texts[i].key : "block";
        const char *file = texts[i].what ? NULL : other_input(was, is);
        if (file) {
            snprintf(what, sizeof what, "%s with another length or time of change", file);
            return other(run, err, what);
        }
        const bool same =
            ct_value_int(ct_value_get(was, key), 0) == ct_value_int(ct_value_get(is, key), 0) &&
            strcmp(text_of(was, key), text_of(is, key)) == 0;
        if (same || (strcmp(key, "plan") == 0 && was_had(run, text_of(is, key)))) continue;
        snprintf(what, sizeof what, texts[i].key == texts[0].key ? "%s (%s)" : "%s", texts[i].what,
                 text_of(was, key));
        return other(run, err, what);
    }
    return CT_OK;
}

ct_status ct_journal_identity_check(const ct_run *run, const ct_value *line, ct_error *err)
{
    ct_text now = {0};
    ct_value *is = NULL;
    ct_journal_identity_print(&now, run);
    ct_status status = ct_text_check(&now, err);
    if (status == CT_OK)
        status = ct_value_parse(&is, now.data, ct_journal_name(run->resume->journal), err);
    if (status == CT_OK) status = compare(run, line, is, err);
    ct_value_free(is);
    ct_text_free(&now);
    return status;
}
