/* tunables_search.c: better tunables for the choices and transposes that the best plan uses: each
 * value by itself against the defaults, then those that helped together, the most helpful first.
 * What was found is tried in the choices of the same step that could now be better.
 * Room: tuner/search. Knows declared values. Does not know what they mean. */
#include <math.h>
#include <string.h>

#include "candidate_plan.h"
#include "expand.h"
#include "fail.h"
#include "tuner.h"

/* What is not clearly faster is noise. */
#define TUNABLES_GAIN 0.97
#define TUNABLES_MORE 0.99

/* A step that takes less of the plan is not worth it. */
#define TUNABLES_WORTH 0.01

enum { TUNABLES_QUESTIONS = 256, TUNABLES_PARTS = 12, TUNABLES_CALL = 16 };

/* A tunable's name and its value as JSON. */
typedef struct value_member {
    const char *name, *text;
} value_member;

/* A value of a tunable, those of others that have to come with it, and how fast it was by itself.
 */
typedef struct value {
    const char *name;
    value_member *member;
    int members;
    double ratio;
} value;

typedef struct value_list {
    int count;
    value item[TUNABLES_QUESTIONS];
} value_list;

/* ---- what there is to try */

static bool tunables_is_same(const ct_value *a, const ct_value *b)
{
    const char *word = ct_value_text(a, NULL), *other = ct_value_text(b, NULL);
    return word && other ? !strcmp(word, other) : ct_value_int(a, 0) == ct_value_int(b, 1);
}

static ct_status tunables_member(ct_tuner *tuner, value *one, const char *name, const ct_value *at,
                                 ct_error *err)
{
    ct_text text = {0};
    ct_status status = ct_expand_value(&text, at, err);
    if (status == CT_OK) status = ct_text_check(&text, err);
    if (status == CT_OK)
        one->member[one->members++] = (value_member){ct_arena_copy(tuner->arena, name),
                                                     ct_arena_copy(tuner->arena, text.data)};
    ct_text_free(&text);
    return status == CT_OK ? ct_arena_check(tuner->arena, err) : status;
}

static ct_status tunables_add(ct_tuner *tuner, const char *name, const ct_value *at,
                              value_list *list, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *with = ct_value_get(at, "with");
    const size_t members = ct_value_count(with) + 1;
    value *one = &list->item[list->count];
    *one = (value){.member = ct_arena_get(tuner->arena, sizeof *one->member * members),
                   .ratio = INFINITY};
    CT_TRY(ct_arena_check(tuner->arena, err));
    CT_TRY(tunables_member(tuner, one, name, ct_value_get(at, "value"), err));
    for (size_t w = 0; w + 1 < members; w++)
        CT_TRY(tunables_member(tuner, one, ct_value_key(with, w), ct_value_at(with, w), err));
    one->name = one->member[0].name;
    list->count++;
out:
    return status;
}

static ct_status tunables_read_one(ct_tuner *tuner, const ct_value *tunable, value_list *list,
                                   ct_error *err)
{
    ct_status status = CT_OK;
    const char *name = ct_value_text(ct_value_get(tunable, "name"), "");
    const ct_value *values = ct_value_get(tunable, "values");
    for (size_t i = 0; i < ct_value_count(values) && list->count < TUNABLES_QUESTIONS; i++) {
        const ct_value *at = ct_value_at(values, i);
        const bool legal = ct_value_bool(ct_value_get(at, "legal"), false);
        const bool now =
            tunables_is_same(ct_value_get(tunable, "value"), ct_value_get(at, "value"));
        if (!now && (legal || ct_value_get(at, "with")))
            CT_TRY(tunables_add(tuner, name, at, list, err));
    }
out:
    return status;
}

static ct_status tunables_read(ct_tuner *tuner, const ct_question *q, value_list *list,
                               ct_error *err)
{
    ct_status status = CT_OK;
    char step[CT_SPACE_NAME];
    ct_text plan = {0};
    ct_value *answer = NULL;
    const ct_backend *backend = tuner->backend;
    list->count = 0;
    if (!backend->about) return CT_OK;
    CT_TRY(ct_candidate_plan_question(&plan, step, tuner->space, q, err));
    CT_TRY(backend->about(backend->of, "tunables", step, plan.data, &answer, err));
    const ct_value *tunables = ct_value_get(answer, "tunables");
    for (size_t i = 0; i < ct_value_count(tunables); i++)
        CT_TRY(tunables_read_one(tuner, ct_value_at(tunables, i), list, err));
out:
    ct_value_free(answer);
    ct_text_free(&plan);
    return status;
}

/* ---- asking */

/* Inserts it in the order of names; it replaces one of the same name. */
static void tunables_insert(value_member *all, int *count, const value_member *one)
{
    int at = 0;
    while (at < *count && strcmp(all[at].name, one->name) < 0)
        at++;
    if (at == *count || strcmp(all[at].name, one->name) != 0)
        memmove(&all[at + 1], &all[at], sizeof *all * (size_t)((*count)++ - at));
    all[at] = *one;
}

