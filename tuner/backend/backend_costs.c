/* backend_costs.c: see backend_costs.h.
 * Room: tuner/backend. */
#include "backend_costs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "candidate_plan.h"
#include "fail.h"

enum { COSTS_PAIRS = 7 };

struct ct_backend_costs {
    const ct_space *space;
    double **choice;    /* [node][choice]: seconds; infinity: cannot be built */
    double **transpose; /* [edge][from * layouts + to] */
    double rate;        /* bytes per second of a copy: no transpose is faster */
    double noise, candidate_s, clock;
    double due; /* see ct_backend's limit; 0: never */
    uint64_t state;
    ct_arena *arena;
};

/* ---- noise: xorshift64*, and normal numbers by Box and Muller */

static double costs_uniform(ct_backend_costs *c)
{
    c->state ^= c->state >> 12;
    c->state ^= c->state << 25;
    c->state ^= c->state >> 27;
    return ((double)(c->state * 2685821657736338717u >> 11) + 0.5) / 9007199254740992.0;
}

static double costs_noisy(ct_backend_costs *c, double seconds)
{
    const double radius = sqrt(-2 * log(costs_uniform(c)));
    return seconds * exp(c->noise * radius * cos(2 * M_PI * costs_uniform(c)));
}

void ct_backend_costs_seed(ct_backend_costs *c, int64_t seed)
{
    c->state = (uint64_t)seed * 11400714819323198485u + 88172645463325252u;
    if (c->state == 0) c->state = 1;
}

void ct_backend_costs_quiet(ct_backend_costs *c)
{
    c->noise = 0;
}

/* ---- reading */

typedef struct costs_range {
    const char *key, *expected;
    double usual, least, most;
} costs_range;

typedef struct costs_place {
    const char *file, *section, *node;
    ct_error *err;
} costs_place;

static ct_status costs_fail(const costs_place *at, const char *key, const char *sentence)
{
    return ct_error_add(at->err, CT_INVALID, "%s: /%s%s%s%s%s: %s", at->file, at->section,
                        at->node ? "/" : "", at->node ? at->node : "", key ? "/" : "",
                        key ? key : "", sentence);
}

static ct_status costs_number(const costs_place *at, const char *key, const ct_value *value,
                              double *out)
{
    const ct_kind kind = ct_value_kind(value);
    *out = ct_value_real(value, -1);
    if ((kind == CT_INT || kind == CT_REAL) && *out > 0) return CT_OK;
    return costs_fail(at, key, "expected seconds, a number above 0");
}

/* "SPTC>CTSP" -> the entry; NULL: no such. */
static double *costs_transpose(const ct_backend_costs *c, int edge, const char *at)
{
    char from[CT_DIMS + 2];
    const char *to = strchr(at, '>');
    if (!to || (size_t)(to - at) >= sizeof from) return NULL;
    snprintf(from, sizeof from, "%.*s", (int)(to - at), at);
    const int a = ct_space_layout(&c->space->edge[edge], from);
    const int b = ct_space_layout(&c->space->edge[edge], to + 1);
    return a < 0 || b < 0 ? NULL : &c->transpose[edge][a * c->space->edge[edge].layouts + b];
}

