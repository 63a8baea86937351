/* new_tables.c: new contents of a table, between two blocks of a run.
 * Room: core/run. Knows tables' shapes and types. Does not know what any table means. */
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run_tables.h"

enum { EXTENTS = 128 }; /* room for "B=400 S=48 C=256" */

static void table_extents(char out[EXTENTS], const ct_array *array)
{
    size_t used = 0;
    out[0] = 0;
    for (int d = 0; d < array->rank && d < CT_DIMS && used < EXTENTS; d++)
        used += (size_t)snprintf(out + used, EXTENTS - used, "%s%c=%lld", d > 0 ? " " : "",
                                 array->dim[d], (long long)array->extent[d]);
}

static bool table_is_shape(const ct_array *table, const ct_array *fill)
{
    bool same = table->rank == fill->rank;
    for (int d = 0; same && d < table->rank; d++) {
        const int place = ct_array_find(fill, table->dim[d]);
        same = place >= 0 && fill->extent[place] == table->extent[d];
    }
    return same;
}

/* Is this a table, and one that may change while the run goes on? */
static ct_status table_check_port(const ct_run *run, int s, int p, const char *node, ct_error *err)
{
    const ct_port *port = &run->steps[s].step->stage->ports[p];
    if (port->direction != CT_TABLE)
        return ct_error_add(err, CT_USAGE, "port %s of node \"%s\" is no table", port->name, node);
    if (ct_step_is_updated(run->steps[s].step, p))
        return ct_error_add(err, CT_USAGE,
                            "table %s of node \"%s\" cannot change: it is filled for each block",
                            port->name, node);
    if (port->flags & CT_PORT_FIXED)
        return ct_error_add(err, CT_USAGE,
                            "table %s of node \"%s\" cannot change: it says where the kernel reads",
                            port->name, node);
    return CT_OK;
}

static ct_status table_check_fill(const ct_run *run, int s, int p, const char *node,
                                  const ct_array *fill, ct_error *err)
{
    const ct_array *table = &run->steps[s].step->port[p];
    const ct_port *port = &run->steps[s].step->stage->ports[p];
    char expected[EXTENTS], found[EXTENTS];
    table_extents(expected, table);
    table_extents(found, fill);
    if (!table_is_shape(table, fill))
        return ct_error_add(err, CT_USAGE, "table %s of node \"%s\" is %s, found %s", port->name,
                            node, expected, found[0] ? found : "no dimensions");
    if (!fill->data || ct_type_bits(fill->type) < 8)
        return ct_error_add(err, CT_USAGE,
                            "table %s of node \"%s\": expected data of a type such as %s, found %s",
                            port->name, node, ct_type_name(table->type),
                            fill->data ? ct_type_name(fill->type) : "no data");
    if (ct_type_complex(fill->type) == ct_type_complex(table->type)) return CT_OK;
    return ct_error_add(
        err, CT_USAGE, "table %s of node \"%s\" (%s) is %s: expected a %s type, found %s",
        port->name, node, port->help ? port->help : "", ct_type_name(table->type),
        ct_type_complex(table->type) ? "complex" : "real", ct_type_name(fill->type));
}

/* The place in `fill` of the table's n-th element in natural order. */
static int64_t table_element(const ct_array *table, const ct_array *fill, int64_t n)
{
    int64_t at = fill->offset;
    for (int d = table->rank - 1; d >= 0; d--) {
        at += n % table->extent[d] * ct_array_stride(fill, table->dim[d]);
        n /= table->extent[d];
    }
    return at;
}

/* A copy in natural order and of the table's own type; NULL: there is no memory. */
static void *table_convert(ct_array *out, const ct_array *table, const ct_array *fill)
{
    *out = *table;
    ct_array_dense(out, NULL);
    out->data = ct_memory_get(ct_array_bytes(out));
    for (int64_t n = 0; out->data && n < ct_array_count(out); n++) {
        const ct_complex one = ct_array_load(fill, table_element(table, fill, n));
        ct_array_save(out, n, one.re, one.im);
    }
    return out->data;
}

static ct_status table_put(ct_run *run, int s, int p, const ct_array *fill, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *table = &run->steps[s].step->port[p];
    ct_array own = *fill;
    void *converted = NULL;
    if (fill->type != table->type) {
        converted = table_convert(&own, table, fill);
        CT_NEED(converted, ct_array_bytes(&own), err);
    }
    CT_TRY(ct_program_put(table, &own, run->device, &run->steps[s].mem[p], err));
out:
    ct_memory_free(converted);
    return status;
}

/* ---- for a step that lags */

struct ct_run_table {
    struct ct_run_table *next;
    int step, port;
    int64_t from; /* the first block that is made with it */
    ct_array fill;
};

/* Adds it to those that wait already. */
static ct_status table_defer(ct_run *run, int s, int p, const ct_array *fill, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *table = &run->steps[s].step->port[p];
    struct ct_run_table **place = &run->tables, *kept = ct_memory_get(sizeof *kept);
    CT_NEED(kept, sizeof *kept, err);
    *kept = (struct ct_run_table){.step = s, .port = p, .from = run->block};
    CT_NEED(table_convert(&kept->fill, table, fill), ct_array_bytes(&kept->fill), err);
    while (*place)
        place = &(*place)->next;
    *place = kept;
    kept = NULL;
out:
    ct_memory_free(kept);
    return status;
}

ct_status ct_run_new_tables_take(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    for (struct ct_run_table **at = &run->tables; *at && status == CT_OK;) {
        struct ct_run_table *one = *at;
        if (one->step != s || one->from > ct_run_block_of(run, s)) {
            at = &one->next;
            continue;
        }
        status = table_put(run, s, one->port, &one->fill, err);
        *at = one->next;
        ct_memory_free(one->fill.data);
        ct_memory_free(one);
    }
    return status;
}

void ct_run_new_tables_free(ct_run *run)
{
    while (run->tables) {
        struct ct_run_table *one = run->tables;
        run->tables = one->next;
        ct_memory_free(one->fill.data);
        ct_memory_free(one);
    }
}

ct_status ct_run_table(ct_run *run, const char *node, const char *port, const ct_array *fill,
                       ct_error *err)
{
    CT_GIVEN(err, node, port, fill);
    ct_status status = CT_OK;
    int s, p;
    CT_TRY(ct_run_ready(run, "ct_run_table", err));
    if (run->resume)
        return ct_error_add(err, CT_USAGE,
                            "ct_run_table: the run keeps a journal to go on from, which does not "
                            "have what tables become");
    CT_TRY(ct_plan_find_port(run->plan, node, port, &s, &p, err));
    CT_TRY(table_check_port(run, s, p, node, err));
    CT_TRY(table_check_fill(run, s, p, node, fill, err));
    run->tabled = true;
    const bool later = ct_run_block_of(run, s) < run->block;
    if ((later ? table_defer : table_put)(run, s, p, fill, &run->failure) != CT_OK)
        return ct_run_fail(run, run->failure.status, err);
out:
    return status;
}
