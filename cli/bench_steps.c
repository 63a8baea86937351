/* bench_steps.c: of bench PIPELINE --plan: what each step takes under each plan, with which
 * layouts. Room: cli. Knows the JSON of ct_tune_rehearse. Does not know how plans are rehearsed. */
#include "bench.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <stdio.h>
#include <string.h>

enum { TIMES = 64 * 99 };

/* What a row adds up: a step, transposes that a plan puts in, all steps, or the whole block. */
typedef enum steps_kind { STEPS_ONE, STEPS_TRANSPOSES, STEPS_ALL, STEPS_BLOCK } steps_kind;

typedef struct steps_row {
    steps_kind kind;
    const char *name;
} steps_row;

typedef struct steps_table {
    const ct_value *processes;
    const ct_plan *const *plans;
    int count;
} steps_table;

/* What seconds of a block are in the table: ms of a second of signal, or ns of a sample. */
static double steps_unit(const steps_table *table, int plan)
{
    const ct_bench_block block = ct_bench_block_of(table->processes, plan);
    return block.signal_s > 0 ? 1e3 / block.signal_s : 1e9 / block.samples;
}

static bool steps_belongs(const steps_row *row, const char *name)
{
    if (row->kind == STEPS_ONE) return strcmp(row->name, name) == 0;
    return row->kind == STEPS_ALL || strchr(name, '>') != NULL;
}

static size_t steps_add(double *out, size_t room, const ct_value *seconds)
{
    size_t r = 0;
    for (; r < ct_value_count(seconds) && r < room; r++)
        out[r] += ct_value_real(ct_value_at(seconds, r), 0.0);
    return r;
}

/* Round by round, process after process, in the table's unit; 0: the plan has none of it. */
static size_t steps_times(const steps_table *table, const steps_row *row, int plan, double *out)
{
    size_t count = 0;
    memset(out, 0, sizeof *out * TIMES);
    for (size_t i = 0; i < ct_value_count(table->processes); i++) {
        const ct_value *plans = ct_value_get(ct_value_at(table->processes, i), "plans");
        const ct_value *mine = ct_value_at(plans, (size_t)plan),
                       *steps = ct_value_get(mine, "steps");
        size_t rounds = 0;
        for (size_t s = 0; row->kind != STEPS_BLOCK && s < ct_value_count(steps); s++) {
            const ct_value *step = ct_value_at(steps, s);
            if (steps_belongs(row, ct_value_text(ct_value_get(step, "name"), "")))
                rounds = steps_add(out + count, TIMES - count, ct_value_get(step, "seconds"));
        }
        if (row->kind == STEPS_BLOCK)
            rounds = steps_add(out + count, TIMES - count, ct_value_get(mine, "wall"));
        count += rounds;
    }
    for (size_t i = 0; i < count; i++)
        out[i] *= steps_unit(table, plan);
    return count;
}

/* Its place among the plan's steps; their number: it has no such step. */
static size_t steps_find(const ct_plan *plan, const char *name)
{
    const ct_step *step;
    size_t n = 0;
    while ((step = ct_plan_step_at(plan, n)) != NULL && strcmp(ct_step_name(step), name) != 0)
        n++;
    return n;
}

static const ct_step *steps_of(const ct_plan *plan, const steps_row *row)
{
    if (row->kind != STEPS_ONE) return NULL;
    return ct_plan_step_at(plan, steps_find(plan, row->name));
}

/* ---- printing */

/* "SPTC > CTSP": what is read and what is written. */
static void steps_layouts(const ct_step *step)
{
    const char *before = "";
    const ct_direction way[] = {CT_IN, CT_OUT};
    for (int w = 0; step != NULL && w < 2; w++) {
        for (int i = 0; i < CT_PORTS && step->stage->ports[i].name != NULL; i++) {
            const ct_array *array = &step->port[i];
            if (step->stage->ports[i].direction != way[w] || array->layout.rank == 0) continue;
            printf("%s%s", before, array->layout.dim);
            before = " ";
        }
        before = w == 0 && *before != 0 ? " > " : "> ";
    }
}

static void steps_number(double value, int digits)
{
    char text[64];
    ct_number_print(text, sizeof text, "%.*g", digits, value);
    printf("%s", text);
}

