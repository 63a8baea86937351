/* terms.c: names that stand for expressions: a stage's terms, and the sizes of its tiles.
 * Room: core/step. Knows ct_term and ct_tile. Does not know what the expressions name. */
#include <ctype.h>
#include <string.h>

#include "access.h"
#include "fail.h"
#include "step_inner.h"
#include "text.h"

/* "((TILE_C)*((TILE_T)*1+(8)))": the elements of a tile, padding included, slowest dimension first.
 */
static void tile_elements(ct_text *out, const ct_tile *tile)
{
    const char *padding = tile->padding ? tile->padding : "0", *extent = tile->extents;
    const size_t letters = strlen(tile->order);
    const bool named = padding[0] && padding[1] == ':';
    const char padded = named ? padding[0] : tile->order[letters - 1];
    for (size_t i = 0; i < letters; i++) {
        const size_t length = ct_expr_until(extent, ",");
        ct_text_add(out, "((%.*s)*", (int)length, extent);
        extent += length + (extent[length] == ',');
    }
    ct_text_add(out, "1");
    for (size_t i = letters; i-- > 0;)
        ct_text_add(out, tile->order[i] == padded ? "+(%s))" : ")", named ? padding + 2 : padding);
}

static int64_t element_bytes(const char *type)
{
    const char last = type[strlen(type) - 1];
    return ct_access_part_bytes(type) * (isdigit((unsigned char)last) ? last - '0' : 1);
}

/* Several tiles share a name where only one of them is generated; 0 where none is. */
static const char *tile_size(ct_arena *arena, const ct_stage *stage, const char *name, bool bytes)
{
    ct_text text = {0};
    int rows = 0;
    for (const ct_tile *tile = stage->kernel.tiles; tile->name; tile++) {
        if (strcmp(tile->name, name) != 0 || !tile->order[0]) continue;
        ct_text_add(&text, "(HAVE_%s&&(%s)?", tile->port, tile->when ? tile->when : "1");
        if (bytes) ct_text_add(&text, "%lld*", (long long)element_bytes(tile->type));
        tile_elements(&text, tile);
        ct_text_add(&text, ":");
        rows++;
    }
    ct_text_add(&text, "0");
    while (rows-- > 0)
        ct_text_add(&text, ")");
    const char *copy = ct_arena_copy(arena, text.data);
    if (text.failed) ct_arena_lacks(arena, text.lacks);
    ct_text_free(&text);
    return copy;
}

static void add_term(ct_step_inner *inner, const char *name, const char *value)
{
    const size_t bytes = (size_t)(inner->term_count + 1) * sizeof *inner->terms;
    if (ct_memory_grow(&inner->terms, bytes, NULL) != CT_OK) {
        ct_arena_lacks(inner->arena, bytes);
        return;
    }
    inner->terms[inner->term_count++] = (ct_step_term){.name = name, .value = value};
}

void ct_terms_collect(ct_step *step)
{
    ct_step_inner *inner = ct_step_in(step);
    const ct_stage *stage = step->stage;
    for (const ct_term *term = stage->tuning.terms; term && term->name; term++)
        add_term(inner, term->name, term->value);
    for (const ct_tile *tile = stage->kernel.tiles; tile && tile->name; tile++) {
        const char *name = ct_arena_print(inner->arena, "%s_SIZE", tile->name);
        if (ct_terms_find(step, name)) continue;
        add_term(inner, name, tile_size(inner->arena, stage, tile->name, false));
        add_term(inner, ct_arena_print(inner->arena, "%s_BYTES", tile->name),
                 tile_size(inner->arena, stage, tile->name, true));
    }
}

/* The stage's own. A tile may lack what its expressions name as long as it is not used. */
ct_status ct_terms_parse(ct_step *step, ct_error *err)
{
    ct_step_term *term = ct_step_in(step)->terms;
    for (const ct_term *of = step->stage->tuning.terms; of && of->name; of++, term++) {
        const ct_status status = ct_expr_new(&term->expr, term->value, ct_step_names(step), err);
        if (status == CT_OK) continue;
        if (status == CT_FAILED) return status;
        return ct_error_add(err, CT_INVALID, "stage %s: the term %s cannot be used",
                            step->stage->name, term->name);
    }
    return CT_OK;
}

static const ct_step_term *find_term(const ct_step *step, const char *name)
{
    const ct_step_inner *inner = ct_step_in(step);
    for (int i = 0; i < inner->term_count; i++)
        if (!strcmp(inner->terms[i].name, name)) return &inner->terms[i];
    return NULL;
}

const char *ct_terms_find(const ct_step *step, const char *name)
{
    const ct_step_term *term = find_term(step, name);
    return term ? term->value : NULL;
}

void ct_terms_free(ct_step *step)
{
    ct_step_inner *inner = ct_step_in(step);
    for (int i = 0; i < inner->term_count; i++)
        ct_expr_free(inner->terms[i].expr);
    ct_memory_free(inner->terms);
}

/* A term is parsed already. Who asks whether a condition holds does not learn why it has no value:
 * the step remembers where that was for want of memory. */
ct_status ct_step_evaluate(const ct_step *step, const char *expression, int64_t *out, ct_error *err)
{
    CT_GIVEN(err, step, expression, out);
    const ct_step_term *term = find_term(step, expression);
    if (term && term->expr) return ct_expr_run(term->expr, step, out, err);
    const ct_status status = ct_expr_evaluate(out, expression, ct_step_names(step), err);
    if (status == CT_FAILED) ct_arena_lacks(ct_step_in(step)->arena, 0);
    return status;
}
