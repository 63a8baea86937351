/* clock_table.c: when nodes fire: see clock_table.h. Room: core/graph. Knows samples of the
 * sources. Does not know nodes. */
#include "clock_table.h"

#include "fail.h"
#include "memory.h"

ct_status ct_clock_table_begin(ct_clock_table *table, void *arena, int room, int64_t block,
                               ct_error *err)
{
    if (table->room < room) {
        table->clock = ct_arena_get(arena, sizeof *table->clock * (size_t)room);
        table->room = table->clock ? room : 0;
    }
    table->count = 0;
    if (table->room == 0) return ct_arena_check(arena, err);
    table->clock[table->count++] = (ct_clock){-1, -1, block, 0};
    return CT_OK;
}

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int ct_clock_table_add(ct_clock_table *table, int from, int also, int64_t span)
{
    const ct_clock *first = &table->clock[from];
    span = longer(span, 1); /* of what is no shape */
    if (also == from) also = -1;
    if (also < 0 && first->span == span) return from;
    for (int c = 1; c < table->count; c++) {
        const ct_clock *is = &table->clock[c];
        if (is->from == from && is->also == also && is->span == span) return c;
    }
    int64_t late = first->late + first->span;
    if (also >= 0) late = longer(late, table->clock[also].late + table->clock[also].span);
    table->clock[table->count] = (ct_clock){from, also, span, late + span};
    return table->count++;
}

/* Of one that brings samples. */
static int64_t fired_by(const ct_clock_table *table, int clock, int64_t span, int64_t blocks)
{
    return ct_clock_table_fired(table, clock, blocks) * table->clock[clock].span / span;
}

int64_t ct_clock_table_fired(const ct_clock_table *table, int clock, int64_t blocks)
{
    const ct_clock *is = &table->clock[clock];
    if (blocks <= 0) return 0;
    if (is->from < 0) return blocks;
    const int64_t fired = fired_by(table, is->from, is->span, blocks);
    const int64_t other = is->also < 0 ? fired : fired_by(table, is->also, is->span, blocks);
    return fired < other ? fired : other;
}

double ct_clock_table_period(const ct_clock_table *table, int clock)
{
    return (double)table->clock[clock].span / (double)table->clock[0].span;
}
