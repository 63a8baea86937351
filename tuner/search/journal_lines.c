/* journal_lines.c: see journal_lines.h.
 * Room: tuner/search. */
#include "journal_lines.h"

#include <stdio.h>
#include <string.h>

#include "candidate_plan.h"
#include "expand.h"
#include "fail.h"
#include "fuse.h"
#include "json_text.h"

#define LINES_WORD(word) #word,
static const char *const lines_words[CT_ENDS] = {CT_BACKEND_ENDS(LINES_WORD)};

/* ---- writing */

static void lines_seconds(ct_text *out, const char *key, const double *seconds, int count)
{
    ct_text_add(out, ",\"%s\":[", key);
    for (int i = 0; i < count; i++)
        ct_text_add(out, "%s%.6g", i ? "," : "", seconds[i]);
    ct_text_add(out, "]");
}

/* The names of the nodes that are fused with the line's one. */
static const ct_value *lines_fused(const ct_space *space, const ct_question *q)
{
    const int node = q->node >= 0 ? q->node : space->edge[q->edge].writer;
    return ct_fuse_names(space->graph, space->node[node].name);
}

static void lines_fuse(ct_text *out, const ct_space *space, const ct_question *q)
{
    const ct_value *names = lines_fused(space, q);
    for (size_t i = 0; i < ct_value_count(names); i++) {
        ct_text_add(out, "%s", i ? "," : ",\"fuse\":[");
        ct_text_add_json(out, ct_value_text(ct_value_at(names, i), ""));
    }
    if (names) ct_text_add(out, "]");
}

static bool lines_is_fused(const ct_value *line, const ct_space *space, const ct_question *q)
{
    const ct_value *own = lines_fused(space, q), *names = ct_value_get(line, "fuse");
    if (ct_value_count(own) != ct_value_count(names)) return false;
    for (size_t i = 0; i < ct_value_count(own); i++)
        if (strcmp(ct_value_text(ct_value_at(own, i), ""),
                   ct_value_text(ct_value_at(names, i), "")) != 0)
            return false;
    return true;
}

static void lines_what(ct_text *out, const ct_space *space, const ct_question *q)
{
    char at[CT_SPACE_AT], array[CT_SPACE_NAME];
    if (q->node >= 0) {
        ct_space_print(&space->node[q->node], q->choice, at);
        ct_text_add(out, "{\"cell\":");
        ct_text_add_json(out, space->node[q->node].name);
    } else {
        const ct_space_edge *edge = &space->edge[q->edge];
        ct_space_edge_name(array, space, q->edge);
        snprintf(at, sizeof at, "%s>%s", edge->list[q->from].dim, edge->list[q->to].dim);
        ct_text_add(out, "{\"transpose\":");
        ct_text_add_json(out, array);
    }
    lines_fuse(out, space, q);
    ct_text_add(out, ",\"at\":\"%s\",\"tunables\":%s", at, q->tunables ? q->tunables : "{}");
}

static void lines_disturbance(ct_text *out, const ct_answer *answer)
{
    if (answer->load > 0) ct_text_add(out, ",\"load\":%.3g", answer->load);
    if (answer->waited_s > 0) ct_text_add(out, ",\"waited_s\":%.3g", answer->waited_s);
    if (answer->drift > 0) ct_text_add(out, ",\"drift\":%.3g", answer->drift);
    if (answer->disturbed) ct_text_add(out, ",\"disturbed\":true");
}

void ct_journal_lines_answer(ct_text *out, const ct_space *space, const ct_question *q,
                             const ct_answer *answer, bool more)
{
    lines_what(out, space, q);
    if (q->same) ct_text_add(out, ",\"same\":\"%s\"", q->same);
    ct_text_add(out, ",\"status\":\"%s\"", lines_words[answer->end]);
    lines_seconds(out, "seconds", answer->seconds, answer->count);
    lines_seconds(out, "default_seconds", answer->default_seconds, answer->count);
    ct_text_add(out, ",\"build_s\":%.4g", answer->build_s);
    lines_disturbance(out, answer);
    if (answer->say[0]) {
        ct_text_add(out, ",\"say\":");
        ct_text_add_json(out, answer->say);
    }
    ct_text_add(out, "%s%s}", answer->taken ? ",\"taken\":true" : "", more ? ",\"more\":true" : "");
}

void ct_journal_lines_whole(ct_text *out, const char *plan, const ct_plan_timing *rehearsed)
{
    ct_text_add(out, "{\"whole\":{\"plan\":");
    ct_text_add_json(out, plan);
    lines_seconds(out, "seconds", rehearsed->wall, rehearsed->walls);
    if (rehearsed->samples > 0)
        ct_text_add(out, ",\"samples\":%lld", (long long)rehearsed->samples);
    if (rehearsed->signal_s > 0) ct_text_add(out, ",\"signal_s\":%.6g", rehearsed->signal_s);
    if (rehearsed->load > 0) ct_text_add(out, ",\"load\":%.3g", rehearsed->load);
    if (rehearsed->disturbed) ct_text_add(out, ",\"disturbed\":true");
    ct_text_add(out, ",\"steps\":{");
    for (int i = 0; i < rehearsed->steps; i++) {
        ct_text_add(out, "%s", i ? "," : "");
        ct_text_add_json(out, rehearsed->name[i]);
        ct_text_add(out, ":%.6g", rehearsed->seconds[i]);
    }
    ct_text_add(out, "}}}");
}

/* ---- reading */

/* CT_ENDS: no such word. */
static ct_end lines_end(const char *word)
{
    int end = 0;
    while (end < CT_ENDS && (!word || strcmp(word, lines_words[end]) != 0))
        end++;
    return (ct_end)end;
}

