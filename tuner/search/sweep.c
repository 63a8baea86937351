/* sweep.c: the first phase: layouts of each axis that differ in their fastest dimensions, the
 * others as by default.
 * Room: tuner/search. Knows nodes and choices. Does not know arrays between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "tuner.h"

/* Questions at a time; fastest dimensions by which layouts are told apart. */
enum { SWEEP_CALL = 16, SWEEP_FAST = 2 };

/* Choices of a node's cross by which it is tried whether what is expected holds: it does if it is
 * wrong by at most this part of how they differ, squared, or by so much in the mean. */
enum { SWEEP_PROBES = 4 };
#define SWEEP_WRONG 0.5
#define SWEEP_NEAR 0.12

typedef struct sweep_entry {
    ct_question item;
    double rank; /* smaller ones first */
} sweep_entry;

typedef struct sweep_list {
    sweep_entry *entry;
    int count;
} sweep_list;

/* Something is expected of it, and was not found wrong. */
static bool sweep_is_expected(const ct_tuner *tuner, int s)
{
    double mean;
    return ct_predict_first(tuner->results->of_node[s].predict, 0, &mean);
}

static bool sweep_wanted(const ct_tuner *tuner, int s)
{
    return tuner->space->node[s].free && tuner->space->node[s].choices > 1;
}

static void sweep_add(sweep_list *list, const ct_tuner *tuner, const ct_question *q, double rank)
{
    if (ct_results_has(tuner->results, q)) return;
    list->entry[list->count++] = (sweep_entry){*q, rank};
}

static ct_status sweep_list_new(sweep_list *list, int64_t room, ct_error *err)
{
    const size_t bytes = sizeof *list->entry * (size_t)(room + 1);
    list->entry = ct_memory_get(bytes);
    return list->entry ? CT_OK : ct_memory_fail(bytes, err);
}

/* Equal ranks: in the order of choices and transposes. */
static int sweep_compare(const void *a, const void *b)
{
    const sweep_entry *left = a, *right = b;
    const ct_question *one = &left->item, *other = &right->item;
    const double difference = left->rank - right->rank;
    if (difference != 0) return difference < 0 ? -1 : 1;
    if (one->node != other->node) return one->node - other->node;
    if (one->choice != other->choice) return one->choice < other->choice ? -1 : 1;
    if (one->edge != other->edge) return one->edge - other->edge;
    return one->from != other->from ? one->from - other->from : one->to - other->to;
}

static void sweep_sort(sweep_list *list)
{
    qsort(list->entry, (size_t)list->count, sizeof *list->entry, sweep_compare);
}

/* A few at a time: between them the time is checked. */
static ct_status sweep_ask(ct_tuner *tuner, const sweep_list *list, double share, ct_error *err)
{
    ct_status status = CT_OK;
    ct_question call[SWEEP_CALL];
    tuner->left = list->count;
    for (int i = 0; i < list->count; i += SWEEP_CALL) {
        const int count = list->count - i < SWEEP_CALL ? list->count - i : SWEEP_CALL;
        CT_TRY(ct_tuner_check_time(tuner, share, err));
        for (int k = 0; k < count; k++)
            call[k] = list->entry[i + k].item;
        CT_TRY(ct_tuner_ask(tuner, call, count, false, err));
    }
out:
    tuner->left = 0;
    return status;
}

/* ---- the cross */

/* None before it in the list has the same fastest dimensions: what the others take is guessed from
 * this one. */
static bool sweep_is_first(const ct_space_axis *axis, int place)
{
    const ct_layout *own = &axis->list[place];
    const int from = own->rank > SWEEP_FAST ? own->rank - SWEEP_FAST : 0;
    for (int i = 0; i < place; i++)
        if (!strcmp(axis->list[i].dim + from, own->dim + from)) return false;
    return true;
}

/* Nodes follow each other, those that take most of the time more often. Of a node whose layouts
 * have little to do with each other each layout is measured. */