/* One text for one set, in whatever order its members were found: results and journals compare sets
 * by it. */
static const char *tunables_set(ct_tuner *tuner, const value *const *parts, int count)
{
    ct_text text = {0};
    value_member all[CT_TUNABLES + 1];
    int members = 0;
    for (int i = 0; i < count; i++)
        for (int m = 0; m < parts[i]->members && members < CT_TUNABLES; m++)
            tunables_insert(all, &members, &parts[i]->member[m]);
    for (int i = 0; i < members; i++) {
        ct_text_add(&text, i ? "," : "{");
        ct_text_add_json(&text, all[i].name);
        ct_text_add(&text, ":%s", all[i].text);
    }
    ct_text_add(&text, "}");
    const char *set = ct_arena_copy(tuner->arena, text.data);
    ct_text_free(&text);
    return set;
}

static double tunables_ratio(const ct_tuner *tuner, const ct_question *q)
{
    const ct_tried *tried = ct_results_find(tuner->results, q)->tried;
    while (tried && strcmp(tried->tunables, q->tunables) != 0)
        tried = tried->next;
    return tried ? tried->ratio : INFINITY;
}

/* Each by itself. */
static ct_status tunables_each(ct_tuner *tuner, const ct_question *at, value_list *list,
                               double share, ct_error *err)
{
    ct_status status = CT_OK;
    ct_question calls[TUNABLES_CALL];
    for (int i = 0; i < list->count; i += TUNABLES_CALL) {
        int count = 0;
        CT_TRY(ct_tuner_check_time(tuner, share, err));
        for (; count < TUNABLES_CALL && i + count < list->count; count++) {
            const value *one = &list->item[i + count];
            calls[count] = *at;
            calls[count].tunables = tunables_set(tuner, &one, 1);
        }
        tuner->left = list->count - i;
        CT_TRY(ct_tuner_ask(tuner, calls, count, false, err));
        for (int n = 0; n < count; n++)
            list->item[i + n].ratio = tunables_ratio(tuner, &calls[n]);
    }
out:
    tuner->left = 0;
    return status;
}

/* The best value of each tunable that helped, the most helpful first. */
static int tunables_helpful(const value_list *list, double plain, const value *out[TUNABLES_PARTS])
{
    int count = 0;
    for (; count < TUNABLES_PARTS; count++) {
        const value *best = NULL;
        for (int i = 0; i < list->count; i++) {
            const value *one = &list->item[i];
            bool taken = !(one->ratio < TUNABLES_GAIN * plain);
            for (int n = 0; n < count; n++)
                taken |= !strcmp(out[n]->name, one->name);
            if (!taken && (!best || one->ratio < best->ratio)) best = one;
        }
        if (!best) break;
        out[count] = best;
    }
    return count;
}

/* Adds one after the other to those that are kept. */
static ct_status tunables_together(ct_tuner *tuner, const ct_question *at, const value **helpful,
                                   int count, double share, ct_error *err)
{
    ct_status status = CT_OK;
    const value *kept[TUNABLES_PARTS];
    int keep = 1;
    double best = count > 0 ? helpful[0]->ratio : 0;
    for (int i = 1; i < count; i++) {
        ct_question q = *at;
        CT_TRY(ct_tuner_check_time(tuner, share, err));
        memcpy(kept, helpful, sizeof *kept * (size_t)keep);
        kept[keep] = helpful[i];
        q.tunables = tunables_set(tuner, kept, keep + 1);
        CT_TRY(ct_tuner_ask(tuner, &q, 1, false, err));
        if (tunables_ratio(tuner, &q) < TUNABLES_MORE * best) {
            best = tunables_ratio(tuner, &q);
            helpful[keep++] = helpful[i];
        }
    }
out:
    return status;
}

static ct_status tunables_search(ct_tuner *tuner, const ct_question *at, double share,
                                 ct_error *err)
{
    ct_status status = CT_OK;
    const value *helpful[TUNABLES_PARTS];
    value_list *list = ct_memory_get(sizeof *list);
    ct_result *entry = ct_results_find(tuner->results, at);
    CT_NEED(list, sizeof *list, err);
    CT_TRY(tunables_read(tuner, at, list, err));
    CT_TRY(tunables_each(tuner, at, list, share, err));
    const int count = tunables_helpful(list, entry->plain, helpful);
    CT_TRY(tunables_together(tuner, at, helpful, count, share, err));
    entry->tuned = true;
out:
    ct_memory_free(list);
    return status;
}

/* ---- where */