static int lines_numbers(const ct_value *list, double *out, int room)
{
    int count = 0;
    for (; count < room && count < (int)ct_value_count(list); count++)
        out[count] = ct_value_real(ct_value_at(list, (size_t)count), 0);
    return count;
}

static ct_status lines_choice(const char *name, const char *at, const ct_space *space,
                              ct_question *out, ct_error *err)
{
    out->node = ct_space_find(space, name);
    if (out->node < 0)
        return ct_error_add(err, CT_INVALID, "the pipeline has no node \"%s\"", name);
    out->choice = ct_space_read(&space->node[out->node], at);
    if (out->choice >= 0) return CT_OK;
    return ct_error_add(err, CT_INVALID, "\"%s\" cannot read and write \"%s\"", name, at);
}

static ct_status lines_transpose(const char *name, const char *at, const ct_space *space,
                                 ct_question *out, ct_error *err)
{
    char from[CT_DIMS + 2];
    const char *to = strchr(at, '>');
    out->node = -1;
    out->edge = ct_space_find_edge(space, name);
    if (out->edge < 0) return ct_error_add(err, CT_INVALID, "nobody reads an array \"%s\"", name);
    snprintf(from, sizeof from, "%.*s", to ? (int)(to - at) : 0, at);
    out->from = ct_space_layout(&space->edge[out->edge], from);
    out->to = to ? ct_space_layout(&space->edge[out->edge], to + 1) : -1;
    if (out->from >= 0 && out->to >= 0) return CT_OK;
    return ct_error_add(err, CT_INVALID, "\"%s\" has no transpose \"%s\"", name, at);
}

/* NULL where they are the defaults. */
static ct_status lines_tunables(const ct_value *tunables, const char **out, ct_arena *arena,
                                ct_error *err)
{
    ct_text text = {0};
    *out = NULL;
    if (ct_value_count(tunables) == 0) return CT_OK;
    const ct_status status = ct_expand_value(&text, tunables, err);
    if (status == CT_OK) *out = ct_arena_copy(arena, text.data);
    ct_text_free(&text);
    return status;
}

void ct_journal_lines_read_answer(const ct_value *line, ct_answer *out)
{
    *out = (ct_answer){.end = lines_end(ct_value_text(ct_value_get(line, "status"), NULL))};
    out->count = lines_numbers(ct_value_get(line, "seconds"), out->seconds, CT_BACKEND_PAIRS);
    const int pairs = lines_numbers(ct_value_get(line, "default_seconds"), out->default_seconds,
                                    CT_BACKEND_PAIRS);
    if (pairs < out->count) out->count = pairs;
    out->build_s = ct_value_real(ct_value_get(line, "build_s"), 0);
    out->load = ct_value_real(ct_value_get(line, "load"), 0);
    out->waited_s = ct_value_real(ct_value_get(line, "waited_s"), 0);
    out->disturbed = ct_value_bool(ct_value_get(line, "disturbed"), false);
    out->taken = ct_value_bool(ct_value_get(line, "taken"), false);
    snprintf(out->say, sizeof out->say, "%s", ct_value_text(ct_value_get(line, "say"), ""));
}

ct_status ct_journal_lines_read(const ct_value *line, const ct_space *space, ct_question *q,
                                ct_answer *answer, ct_arena *arena, ct_error *err)
{
    ct_status status = CT_OK;
    const char *choice = ct_value_text(ct_value_get(line, "cell"), NULL);
    const char *transpose = ct_value_text(ct_value_get(line, "transpose"), NULL);
    const char *at = ct_value_text(ct_value_get(line, "at"), "");
    *q = (ct_question){.node = -1};
    if (!choice && !transpose) return CT_EOF;
    if (choice)
        CT_TRY(lines_choice(choice, at, space, q, err));
    else
        CT_TRY(lines_transpose(transpose, at, space, q, err));
    if (!lines_is_fused(line, space, q))
        return ct_error_add(err, CT_INVALID, "\"%s\" runs as one with other nodes",
                            choice ? choice : transpose);
    CT_TRY(lines_tunables(ct_value_get(line, "tunables"), &q->tunables, arena, err));
    q->same = ct_value_text(ct_value_get(line, "same"), NULL);
    ct_journal_lines_read_answer(line, answer);
    if (answer->end == CT_ENDS)
        status = ct_error_add(err, CT_INVALID, "/status: expected a word such as \"correct\"");
out:
    return status;
}

ct_status ct_journal_lines_read_whole(const ct_value *line, const char **plan, ct_plan_timing *out,
                                      ct_arena *arena)
{
    const ct_value *whole = ct_value_get(line, "whole"), *steps = ct_value_get(whole, "steps");
    if (!whole) return CT_EOF;
    *plan = ct_value_text(ct_value_get(whole, "plan"), "");
    *out = (ct_plan_timing){.steps = (int)ct_value_count(steps),
                            .samples = ct_value_int(ct_value_get(whole, "samples"), 0),
                            .signal_s = ct_value_real(ct_value_get(whole, "signal_s"), 0)};
    out->walls = lines_numbers(ct_value_get(whole, "seconds"), out->wall, CT_BACKEND_WALLS);
    out->name = ct_arena_get(arena, sizeof *out->name * (size_t)(out->steps + 1));
    out->seconds = ct_arena_get(arena, sizeof *out->seconds * (size_t)(out->steps + 1));
    if (!out->name || !out->seconds) return CT_FAILED;
    for (int i = 0; i < out->steps; i++) {
        out->name[i] = ct_value_key(steps, (size_t)i);
        out->seconds[i] = ct_value_real(ct_value_at(steps, (size_t)i), 0);
    }
    return CT_OK;
}
