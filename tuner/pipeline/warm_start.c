/* warm_start.c: see warm_start.h. Of journals ratios are taken, not seconds, and of what was
 * measured with the default tunables.
 * Room: tuner/pipeline. */
#include "warm_start.h"

#include <string.h>

#include "expand.h"
#include "fail.h"
#include "journal_lines.h"
#include "kept_journals.h"
#include "plan_store.h"
#include "prior.h"

/* How far the logarithm of a ratio may be from the one here: on this device with other sizes, and
 * on another device. */
#define WARM_SAME 0.1
#define WARM_OTHER 0.2

typedef struct warm_journals {
    ct_tune_state *t;
    ct_prior *prior[TUNE_VARIANTS];
    int64_t lines; /* that were taken */
    ct_arena *arena;
} warm_journals;

void ct_warm_start_add_steps(ct_text *json, const ct_graph *graph)
{
    bool any = false;
    for (int n = 0; n < graph->count; n++) {
        const ct_step *step = graph->nodes[n].step;
        if (ct_role_of(step) != CT_ROLE_KERNEL) continue;
        ct_text_add(json, any ? "," : ",\"steps\":{");
        ct_text_add_json(json, graph->nodes[n].name);
        ct_text_add(json, ":");
        ct_text_add_json(json, step->stage->name);
        any = true;
    }
    if (any) ct_text_add(json, "}");
}

/* ---- one journal */

/* Whether the journal's node has the same stage; where it says nothing of stages, its name has to
 * do. */
static bool warm_is_step(const ct_value *head, const ct_space *space, const ct_question *q)
{
    const int s = q->node >= 0 ? q->node : space->edge[q->edge].writer;
    const ct_space_node *node = &space->node[s];
    const char *stage = ct_value_text(ct_value_get(ct_value_get(head, "steps"), node->name), NULL);
    const bool silent = !ct_value_get(head, "steps") || !node->free;
    return silent || (stage && !strcmp(stage, node->step->stage->name));
}

static void warm_line(warm_journals *w, const ct_value *head, const ct_value *line,
                      double deviation)
{
    for (int v = 0; v < w->t->variants; v++) {
        ct_question q;
        ct_answer answer;
        double ratio[3];
        const ct_space *space = w->t->tuner[v]->space;
        if (ct_journal_lines_read(line, space, &q, &answer, w->arena, NULL) != CT_OK) continue;
        if (q.tunables || answer.end != CT_END_correct || answer.count == 0) continue;
        if (!warm_is_step(head, space, &q)) continue;
        if (ct_tune_ratio(ratio, answer.seconds, answer.default_seconds, (size_t)answer.count,
                          NULL) != CT_OK)
            continue;
        ct_prior_add(w->prior[v], &q, ratio[0], deviation);
        w->lines++;
    }
}

/* The device's key, as text. */
static bool warm_is_here(const ct_tune_state *t, const ct_value *head)
{
    ct_text own = {0}, other = {0};
    ct_value *key = NULL;
    bool same = ct_value_parse(&key, t->key.data, "the key", NULL) == CT_OK &&
                ct_expand_value(&own, key, NULL) == CT_OK && ct_value_get(head, "key") &&
                ct_expand_value(&other, ct_value_get(head, "key"), NULL) == CT_OK;
    same = same && own.data && other.data && !strcmp(own.data, other.data);
    ct_value_free(key);
    ct_text_free(&own);
    ct_text_free(&other);
    return same;
}

static ct_status warm_journal(warm_journals *w, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    ct_tuning_journal *journal = NULL;
    CT_TRY(ct_tuning_journal_load(&journal, file, err));
    const ct_value *head = ct_tuning_journal_line(journal, 0);
    const double deviation = warm_is_here(w->t, head) ? WARM_SAME : WARM_OTHER;
    for (size_t n = 1; n < ct_tuning_journal_count(journal); n++)
        warm_line(w, head, ct_tuning_journal_line(journal, n), deviation);
out:
    ct_tuning_journal_close(journal);
    return status;
}

/* ---- all of them */

static ct_status warm_named(warm_journals *w, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t before = w->lines;
    CT_TRY(warm_journal(w, file, err));
    if (w->lines == before)
        status = ct_error_add(err, CT_INVALID,
                              "--from: %s: expected a journal of a pipeline like this one: it has "
                              "no measurement of any node of this pipeline",
                              file);
out:
    return status;
}

/* One that cannot be read, or is of other pipelines, is passed over. */
static ct_status warm_kept(warm_journals *w, ct_error *err)
{
    ct_status status = CT_OK;
    const char *files[CT_KEPT_JOURNALS];
    int count;
    CT_TRY(ct_kept_journals_list(files, &count, w->arena, err));
    for (int i = 0; i < count; i++)
        (void)warm_journal(w, files[i], NULL);
out:
    return status;
}

ct_status ct_warm_start_begin(ct_tune_state *t, ct_error *err)
{
    ct_status status = CT_OK;
    const char *const *from = t->options.from;
    warm_journals w = {.t = t, .arena = ct_arena_new()};
    CT_NEED(w.arena, 0, err);
    for (int v = 0; v < t->variants; v++)
        CT_TRY(ct_prior_new(&w.prior[v], t->tuner[v]->space, err));
    for (int i = 0; from && from[i]; i++)
        if (strcmp(from[i], "none") != 0) CT_TRY(warm_named(&w, from[i], err));
    if (t->options.kept && !t->options.costs && !(from && from[0])) CT_TRY(warm_kept(&w, err));
    for (int v = 0; v < t->variants; v++)
        CT_TRY(ct_prior_give(w.prior[v], t->tuner[v]->results, err));
out:
    for (int v = 0; v < TUNE_VARIANTS; v++)
        ct_prior_free(w.prior[v]);
    ct_arena_free(w.arena);
    return status;
}

void ct_warm_start_end(const ct_tune_state *t)
{
    ct_text name = {0};
    char digest[CT_DIGEST_SIZE];
    if (!t->options.kept || t->options.costs || !t->journal) return;
    if (ct_plan_store_digest(digest, t->graph, NULL) == CT_OK) {
        ct_text_add(&name, "%s %s", digest, t->key.data);
        if (ct_text_check(&name, NULL) == CT_OK) {
            ct_digest_text(digest, name.data, name.length);
            (void)ct_kept_journals_keep(t->options.journal, digest, NULL);
        }
    }
    ct_text_free(&name);
}
