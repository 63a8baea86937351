/* candidate.c: see candidate.h.
 * Room: tuner/pipeline. */
#include "candidate.h"

#include <stdio.h>
#include <string.h>

#include "expand.h"
#include "fail.h"
#include "json_text.h"

typedef struct candidate {
    ct_text *out;
    const ct_space *space;
    const ct_book *book; /* NULL: default tunables */
    const int64_t *cells;
    int64_t block;            /* 0: the default's */
    const ct_question *asked; /* whose tunables count; NULL: the book's */
    ct_error *err;
} candidate;

static ct_status candidate_value(const candidate *c, const char *key, const ct_value *value)
{
    if (!value) return CT_OK;
    ct_text_add(c->out, ",");
    ct_text_add_json(c->out, key);
    ct_text_add(c->out, ":");
    return ct_expand_value(c->out, value, c->err);
}

/* ---- layouts: the cell's, and of tables and scratch the default's */

static const char *candidate_layout(const candidate *c, const ct_site *site, const char *port)
{
    int places[CT_PORTS];
    ct_space_places(site, c->cells[site->node], places);
    for (int a = 0; a < site->axes; a++)
        if (!strcmp(site->step->stage->ports[site->axis[a].port].name, port))
            return site->axis[a].list[places[a]].dim;
    return NULL;
}

static void candidate_layouts(const candidate *c, const ct_site *site, const ct_value *usual)
{
    const ct_value *layouts = ct_value_get(usual, "layouts");
    ct_text_add(c->out, ",\"layouts\":{");
    for (size_t i = 0; i < ct_value_count(layouts); i++) {
        const char *port = ct_value_key(layouts, i);
        const char *layout = candidate_layout(c, site, port);
        if (!layout) layout = ct_value_text(ct_value_at(layouts, i), "");
        ct_text_add(c->out, "%s", i ? "," : "");
        ct_text_add_json(c->out, port);
        ct_text_add(c->out, ":\"%s\"", layout);
    }
    ct_text_add(c->out, "}");
}

/* ---- tunables */

static const char *candidate_tunables(const candidate *c, int site)
{
    if (c->asked) return c->asked->site == site ? c->asked->tunables : NULL;
    return c->book ? c->book->shelf[site].cell[c->cells[site]].tunables : NULL;
}

/* The layout's number in the spot that a site has on an axis. */
static int candidate_number(const candidate *c, int site, int axis)
{
    int places[CT_PORTS];
    const ct_site *at = &c->space->site[site];
    const ct_axis *of = &at->axis[axis];
    ct_space_places(at, c->cells[site], places);
    return c->space->spot[of->spot].number[of->place + 1][places[axis]];
}

/* Whether this input is the first that needs this copy: it makes it, the others share it. */
static bool candidate_makes(const candidate *c, const ct_axis *axis, int from, int to)
{
    const ct_spot *spot = &c->space->spot[axis->spot];
    if (from == to) return false;
    for (int r = 0; r < axis->place; r++)
        if (candidate_number(c, spot->reader_site[r], spot->reader_axis[r]) == to) return false;
    return true;
}

static const char *candidate_copy(const candidate *c, const ct_axis *axis, int from, int to)
{
    const ct_question *q = c->asked;
    if (!candidate_makes(c, axis, from, to)) return NULL;
    if (q) return q->site < 0 && q->spot == axis->spot && q->to == to ? q->tunables : NULL;
    if (!c->book) return NULL;
    return c->book->transpose[axis->spot][from * c->space->spot[axis->spot].layouts + to].tunables;
}

static void candidate_copies(const candidate *c, int s)
{
    const ct_site *site = &c->space->site[s];
    bool any = false;
    for (int a = 0; a < site->inputs; a++) {
        const ct_axis *axis = &site->axis[a];
        const ct_spot *spot = &c->space->spot[axis->spot];
        const char *tunables = candidate_copy(c, axis, candidate_number(c, spot->site, spot->axis),
                                              candidate_number(c, s, a));
        if (!tunables) continue;
        ct_text_add(c->out, "%s\"%s\":{\"tunables\":%s}", any ? "," : ",\"transposes\":{",
                    site->step->stage->ports[axis->port].name, tunables);
        any = true;
    }
    if (any) ct_text_add(c->out, "}");
}

/* ---- the whole */

