/* stage_copy.c: a stage's descriptor with all its texts and tables, so that a caller may make it in
 * memory that goes away.
 * Room: core/stage. Knows where the descriptor's structs have texts. Does not know what they mean.
 */
#include <stddef.h>
#include <string.h>

#include "stage_check.h"

enum { MOST_TEXTS = 15 };

/* A table's rows: their size, the text that the row at the end does not have, and all texts. */
typedef struct rows {
    size_t size, key;
    size_t text[MOST_TEXTS]; /* offsets; `key` is one of them */
    size_t texts;
} rows;

#define AT(member) offsetof(ROW, member)
#define ROW ct_port
static const rows port_rows = {
    sizeof(ROW), AT(name), {AT(name), AT(dims), AT(types), AT(layout), AT(prefer), AT(help)}, 6};
#undef ROW
#define ROW ct_param
static const rows param_rows = {
    sizeof(ROW), AT(name), {AT(name), AT(otherwise), AT(choices), AT(help)}, 4};
#undef ROW
#define ROW ct_tunable
static const rows tunable_rows = {
    sizeof(ROW), AT(name), {AT(name), AT(values), AT(cpu), AT(gpu), AT(help)}, 5};
#undef ROW
#define ROW ct_tile
static const rows tile_rows = {
    sizeof(ROW),
    AT(name),
    {AT(name), AT(port), AT(order), AT(extents), AT(padding), AT(type), AT(when)},
    7};
#undef ROW
#define ROW ct_term
static const rows term_rows = {sizeof(ROW), AT(name), {AT(name), AT(value), AT(help)}, 3};
#undef ROW
#define ROW ct_case
static const rows case_rows = {
    sizeof(ROW), AT(extents), {AT(params), AT(extents), AT(type), AT(tunables)}, 4};
#undef ROW
#define ROW ct_fill
static const rows fill_rows = {sizeof(ROW), AT(port), {AT(port), AT(entry)}, 2};
#undef ROW
#define ROW ct_case_array
static const rows array_rows = {sizeof(ROW), AT(port), {AT(port), AT(file)}, 2};
#undef ROW
#define ROW ct_stage_launch
static const rows launch_rows = {sizeof(ROW), AT(entry), {AT(entry), AT(parallel)}, 2};
#undef ROW
#define ROW ct_stage
static const rows stage_rows = {
    sizeof(ROW),
    AT(name),
    {AT(name), AT(summary), AT(fuses), AT(split), AT(digest), AT(tuning.where),
     AT(tuning.legal_why), AT(kernel.text), AT(kernel.name), AT(kernel.entry), AT(kernel.parallel),
     AT(verify.text), AT(verify.name), AT(verify.entry), AT(verify.parallel)},
    15};
#undef ROW

/* A member that is added to one of these has to be added above. */
_Static_assert(sizeof(ct_port) == 6 * sizeof(char *) + 2 * sizeof(int), "texts of a port");
_Static_assert(sizeof(ct_param) == 5 * sizeof(char *) + 2 * sizeof(double), "texts of a parameter");
_Static_assert(sizeof(ct_tunable) == 5 * sizeof(char *), "texts of a tunable");
_Static_assert(sizeof(ct_tile) == 7 * sizeof(char *), "texts of a tile");
_Static_assert(sizeof(ct_term) == 3 * sizeof(char *), "texts of a term");
_Static_assert(sizeof(ct_case) == 4 * sizeof(char *), "texts of a case");
_Static_assert(sizeof(ct_fill) == 2 * sizeof(char *), "texts of a fill");
_Static_assert(sizeof(ct_case_array) == 4 * sizeof(char *), "texts of a case's array");

static const char **text_at(void *row, size_t offset)
{
    return (const char **)((char *)row + offset);
}

static void copy_texts(ct_arena *arena, const rows *kind, void *row)
{
    for (size_t i = 0; i < kind->texts; i++) {
        const char **text = text_at(row, kind->text[i]);
        if (*text) *text = ct_arena_copy(arena, *text);
    }
}

/* The rows up to the one without a key, and that one, zeroed. */
static void *copy_table(ct_arena *arena, const rows *kind, const void *table)
{
    size_t count = 0;
    if (!table) return NULL;
    for (const char *row = table; *(const char *const *)(row + kind->key); row += kind->size)
        count++;
    char *copy = ct_arena_get(arena, (count + 1) * kind->size);
    if (!copy) return NULL;
    memcpy(copy, table, count * kind->size);
    for (size_t i = 0; i < count; i++)
        copy_texts(arena, kind, copy + i * kind->size);
    return copy;
}

const ct_stage *ct_stage_copy(ct_arena *arena, const ct_stage *stage)
{
    ct_stage *copy = ct_arena_get(arena, sizeof *copy);
    if (!copy) return NULL;
    *copy = *stage;
    copy_texts(arena, &stage_rows, copy);
    for (int p = 0; p < CT_PORTS && copy->ports[p].name; p++)
        copy_texts(arena, &port_rows, &copy->ports[p]);
    copy->params = copy_table(arena, &param_rows, stage->params);
    copy->tuning.tunables = copy_table(arena, &tunable_rows, stage->tuning.tunables);
    copy->kernel.tiles = copy_table(arena, &tile_rows, stage->kernel.tiles);
    copy->tuning.terms = copy_table(arena, &term_rows, stage->tuning.terms);
    copy->verify.cases = copy_table(arena, &case_rows, stage->verify.cases);
    copy->kernel.launches = copy_table(arena, &launch_rows, stage->kernel.launches);
    copy->kernel.fills = copy_table(arena, &fill_rows, stage->kernel.fills);
    copy->verify.arrays = copy_table(arena, &array_rows, stage->verify.arrays);
    return copy;
}