static ct_status costs_unknown(const ct_backend_costs *c, const costs_place *at)
{
    char sentence[512];
    if (ct_space_find(c->space, at->node) >= 0)
        return costs_fail(at, NULL,
                          "what this node gives is never transposed: nothing reads it, or only in "
                          "the layout in which it is written");
    const char **names = ct_arena_get(c->arena, sizeof *names * (size_t)(c->space->nodes + 1));
    for (int s = 0; names && s < c->space->nodes; s++)
        names[s] = c->space->node[s].name;
    const char *near = names ? ct_suggest_nearest(at->node, names) : NULL;
    snprintf(sentence, sizeof sentence, "the pipeline has no such node%s%s%s",
             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return costs_fail(at, NULL, sentence);
}

static ct_status costs_rows(ct_backend_costs *c, costs_place *at, const ct_value *rows, int node,
                            int edge)
{
    ct_status status = CT_OK;
    for (size_t i = 0; i < ct_value_count(rows); i++) {
        const char *key = ct_value_key(rows, i);
        double *entry = NULL;
        if (node >= 0) {
            const int64_t choice = ct_space_read(&c->space->node[node], key);
            if (choice >= 0) entry = &c->choice[node][choice];
        } else {
            entry = costs_transpose(c, edge, key);
        }
        if (!entry)
            return costs_fail(at, key,
                              node >= 0 ? "expected layouts that the node can read and write, as "
                                          "in \"SPTC>CTSP\""
                                        : "expected layouts that somebody can write and read, as "
                                          "in \"SPTC>CTSP\"");
        CT_TRY(costs_number(at, key, ct_value_at(rows, i), entry));
    }
out:
    return status;
}

static ct_status costs_section(ct_backend_costs *c, const char *file, const ct_value *root,
                               bool choices, ct_error *err)
{
    ct_status status = CT_OK;
    costs_place at = {file, choices ? "nodes" : "transposes", NULL, err};
    const ct_value *nodes = ct_value_get(root, at.section);
    if (nodes && ct_value_kind(nodes) != CT_OBJECT)
        return costs_fail(&at, NULL, "expected an object");
    for (size_t i = 0; i < ct_value_count(nodes); i++) {
        at.node = ct_value_key(nodes, i);
        const int place =
            choices ? ct_space_find(c->space, at.node) : ct_space_find_edge(c->space, at.node);
        if (place < 0) return costs_unknown(c, &at);
        CT_TRY(costs_rows(c, &at, ct_value_at(nodes, i), choices ? place : -1, place));
    }
out:
    return status;
}

/* A number of the top of the file from `least` to `most`, or `usual` where it is not there. */
static ct_status costs_setting(const char *file, const ct_value *root, const costs_range *range,
                               double *out, ct_error *err)
{
    const ct_value *value = ct_value_get(root, range->key);
    const ct_kind kind = value ? ct_value_kind(value) : CT_REAL;
    char found[64] = "something else";
    *out = value ? ct_value_real(value, -1) : range->usual;
    if ((kind == CT_INT || kind == CT_REAL) && *out >= range->least && *out <= range->most)
        return CT_OK;
    if (kind == CT_INT || kind == CT_REAL) ct_number_print(found, sizeof found, "%.6g", *out);
    if (kind == CT_TEXT) snprintf(found, sizeof found, "\"%.40s\"", ct_value_text(value, ""));
    return ct_error_add(err, CT_INVALID, "%s: /%s: expected %s, found %s", file, range->key,
                        range->expected, found);
}

static ct_status costs_settings(ct_backend_costs *c, const char *file, const ct_value *root,
                                ct_error *err)
{
    static const costs_range noise = {"noise", "a number from 0 to 1", 0, 0, 1};
    static const costs_range each = {"candidate_s", "seconds, a number from 0 to 1e9", 1, 0, 1e9};
    static const costs_range seed = {"seed", "a whole number from 0 to 2^53", 1, 0, 0x1p53};
    ct_status status = CT_OK;
    double state;
    CT_TRY(costs_setting(file, root, &noise, &c->noise, err));
    CT_TRY(costs_setting(file, root, &each, &c->candidate_s, err));
    CT_TRY(costs_setting(file, root, &seed, &state, err));
    ct_backend_costs_seed(c, (int64_t)state);
out:
    return status;
}

static ct_status costs_top(ct_backend_costs *c, const char *file, const ct_value *root,
                           ct_error *err)
{
    ct_status status = CT_OK;
    static const char *const keys[] = {
        "cornerturn_costs", "noise", "seed", "candidate_s", "nodes", "transposes", "comment", NULL};
    if (ct_value_int(ct_value_get(root, "cornerturn_costs"), 0) != 1)
        return ct_error_add(err, CT_INVALID,
                            "%s: expected costs of version 1 (\"cornerturn_costs\": 1)", file);
    for (size_t i = 0; i < ct_value_count(root); i++) {
        const char *key = ct_value_key(root, i), *near = ct_suggest_nearest(key, keys);
        int known = 0;
        while (keys[known] && strcmp(keys[known], key) != 0)
            known++;
        if (!keys[known])
            return ct_error_add(err, CT_INVALID, "%s: /%s: unknown key%s%s%s", file, key,
                                near ? "; did you mean \"" : "", near ? near : "",
                                near ? "\"?" : "");
    }
    CT_TRY(costs_settings(c, file, root, err));
out:
    return status;
}

/* ---- answering */

static double costs_of(const ct_backend_costs *c, const ct_question *q, double *default_s)
{
    if (q->node >= 0) {
        *default_s = c->choice[q->node][0];
        return q->tunables ? INFINITY : c->choice[q->node][q->choice];
    }
    *default_s = c->space->edge[q->edge].bytes / c->rate;
    return c->transpose[q->edge][q->from * c->space->edge[q->edge].layouts + q->to];
}

static ct_status costs_ask(void *of, const ct_question *questions, int count, ct_answered *answered,
                           void *to, ct_error *err)
{
    ct_status status = CT_OK;
    ct_backend_costs *c = of;
    for (int i = 0; i < count; i++) {
        if (c->due > 0 && c->clock + c->candidate_s > c->due) return CT_EOF;
        ct_answer answer = {.end = CT_END_compile};
        double default_s, seconds = costs_of(c, &questions[i], &default_s);
        c->clock += c->candidate_s;
        if (isfinite(seconds) && isfinite(default_s)) answer.end = CT_END_correct;
        if (answer.end != CT_END_correct)
            snprintf(answer.say, sizeof answer.say, "the file of costs does not have it");
        for (int p = 0; answer.end == CT_END_correct && p < COSTS_PAIRS; p++) {
            answer.seconds[p] = costs_noisy(c, seconds);
            answer.default_seconds[p] = costs_noisy(c, default_s);
            answer.count = p + 1;
        }
        CT_TRY(answered(to, &questions[i], &answer, err));
    }
out:
    return status;
}

/* Copies that several readers share count once. */
static double costs_edge_true(const ct_backend_costs *c, int i, const int64_t *choices)
{
    const ct_space_edge *edge = &c->space->edge[i];
    int places[CT_PORTS], made[CT_SPACE_READERS], count = 0;
    double sum = 0.0;
    ct_space_places(&c->space->node[edge->writer], choices[edge->writer], places);
    const int from = edge->number[0][places[edge->writer_axis]];
    for (int r = 0; r < edge->readers; r++) {
        const int s = edge->reader_node[r];
        bool there = false;
        ct_space_places(&c->space->node[s], choices[s], places);
        const int to = edge->number[1 + r][places[edge->reader_axis[r]]];
        for (int m = 0; m < count; m++)
            there |= made[m] == to;
        if (there || to == from) continue;
        made[count++] = to;
        sum += c->transpose[i][from * edge->layouts + to];
    }
    return sum;
}

double ct_backend_costs_true(const ct_backend_costs *c, const int64_t *choices)
{
    double sum = 0.0;
    for (int s = 0; s < c->space->nodes; s++)
        if (c->space->node[s].free) sum += c->choice[s][choices[s]];
    for (int i = 0; i < c->space->edges; i++)
        sum += costs_edge_true(c, i, choices);
    return sum;
}

static ct_status costs_time_plans(void *of, const ct_candidate *candidates,
                                  const char *const *texts, int count, int rounds, int fresh,
                                  ct_plan_timing *out, ct_arena *arena, ct_error *err)
{
    ct_backend_costs *c = of;
    (void)texts, (void)arena;
    for (int i = 0; i < count; i++) {
        const double seconds = ct_backend_costs_true(c, candidates[i].choice);
        out[i] = (ct_plan_timing){0};
        if (!isfinite(seconds))
            return ct_error_add(err, CT_FAILED, "the file of costs lacks a part of this plan");
        while (out[i].walls < rounds * (fresh ? fresh : 1) && out[i].walls < CT_BACKEND_WALLS)
            out[i].wall[out[i].walls++] = costs_noisy(c, seconds);
        c->clock += c->candidate_s;
    }
    return CT_OK;
}

static double costs_now(void *of)
{
    return ((const ct_backend_costs *)of)->clock;
}

/* Nothing takes longer than it is known to take. */
static void costs_limit(void *of, double due, double end)
{
    (void)end;
    ((ct_backend_costs *)of)->due = isfinite(due) ? due : 0;
}

/* ---- life */

static double *costs_room(const ct_backend_costs *c, int64_t count)
{
    double *room = ct_arena_get(c->arena, sizeof *room * (size_t)count);
    for (int64_t i = 0; room && i < count; i++)
        room[i] = INFINITY;
    return room;
}

static ct_status costs_rooms(ct_backend_costs *c, ct_error *err)
{
    ct_status status = CT_OK;
    c->choice = ct_arena_get(c->arena, sizeof *c->choice * (size_t)c->space->nodes);
    c->transpose = ct_arena_get(c->arena, sizeof *c->transpose * (size_t)(c->space->edges + 1));
    CT_TRY(ct_arena_check(c->arena, err));
    for (int s = 0; s < c->space->nodes; s++)
        c->choice[s] = costs_room(c, c->space->node[s].choices);
    for (int i = 0; i < c->space->edges; i++) {
        const int64_t layouts = c->space->edge[i].layouts;
        c->transpose[i] = costs_room(c, layouts * layouts);
    }
    CT_TRY(ct_arena_check(c->arena, err));
out:
    return status;
}

static void costs_rate(ct_backend_costs *c)
{
    for (int i = 0; i < c->space->edges; i++) {
        const ct_space_edge *edge = &c->space->edge[i];
        for (int64_t n = 0; n < (int64_t)edge->layouts * edge->layouts; n++)
            if (isfinite(c->transpose[i][n]))
                c->rate = fmax(c->rate, edge->bytes / c->transpose[i][n]);
    }
    if (c->rate == 0) c->rate = 1e10;
}

ct_status ct_backend_costs_new(ct_backend_costs **out, ct_backend *backend, const ct_space *space,
                               const ct_value *costs, const char *name, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_backend_costs *c = ct_arena_begin(&arena, sizeof *c);
    CT_NEED(c, sizeof *c, err);
    *c = (ct_backend_costs){.space = space, .arena = arena};
    CT_TRY(costs_rooms(c, err));
    CT_TRY(costs_top(c, name, costs, err));
    CT_TRY(costs_section(c, name, costs, true, err));
    CT_TRY(costs_section(c, name, costs, false, err));
    costs_rate(c);
    *backend = (ct_backend){.of = c,
                            .ask = costs_ask,
                            .time_plans = costs_time_plans,
                            .now = costs_now,
                            .limit = costs_limit};
out:
    if (status != CT_OK) {
        ct_backend_costs_free(c);
        c = NULL;
    }
    *out = c;
    return status;
}

void ct_backend_costs_free(ct_backend_costs *costs)
{
    if (costs) ct_arena_free(costs->arena);
}