static ct_status candidate_site(const candidate *c, int s)
{
    ct_status status = CT_OK;
    const ct_site *site = &c->space->site[s];
    const ct_value *usual = ct_value_get(ct_value_get(c->space->usual, "nodes"), site->name);
    const char *tunables = candidate_tunables(c, s);
    ct_text_add(c->out, "%s", s ? "," : "");
    ct_text_add_json(c->out, site->name);
    ct_text_add(c->out, ":{\"comment\":0");
    CT_TRY(candidate_value(c, "stage", ct_value_get(usual, "stage")));
    CT_TRY(candidate_value(c, "version", ct_value_get(usual, "version")));
    CT_TRY(candidate_value(c, "digest", ct_value_get(usual, "digest")));
    CT_TRY(candidate_value(c, "shape", ct_value_get(usual, "shape")));
    CT_TRY(candidate_value(c, "fuse", ct_value_get(usual, "fuse")));
    candidate_layouts(c, site, usual);
    candidate_copies(c, s);
    if (tunables) ct_text_add(c->out, ",\"tunables\":%s", tunables);
    ct_text_add(c->out, "}");
out:
    return status;
}

static ct_status candidate_print(const candidate *c)
{
    ct_status status = CT_OK;
    const ct_value *usual = c->space->usual;
    ct_text_add(c->out, "{\"comment\":0");
    CT_TRY(candidate_value(c, "cornerturn_plan", ct_value_get(usual, "cornerturn_plan")));
    if (c->block > 0)
        ct_text_add(c->out, ",\"block\":{\"T\":%lld}", (long long)c->block);
    else
        CT_TRY(candidate_value(c, "block", ct_value_get(usual, "block")));
    ct_text_add(c->out, ",\"nodes\":{");
    for (int s = 0; s < c->space->sites; s++)
        CT_TRY(candidate_site(c, s));
    ct_text_add(c->out, "}}");
    CT_TRY(ct_text_check(c->out, c->err));
out:
    return status;
}

ct_status ct_candidate_pick(ct_text *out, const ct_space *space, const ct_book *book,
                            const ct_pick *pick, ct_error *err)
{
    const candidate c = {.out = out,
                         .space = space,
                         .book = pick->tuned ? book : NULL,
                         .cells = pick->cell,
                         .block = pick->block,
                         .err = err};
    return candidate_print(&c);
}

void ct_candidate_array(char out[CT_CANDIDATE_STEP], const ct_space *space, int i)
{
    const ct_spot *spot = &space->spot[i];
    const ct_site *site = &space->site[spot->site];
    const bool first = spot->axis == site->inputs;
    snprintf(out, CT_CANDIDATE_STEP, "%s%s%s", site->name, first ? "" : ".",
             first ? "" : site->step->stage->ports[site->axis[spot->axis].port].name);
}

int ct_candidate_spot(const ct_space *space, const char *array)
{
    char name[CT_CANDIDATE_STEP];
    for (int i = 0; i < space->spots; i++) {
        ct_candidate_array(name, space, i);
        if (!strcmp(name, array)) return i;
    }
    return -1;
}

/* Some cell of the site that has this layout of the spot on the axis; the default's on the others
 * where the stage's patterns allow that. -1: none. */
static int64_t candidate_find(const ct_space *space, int s, int a, int layout)
{
    const ct_site *site = &space->site[s];
    const ct_axis *axis = &site->axis[a];
    const int *number = space->spot[axis->spot].number[axis->place + 1];
    for (int64_t cell = 0; cell < site->cells; cell++) {
        int places[CT_PORTS];
        ct_space_places(site, cell, places);
        if (number[places[a]] == layout && ct_space_allows(site, cell)) return cell;
    }
    return -1;
}

static ct_status candidate_ends(const ct_space *space, const ct_question *q, int64_t *cells,
                                ct_error *err)
{
    const ct_spot *spot = &space->spot[q->spot];
    const int reader = spot->reader_site[q->reader];
    cells[spot->site] = candidate_find(space, spot->site, spot->axis, q->from);
    cells[reader] = candidate_find(space, reader, spot->reader_axis[q->reader], q->to);
    if (cells[spot->site] >= 0 && cells[reader] >= 0) return CT_OK;
    return ct_error_add(err, CT_FAILED, "no plan has a transpose from %s to %s of %s",
                        spot->list[q->from].dim, spot->list[q->to].dim,
                        space->site[spot->site].name);
}

ct_status ct_candidate_question(ct_text *out, char step[CT_CANDIDATE_STEP], const ct_space *space,
                                const ct_question *q, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t bytes = sizeof(int64_t) * (size_t)space->sites;
    int64_t *cells = ct_memory_get(bytes);
    const candidate c = {.out = out, .space = space, .cells = cells, .asked = q, .err = err};
    CT_NEED(cells, bytes, err);
    if (q->site >= 0) {
        cells[q->site] = q->cell;
        snprintf(step, CT_CANDIDATE_STEP, "%s", space->site[q->site].name);
    } else {
        char array[CT_CANDIDATE_STEP];
        CT_TRY(candidate_ends(space, q, cells, err));
        ct_candidate_array(array, space, q->spot);
        ct_number_print(step, CT_CANDIDATE_STEP, "%.100s>%s", array,
                        space->spot[q->spot].list[q->to].dim);
    }
    CT_TRY(candidate_print(&c));
out:
    ct_memory_free(cells);
    return status;
}