static ct_status steps_cell(const steps_table *table, const steps_row *row, int plan,
                            const double *first, size_t firsts, ct_error *err)
{
    ct_status status = CT_OK;
    double mine[TIMES], middle[3], ratio[3];
    const ct_step *step = steps_of(table->plans[plan], row);
    const double flops =
        step != NULL && step->stage->flops != NULL ? step->stage->flops(step) : 0.0;
    const size_t count = steps_times(table, row, plan, mine);
    printf(" ");
    steps_layouts(step);
    printf(" | ");
    if (count > 0) {
        CT_TRY(ct_tune_ratio(middle, mine, NULL, count, err));
        steps_number(middle[0], 4);
    }
    printf(" | ");
    if (count > 0 && flops > 0.0)
        steps_number(1e-9 * flops * steps_unit(table, plan) / middle[0], 3);
    printf(" |");
    if (plan == 0) goto out;
    printf(" ");
    if (count > 0 && count == firsts) {
        CT_TRY(ct_tune_ratio(ratio, mine, first, count, err));
        steps_number(ratio[0], 3);
    }
    printf(" |");
out:
    return status;
}

static ct_status steps_print(const steps_table *table, const steps_row *row, ct_error *err)
{
    ct_status status = CT_OK;
    double first[TIMES];
    const size_t firsts = steps_times(table, row, 0, first);
    printf("| %s |", row->name);
    for (int p = 0; p < table->count; p++)
        CT_TRY(steps_cell(table, row, p, first, firsts, err));
    printf("\n");
out:
    return status;
}

/* ---- rows, in the order of the first plan */

static bool steps_is_in(const steps_table *table, const ct_step *step, int plans)
{
    for (int p = 0; p < plans; p++)
        if (ct_plan_step_at(table->plans[p], steps_find(table->plans[p], ct_step_name(step))))
            return true;
    return false;
}

/* Steps that the first plan lacks and a later one has right before its n-th step, where no plan
 * before that one has them. */
static ct_status steps_others(const steps_table *table, int plan, size_t n, ct_error *err)
{
    ct_status status = CT_OK;
    size_t from = n;
    while (from > 0 && !steps_is_in(table, ct_plan_step_at(table->plans[plan], from - 1), 1))
        from--;
    for (; from < n; from++) {
        const ct_step *step = ct_plan_step_at(table->plans[plan], from);
        if (!steps_is_in(table, step, plan))
            CT_TRY(steps_print(table, &(steps_row){STEPS_ONE, ct_step_name(step)}, err));
    }
out:
    return status;
}

static ct_status steps_all(const steps_table *table, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_step *step;
    size_t n = 0;
    do {
        step = ct_plan_step_at(table->plans[0], n++);
        const steps_row row = {STEPS_ONE, step ? ct_step_name(step) : ""};
        for (int p = 1; p < table->count; p++) {
            const size_t at = steps_find(table->plans[p], row.name);
            if (!step || ct_plan_step_at(table->plans[p], at))
                CT_TRY(steps_others(table, p, at, err));
        }
        if (step) CT_TRY(steps_print(table, &row, err));
    } while (step);
out:
    return status;
}

static void steps_head(const steps_table *table, const char *const *names)
{
    const bool time = ct_bench_block_of(table->processes, 0).signal_s > 0;
    const int count = table->count;
    printf("\n| step |");
    for (int p = 0; p < count; p++)
        printf(" %s | %s | GFLOP/s |%s", names[p], time ? "ms/s" : "ns/sample",
               p > 0 ? " ratio |" : "");
    printf("\n|---|");
    for (int p = 0; p < count; p++)
        printf("---|---:|---:|%s", p > 0 ? "---:|" : "");
    printf("\n");
}

ct_status ct_bench_steps(const ct_value *processes, const ct_plan *const *plans,
                         const char *const *names, int count, ct_error *err)
{
    static const steps_row sums[] = {{STEPS_TRANSPOSES, "transposes, together"},
                                     {STEPS_ALL, "steps, together"},
                                     {STEPS_BLOCK, "block"}};
    ct_status status = CT_OK;
    const steps_table table = {processes, plans, count};
    steps_head(&table, names);
    CT_TRY(steps_all(&table, err));
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        CT_TRY(steps_print(&table, &sums[i], err));
out:
    return status;
}