static void sweep_cross(sweep_list *list, ct_tuner *tuner, int s, bool each)
{
    const ct_space_node *node = &tuner->space->node[s];
    const double weight = fmax(tuner->results->of_node[s].base, 1e-9);
    int turn = 0;
    if (!each) sweep_add(list, tuner, &(ct_question){.node = s}, turn++ / weight);
    for (int a = 0; a < node->axes; a++)
        for (int i = 1; i < node->axis[a].count; i++) {
            int places[CT_PORTS] = {0};
            places[a] = i;
            const ct_question q = {.node = s, .choice = ct_space_choice(node, places)};
            if (sweep_is_first(&node->axis[a], i) == each || !ct_space_allows(node, q.choice))
                continue;
            sweep_add(list, tuner, &q, turn++ / weight);
            tuner->swept++;
        }
}

static int64_t sweep_room(const ct_tuner *tuner)
{
    int64_t room = 0;
    for (int s = 0; s < tuner->space->nodes; s++)
        for (int a = 0; a < tuner->space->node[s].axes; a++)
            room += 1 + tuner->space->node[s].axis[a].count;
    return room;
}

static ct_status sweep_some(ct_tuner *tuner, bool each, double share, ct_error *err)
{
    ct_status status = CT_OK;
    sweep_list list = {NULL, 0};
    CT_TRY(sweep_list_new(&list, sweep_room(tuner), err));
    for (int s = 0; s < tuner->space->nodes; s++)
        if (sweep_wanted(tuner, s) && !sweep_is_expected(tuner, s) &&
            !(each && ct_predict_is_alike(tuner->results->of_node[s].predict)))
            sweep_cross(&list, tuner, s, each);
    sweep_sort(&list);
    CT_TRY(sweep_ask(tuner, &list, share, err));
out:
    ct_memory_free(list.entry);
    return status;
}

/* ---- where something is expected: a few measurements say whether it holds */

/* The best choice by what is expected, and some of the cross, evenly from its list. */
static void sweep_probe(sweep_list *list, ct_tuner *tuner, int s)
{
    const ct_space_node *node = &tuner->space->node[s];
    const ct_predict *predict = tuner->results->of_node[s].predict;
    double mean, least = INFINITY;
    ct_question best = {.node = s};
    int all = 0, n = 0;
    for (int64_t choice = 0; choice < node->choices; choice++) {
        (void)ct_predict_first(predict, choice, &mean);
        if (!(mean < least) || !ct_space_allows(node, choice)) continue;
        least = mean;
        best.choice = choice;
    }
    sweep_add(list, tuner, &best, 0);
    for (int a = 0; a < node->axes; a++)
        all += node->axis[a].count - 1;
    for (int a = 0; a < node->axes; a++)
        for (int i = 1; i < node->axis[a].count; i++) {
            int places[CT_PORTS] = {0};
            places[a] = i;
            const ct_question q = {.node = s, .choice = ct_space_choice(node, places)};
            const bool turn = (n + 1) * SWEEP_PROBES / all > n * SWEEP_PROBES / all;
            n++;
            if (turn && ct_space_allows(node, q.choice)) sweep_add(list, tuner, &q, n);
        }
}

/* Whether what is expected explains most of how the measured choices differ from the default. */
static bool sweep_is_right(const ct_tuner *tuner, int s)
{
    const ct_node_results *known = &tuner->results->of_node[s];
    double wrong = 0, all = 0, mean;
    int count = 0;
    for (int64_t choice = 1; choice < tuner->space->node[s].choices; choice++) {
        const ct_result *result = &known->choice[choice];
        if (!result->known || !isfinite(result->plain) || result->plain <= 0) continue;
        (void)ct_predict_first(known->predict, choice, &mean);
        const double found = log(result->plain);
        wrong += (found - mean) * (found - mean);
        all += found * found;
        count++;
    }
    return wrong <= SWEEP_WRONG * all || wrong <= SWEEP_NEAR * SWEEP_NEAR * count;
}

