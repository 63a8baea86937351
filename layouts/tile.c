/* tile.c: the generator's entry: describes a box as dimensions, writes the tile's names and the
 * functions' frames; tile_vectors.c and tile_plain.c write what stands inside.
 *
 * Room: layouts. Knows orders and strides. Does not know stages, launches or OpenCL calls. */

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "fail.h"
#include "text.h"
#include "tile_inner.h"

static ct_status describe_dim(ct_tile_plan *plan, int k, ct_error *err)
{
    const ct_box *box = plan->box;
    const char letter = box->order[k], capital = (char)toupper((unsigned char)letter);
    const char *place = strchr(box->access.letters, capital);
    if (!place)
        return ct_error_add(err, CT_INVALID,
                            "tile %s: port %s has no dimension %c; expected some of %s", box->name,
                            box->access.name, capital, box->access.letters);
    const int argument = (int)(place - box->access.letters);
    const char *inner = strchr(box->order, tolower((unsigned char)letter));
    const int64_t step = inner && inner != box->order + k ? box->extent[inner - box->order] : 1;
    plan->dim[k] = (ct_tile_dim){
        .letter = letter,
        .argument = argument,
        .extent = box->extent[k],
        .step = step,
        .array = step * ct_array_stride(box->access.array, box->access.aliases[argument]),
    };
    return CT_OK;
}

static void describe_tile(ct_tile_plan *plan)
{
    const ct_box *box = plan->box;
    const char padded = box->padded ? box->padded : box->order[plan->count - 1];
    int64_t stride = 1;
    for (int k = plan->count - 1; k >= 0; k--) {
        plan->dim[k].tile = stride;
        stride *= plan->dim[k].extent;
        if (plan->dim[k].letter == padded) stride += box->padding;
    }
    plan->size = stride;
}

/* In the array's memory order; where it has no stride, an outer part still goes before its inner.
 */
static bool goes_before(const ct_tile_dim *a, const ct_tile_dim *b)
{
    return a->array != b->array ? a->array > b->array : a->step > b->step;
}

static void describe_order(ct_tile_plan *plan)
{
    for (int k = 0; k < plan->count; k++) {
        int place = k;
        for (; place > 0 && goes_before(&plan->dim[k], &plan->dim[plan->order[place - 1]]); place--)
            plan->order[place] = plan->order[place - 1];
        plan->order[place] = k;
    }
}

static ct_status describe(ct_tile_plan *plan, const ct_box *box, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_type type = box->access.array->type;
    *plan = (ct_tile_plan){.box = box, .count = (int)strlen(box->order)};
    assert(plan->count > 0 && plan->count <= CT_DIMS);
    if (!ct_access_converts(type, box->type))
        CT_TRY(ct_error_add(err, CT_INVALID, "tile %s: %s of port %s cannot become %s", box->name,
                            ct_type_name(type), box->access.name, box->type));
    for (int k = 0; k < plan->count; k++)
        CT_TRY(describe_dim(plan, k, err));
    describe_tile(plan);
    describe_order(plan);
out:
    return status;
}

int64_t ct_tile_plan_extent(const ct_tile_plan *plan, int argument)
{
    int64_t extent = 1;
    for (int k = 0; k < plan->count; k++)
        if (plan->dim[k].argument == argument) extent *= plan->dim[k].extent;
    return extent;
}

bool ct_tile_plan_coordinate(ct_text *text, const ct_tile_plan *plan, int argument)
{
    bool any = false;
    for (int k = 0; k < plan->count; k++) {
        const ct_tile_dim *dim = &plan->dim[k];
        if (dim->argument != argument || dim->extent == 1) continue;
        ct_text_add(text, any ? " + i_%c" : "i_%c", dim->letter);
        if (dim->step != 1) ct_text_add(text, " * %" PRId64, dim->step);
        any = true;
    }
    return any;
}

static void add_index(ct_text *text, const ct_tile_plan *plan, bool tile, const char *suffix)
{
    for (int k = 0; k < plan->count; k++) {
        const ct_tile_dim *dim = &plan->dim[k];
        const int64_t stride = tile ? dim->tile : dim->array;
        if (dim->extent > 1 && stride != 0)
            ct_text_add(text, " + i_%c * %" PRId64 "%s", dim->letter, stride, suffix);
    }
}

