/* model.c: see model.h.
 * Room: tuner/pipeline. */
#include "model.h"

#include <math.h>

#include "fail.h"

struct ct_model {
    const ct_space *space;
    ct_problem *problem;
    int *variable; /* [site * CT_PORTS + axis] */
    int *table;    /* [site]: the factor */
    int *copies;   /* [spot] */
    int *values;   /* [variables] */
    ct_arena *arena;
};

static int model_variable(const ct_model *model, int site, int axis)
{
    return model->variable[site * CT_PORTS + axis];
}

static ct_status model_site(ct_model *model, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_site *site = &model->space->site[s];
    int *variables = &model->variable[s * CT_PORTS];
    for (int a = 0; a < site->axes; a++)
        CT_TRY(ct_problem_variable(model->problem, site->axis[a].count, &variables[a], err));
    double *none = ct_arena_get(model->arena, sizeof *none * (size_t)site->cells);
    CT_NEED(none, sizeof *none * (size_t)site->cells, err);
    CT_TRY(ct_problem_table(model->problem, variables, site->axes, none, &model->table[s], err));
out:
    return status;
}

static ct_status model_spot(ct_model *model, int i, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_spot *spot = &model->space->spot[i];
    int readers[CT_SPACE_READERS];
    const size_t layouts = (size_t)spot->layouts;
    double *none = ct_arena_get(model->arena, sizeof *none * layouts * layouts);
    CT_NEED(none, sizeof *none * layouts * layouts, err);
    for (int r = 0; r < spot->readers; r++)
        readers[r] = model_variable(model, spot->reader_site[r], spot->reader_axis[r]);
    const ct_problem_array array = {.writer = model_variable(model, spot->site, spot->axis),
                                    .layout_of_writer = spot->number[0],
                                    .readers = spot->readers,
                                    .reader = readers,
                                    .layout_of_reader = (const int *const *)&spot->number[1],
                                    .layouts = spot->layouts,
                                    .transpose = none};
    CT_TRY(ct_problem_copies(model->problem, &array, &model->copies[i], err));
out:
    return status;
}

ct_status ct_model_new(ct_model **out, const ct_space *space, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t axes = (size_t)space->sites * CT_PORTS;
    ct_arena *arena = NULL;
    ct_model *model = ct_arena_begin(&arena, sizeof *model);
    CT_NEED(model, sizeof *model, err);
    *model = (ct_model){.space = space, .arena = arena};
    model->variable = ct_arena_get(arena, sizeof(int) * axes);
    model->values = ct_arena_get(arena, sizeof(int) * axes);
    model->table = ct_arena_get(arena, sizeof(int) * (size_t)space->sites);
    model->copies = ct_arena_get(arena, sizeof(int) * (size_t)(space->spots + 1));
    CT_TRY(ct_arena_check(arena, err));
    CT_TRY(ct_problem_new(&model->problem, err));
    for (int s = 0; s < space->sites; s++)
        CT_TRY(model_site(model, s, err));
    for (int i = 0; i < space->spots; i++)
        CT_TRY(model_spot(model, i, err));
out:
    if (status != CT_OK) {
        ct_model_free(model);
        model = NULL;
    }
    *out = model;
    return status;
}

void ct_model_free(ct_model *model)
{
    if (!model) return;
    ct_problem_free(model->problem);
    ct_arena_free(model->arena);
}

/* What is asked for only where it is measured is not predicted. */
static double model_transpose(const ct_model *model, const ct_book *book, int i, int from, int to,
                              ct_price price)
{
    const ct_spot *spot = &model->space->spot[i];
    double least;
    if (from == to) return 0;
    if (price == CT_PRICE_BYTES) return spot->bytes;
    if (price == CT_PRICE_MEASURED && !book->transpose[i][from * spot->layouts + to].known)
        return INFINITY;
    const double expected = ct_book_transpose(book, i, from, to, &least);
    return price == CT_PRICE_LEAST ? least : expected;
}

static ct_status model_price_spot(ct_model *model, const ct_book *book, int i, ct_price price,
                                  ct_error *err)
{
    ct_status status = CT_OK;
    const int layouts = model->space->spot[i].layouts;
    for (int entry = 0; entry < layouts * layouts; entry++)
        CT_TRY(ct_problem_set(
            model->problem, model->copies[i], (size_t)entry,
            model_transpose(model, book, i, entry / layouts, entry % layouts, price), err));
out:
    return status;
}

static double model_cell(const ct_model *model, const ct_book *book, int s, int64_t cell,
                         ct_price price)
{
    const ct_site *site = &model->space->site[s];
    double least;
    if (price == CT_PRICE_BYTES) return ct_space_allows(site, cell) ? 0 : INFINITY;
    if (price == CT_PRICE_MEASURED && site->free && !book->shelf[s].cell[cell].known)
        return INFINITY;
    const double expected = ct_book_cell(book, s, cell, &least);
    return price == CT_PRICE_LEAST ? least : expected;
}

static ct_status model_price_site(ct_model *model, const ct_book *book, int s, ct_price price,
                                  ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t cell = 0; cell < model->space->site[s].cells; cell++)
        CT_TRY(ct_problem_set(model->problem, model->table[s], (size_t)cell,
                              model_cell(model, book, s, cell, price), err));
out:
    return status;
}

ct_status ct_model_price(ct_model *model, const ct_book *book, ct_price price, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < model->space->sites; s++)
        CT_TRY(model_price_site(model, book, s, price, err));
    for (int i = 0; i < model->space->spots; i++)
        CT_TRY(model_price_spot(model, book, i, price, err));
out:
    return status;
}

static void model_pick(const ct_model *model, ct_pick *pick)
{
    for (int s = 0; s < model->space->sites; s++) {
        int places[CT_PORTS] = {0};
        for (int a = 0; a < model->space->site[s].axes; a++)
            places[a] = model->values[model_variable(model, s, a)];
        pick->cell[s] = ct_space_cell(&model->space->site[s], places);
    }
}

ct_status ct_model_best(const ct_model *model, ct_pick *pick, ct_error *err)
{
    ct_status status = ct_problem_best(model->problem, model->values, &pick->seconds, err);
    if (status == CT_OK) model_pick(model, pick);
    return status;
}

ct_status ct_model_rank(ct_ranking **out, const ct_model *model, ct_error *err)
{
    return ct_ranking_new(out, model->problem, err);
}

ct_status ct_model_next(const ct_model *model, ct_ranking *ranking, ct_pick *pick, ct_error *err)
{
    const ct_status status = ct_ranking_next(ranking, model->values, &pick->seconds, err);
    if (status == CT_OK) model_pick(model, pick);
    return status;
}