/* Nodes of which what is expected is wrong are swept as if nothing was. */
static ct_status sweep_try(ct_tuner *tuner, double share, ct_error *err)
{
    ct_status status = CT_OK;
    sweep_list list = {NULL, 0};
    CT_TRY(sweep_list_new(&list, sweep_room(tuner) + tuner->space->nodes, err));
    for (int s = 0; s < tuner->space->nodes; s++)
        if (sweep_wanted(tuner, s) && sweep_is_expected(tuner, s)) sweep_probe(&list, tuner, s);
    sweep_sort(&list);
    CT_TRY(sweep_ask(tuner, &list, share, err));
    for (int s = 0; s < tuner->space->nodes; s++)
        if (sweep_wanted(tuner, s) && sweep_is_expected(tuner, s) && !sweep_is_right(tuner, s))
            CT_TRY(ct_predict_expect_first(tuner->results->of_node[s].predict, NULL, 0, err));
out:
    ct_memory_free(list.entry);
    return status;
}

ct_status ct_sweep_run(ct_tuner *tuner, double share, ct_error *err)
{
    ct_status status = CT_OK;
    tuner->doing = "layouts of which something is expected";
    tuner->swept = 0;
    CT_TRY(sweep_try(tuner, share, err));
    tuner->doing = "layouts by themselves";
    CT_TRY(sweep_some(tuner, false, share, err));
    CT_TRY(sweep_some(tuner, true, share, err));
out:
    return status;
}

/* ---- everything */

/* A reader that can read `to` of what the writer can write as `from`; -1: none. */
static int sweep_reader(const ct_space *space, const ct_space_edge *edge, int from, int to)
{
    const ct_space_axis *written = &space->node[edge->writer].axis[edge->writer_axis];
    bool can = false;
    for (int i = 0; i < written->count; i++)
        can |= edge->number[0][i] == from;
    for (int r = 0; can && r < edge->readers; r++) {
        const ct_space_axis *read = &space->node[edge->reader_node[r]].axis[edge->reader_axis[r]];
        for (int i = 0; i < read->count; i++)
            if (edge->number[1 + r][i] == to) return r;
    }
    return -1;
}

static void sweep_transposes(sweep_list *list, const ct_tuner *tuner, int i)
{
    const ct_space_edge *edge = &tuner->space->edge[i];
    for (int from = 0; from < edge->layouts; from++)
        for (int to = 0; to < edge->layouts; to++) {
            ct_question q = {.node = -1, .edge = i, .from = from, .to = to};
            q.reader = sweep_reader(tuner->space, edge, from, to);
            if (from != to && q.reader >= 0) sweep_add(list, tuner, &q, 0);
        }
}

/* Where the time is not enough for all, what was measured is to be a fair sample of each node and
 * each array: each list in an order of its own, the same every time, and all lists side by side. */
static void sweep_scatter(sweep_list *list, int from)
{
    const int count = list->count - from;
    for (int i = 0; i < count; i++) {
        const uint32_t mixed = ((uint32_t)i + 1) * 2654435761u;
        list->entry[from + i].rank = (double)count * ((mixed ^ mixed >> 15) & 0xffff) / 0x10000;
    }
}

ct_status ct_sweep_all(ct_tuner *tuner, double share, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t room = 0;
    sweep_list list = {NULL, 0};
    for (int s = 0; s < tuner->space->nodes; s++)
        room += tuner->space->node[s].choices;
    for (int i = 0; i < tuner->space->edges; i++)
        room += (int64_t)tuner->space->edge[i].layouts * tuner->space->edge[i].layouts;
    CT_TRY(sweep_list_new(&list, room, err));
    tuner->doing = "all layouts";
    for (int s = 0; s < tuner->space->nodes; s++) { /* those of one choice, too: plans need them */
        const int from = list.count;
        for (int64_t choice = 0; choice < tuner->space->node[s].choices; choice++)
            if (tuner->space->node[s].free && ct_space_allows(&tuner->space->node[s], choice))
                sweep_add(&list, tuner, &(ct_question){.node = s, .choice = choice}, 0);
        sweep_scatter(&list, from);
    }
    for (int i = 0; i < tuner->space->edges; i++) {
        const int from = list.count;
        sweep_transposes(&list, tuner, i);
        sweep_scatter(&list, from);
    }
    sweep_sort(&list);
    CT_TRY(sweep_ask(tuner, &list, share, err));
out:
    ct_memory_free(list.entry);
    return status;
}