void ct_tile_plan_tile_index(ct_text *text, const ct_tile_plan *plan)
{
    ct_text_add(text, "0");
    add_index(text, plan, true, "");
}

void ct_tile_plan_array_index(ct_text *text, const ct_tile_plan *plan)
{
    ct_text_add(text, "at");
    add_index(text, plan, false, ct_access_wide(&plan->box->access) ? "L" : "");
}

/* Both parts of a split dimension are arguments: an inner part's is written `t_`. */
static void add_tile_arguments(ct_text *text, const ct_tile_plan *plan, const char *before)
{
    for (int k = 0; k < plan->count; k++) {
        const char letter = plan->dim[k].letter;
        ct_text_add(text, "%s%c%s", k ? before : "", tolower((unsigned char)letter),
                    islower((unsigned char)letter) ? "_" : "");
    }
}

static void emit_names(ct_text *text, const ct_tile_plan *plan)
{
    const ct_box *box = plan->box;
    const char *name = box->name;
    ct_text_add(text, "#define %s_TYPE %s\n#define %s_SPACE %s\n", name, box->type, name,
                box->group == 1 ? "private" : "local");
    for (int k = 0; k < plan->count; k++)
        ct_text_add(text, "#define %s_N_%c %" PRId64 "\n#define %s_STRIDE_%c %" PRId64 "\n", name,
                    plan->dim[k].letter, plan->dim[k].extent, name, plan->dim[k].letter,
                    plan->dim[k].tile);
    ct_text_add(text, "#define %s_SIZE %" PRId64 "\n#define %s_AT(", name, plan->size, name);
    add_tile_arguments(text, plan, ", ");
    ct_text_add(text, ") (");
    for (int k = 0; k < plan->count; k++)
        ct_text_add(text, "%s(%c%s) * %s_STRIDE_%c", k ? " + " : "",
                    tolower((unsigned char)plan->dim[k].letter),
                    islower((unsigned char)plan->dim[k].letter) ? "_" : "", name,
                    plan->dim[k].letter);
    ct_text_add(text, ")\n");
}

/* core/emit may have defined it already. */
static void emit_group(ct_text *text, int group)
{
    ct_text_add(text, "#ifndef CT_ITEMS\n#define CT_ITEMS %d\n#endif\n", group);
    ct_text_add(text, "#ifndef CT_LID\n#define CT_LID %s\n#endif\n",
                group == 1 ? "0"
                           : "((int)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + "
                             "get_local_size(1) * get_local_id(2))))");
    ct_text_add(text, "#ifndef CT_BARRIER\n#define CT_BARRIER %s\n#endif\n",
                group == 1 ? "" : "barrier(CLK_LOCAL_MEM_FENCE)");
}

static void add_arguments(ct_text *text, const ct_access *access, const char *type,
                          const char *suffix)
{
    for (int k = 0; access->letters[k]; k++)
        ct_text_add(text, "%s%s%c%s", k ? ", " : "", type,
                    tolower((unsigned char)access->letters[k]), suffix);
}

/* PoCL 3.1 does not know the work-item's number within a function that is called. */
#define INLINED "inline __attribute__((always_inline)) "