/* What the candidate is made of and was not tuned yet; the one that takes longest. False: none. */
static bool tunables_next(const ct_tuner *tuner, const ct_candidate *candidate, ct_question *out)
{
    ct_question parts[2 * CT_TUNER_BATCH];
    double most = 0.0;
    const int count = ct_refine_parts(tuner, candidate, parts, 2 * CT_TUNER_BATCH);
    for (int i = 0; i < count; i++) {
        const ct_result *entry = ct_results_find(tuner->results, &parts[i]);
        const double seconds = ct_results_seconds(tuner->results, &parts[i]);
        if (entry->tuned || !entry->known || !isfinite(entry->ratio) || seconds <= most) continue;
        most = seconds;
        *out = parts[i];
    }
    return most > TUNABLES_WORTH * candidate->seconds;
}

/* All choices of the question's node, or transposes of its array. */
static const ct_result *tunables_table(const ct_tuner *tuner, const ct_question *q, int64_t *all)
{
    if (q->node >= 0) {
        *all = tuner->space->node[q->node].choices;
        return tuner->results->of_node[q->node].choice;
    }
    const int64_t layouts = tuner->space->edge[q->edge].layouts;
    *all = layouts * layouts;
    return tuner->results->transpose[q->edge];
}

/* Sets that some other choice of the node, or transpose of the array, was found to be best with. */
static int tunables_found(const ct_tuner *tuner, const ct_question *q, ct_question *out, int room)
{
    int64_t all;
    const ct_result *entries = tunables_table(tuner, q, &all);
    int count = 0;
    for (int64_t i = 0; i < all && count < room; i++) {
        bool there = !entries[i].tuned || !entries[i].tunables;
        for (int n = 0; n < count && !there; n++)
            there = !strcmp(out[n].tunables, entries[i].tunables);
        if (there) continue;
        out[count] = *q;
        out[count++].tunables = entries[i].tunables;
    }
    return count;
}

static bool tunables_is_first(const ct_tuner *tuner, const ct_question *q)
{
    int64_t all;
    const ct_result *entries = tunables_table(tuner, q, &all);
    for (int64_t i = 0; i < all; i++)
        if (entries[i].tuned) return false;
    return true;
}

/* A step's first choice is searched; later ones take what was found there. */
static ct_status tunables_tune(ct_tuner *tuner, const ct_question *q, double share, ct_error *err)
{
    ct_status status = CT_OK;
    ct_question found[TUNABLES_PARTS];
    if (tunables_is_first(tuner, q)) return tunables_search(tuner, q, share, err);
    const int count = tunables_found(tuner, q, found, TUNABLES_PARTS);
    CT_TRY(ct_tuner_ask(tuner, found, count, false, err));
    ct_results_find(tuner->results, q)->tuned = true;
out:
    return status;
}

/* The best candidate of measured parts; infinity: there is none. */
static ct_status tunables_known(ct_tuner *tuner, ct_candidate *candidate, double *seconds,
                                ct_error *err)
{
    ct_status status = CT_OK;
    *seconds = INFINITY;
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_MEASURED, err));
    status = ct_cost_model_best(tuner->model, candidate, NULL);
    if (status == CT_OK) *seconds = candidate->seconds;
    if (status == CT_INVALID) status = CT_OK;
out:
    return status;
}

/* The best candidate at this price; *seconds infinity: there is none, or it is not worth measuring.
 */
static ct_status tunables_best(ct_tuner *tuner, ct_price price, ct_candidate *candidate,
                               double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    double known;
    CT_TRY(tunables_known(tuner, candidate, &known, err));
    *seconds = known;
    if (price == CT_PRICE_MEASURED) return CT_OK;
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, price, err));
    status = ct_cost_model_best(tuner->model, candidate, NULL);
    *seconds = status == CT_OK && candidate->seconds <= known * (1 - ct_tuner_within(tuner))
                   ? candidate->seconds
                   : INFINITY;
    if (status == CT_INVALID) status = CT_OK;
out:
    return status;
}

static ct_status tunables_of(ct_tuner *tuner, ct_price price, double share, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate candidate;
    ct_question q[TUNABLES_CALL];
    CT_TRY(ct_tuner_candidate(tuner, &candidate, err));
    for (;;) {
        double seconds;
        CT_TRY(tunables_best(tuner, price, &candidate, &seconds, err));
        if (!isfinite(seconds)) break;
        const int unknown = ct_refine_unknown(tuner, &candidate, q, TUNABLES_CALL);
        if (unknown > 0 && ct_refine_is_enough(tuner)) break;
        if (unknown == 0 && !tunables_next(tuner, &candidate, &q[0])) break;
        CT_TRY(ct_tuner_check_time(tuner, share, err)); /* only now: nothing may be left */
        CT_TRY(unknown > 0 ? ct_tuner_ask(tuner, q, unknown, false, err)
                           : tunables_tune(tuner, &q[0], share, err));
    }
out:
    return status;
}

ct_status ct_tunables_search_run(ct_tuner *tuner, double share, ct_error *err)
{
    tuner->doing = "tunables";
    const ct_status status = tunables_of(tuner, CT_PRICE_MEASURED, share, err);
    return status == CT_OK ? tunables_of(tuner, CT_PRICE_LEAST, share, err) : status;
}