static void emit_function(ct_text *text, const ct_tile_plan *plan)
{
    const ct_box *box = plan->box;
    const char *port = box->access.name, *name = box->name;
    const bool store = box->access.write;
    ct_tile_ways ways;
    const bool fits = ct_tile_ways_plan(&ways, plan);
    if (store && box->group == 1) ct_tile_round_emit(text, box);
    for (int k = 0; fits && k < ways.count; k++)
        ct_tile_vectors_emit(text, &ways.way[k]);
    if (!store && box->group == 1) ct_tile_clear_emit_function(text, plan);
    ct_text_add(text,
                "static %svoid ct_%s_%s(global %s%s_TYPE *restrict %s_data, %s_SPACE %s%s_TYPE "
                "*restrict tile, ",
                box->group == 1 ? "" : INLINED, store ? "store" : "pack", name,
                store ? "" : "const ", port, port, name, store ? "const " : "", name);
    add_arguments(text, &box->access, "const int ", "0");
    ct_text_add(text, ")\n{\n    const %s_INDEX at = %s_AT(", port, port);
    add_arguments(text, &box->access, "", "0");
    ct_text_add(text, ");\n");
    ct_tile_plain_emit_inside(text, plan);
    if (fits) ct_tile_ways_emit_calls(text, &ways);
    ct_tile_plain_emit(text, plan);
    ct_text_add(text, "%s}\n#define %s_%s(tile, ", fits ? "    }\n" : "", store ? "STORE" : "PACK",
                name);
    add_arguments(text, &box->access, "", "");
    ct_text_add(text, ") ct_%s_%s(%s_data, (tile), ", store ? "store" : "pack", name, port);
    add_arguments(text, &box->access, "", "");
    ct_text_add(text, ")\n");
}

/* Elements that lie together in the array's memory: the fastest dimensions that follow each other.
 */
static int64_t contiguous_row(const ct_tile_plan *plan, int *dims)
{
    int64_t row = 1;
    *dims = plan->count;
    for (int k = plan->count - 1; k >= 0; k--) {
        const ct_tile_dim *dim = &plan->dim[plan->order[k]];
        if (dim->extent > 1 && dim->array != row) break;
        row *= dim->extent;
        *dims = k;
    }
    return row;
}

static void emit_prefetch_loops(ct_text *text, const ct_tile_plan *plan)
{
    int dims;
    const int64_t row = contiguous_row(plan, &dims);
    const int64_t line = 64 * 8 / ct_type_bits(plan->box->access.array->type);
    ct_text offset = {0};
    for (int k = 0; k < dims; k++) {
        const ct_tile_dim *dim = &plan->dim[plan->order[k]];
        if (dim->extent == 1) continue;
        ct_text_add(text, "    for (int i_%c = 0; i_%c < %" PRId64 "; i_%c++)\n", dim->letter,
                    dim->letter, dim->extent, dim->letter);
        ct_text_add(&offset, " + i_%c * %" PRId64 "L", dim->letter, dim->array);
    }
    ct_text_add(text, "    for (int k = 0; k < %" PRId64 "; k += %" PRId64 ")\n", row, line);
    ct_text_add(text, "        CT_PREFETCH(%s_data + at + k%s);\n", plan->box->access.name,
                offset.data ? offset.data : "");
    ct_text_end(&offset, text);
}

/* One prefetch for each cache line of the box; harmless where it reaches beyond the array. */
static void emit_prefetch(ct_text *text, const ct_tile_plan *plan)
{
    const ct_box *box = plan->box;
    const char *name = box->name, *port = box->access.name;
    ct_text_add(text, "#define PREFETCH_%s(", name);
    add_arguments(text, &box->access, "", "");
    if (!box->prefetch || box->group != 1) {
        ct_text_add(text, ")\n");
        return;
    }
    ct_text_add(text, ") ct_prefetch_%s(%s_data, ", name, port);
    add_arguments(text, &box->access, "", "");
    ct_text_add(text, ")\nstatic void ct_prefetch_%s(global const %s_TYPE *%s_data, ", name, port,
                port);
    add_arguments(text, &box->access, "const int ", "0");
    ct_text_add(text, ")\n{\n    const %s_INDEX at = %s_AT(", port, port);
    add_arguments(text, &box->access, "", "0");
    ct_text_add(text, ");\n");
    emit_prefetch_loops(text, plan);
    ct_text_add(text, "}\n");
}

ct_status ct_tile_emit(ct_text *text, const ct_box *box, ct_error *err)
{
    ct_status status = CT_OK;
    ct_tile_plan plan;
    CT_TRY(describe(&plan, box, err));
    emit_group(text, box->group);
    emit_names(text, &plan);
    emit_function(text, &plan);
    if (box->access.write) goto out;
    if (box->prefetch) ct_register_transpose_types(text);
    emit_prefetch(text, &plan);
out:
    return status;
}
