/* clock_table.h: when nodes fire. A node takes a fixed number of samples each time, and fires as
 * soon as so many have come: once per block, every few blocks, or irregularly where its samples do
 * not divide the blocks. All follows from the graph, so every process and every later run knows it.
 * Room: core/graph. */
#ifndef CT_CORE_CLOCK_TABLE_H
#define CT_CORE_CLOCK_TABLE_H
#include "cornerturn_stage.h"

/* Counts firings: each takes `span` samples of the sources, of those that clock `from` has brought
 * (-1: the sources themselves), and where two inputs meet, clock `also` too (-1: none). */
typedef struct ct_clock {
    int from, also;
    int64_t span;
    int64_t late; /* samples of the sources that may have come and were not given yet, at most */
} ct_clock;

typedef struct ct_clock_table {
    ct_clock *clock; /* the first one is that of the sources */
    int count, room;
} ct_clock_table;

/* Forgets all but the sources' clock, which takes `block` samples. Memory is the arena's. */
ct_status ct_clock_table_begin(ct_clock_table *table, void *arena, int room, int64_t block,
                               ct_error *err);
/* The clock of this kind, perhaps one that there is. */
int ct_clock_table_add(ct_clock_table *table, int from, int also, int64_t span);
/* Firings of a clock once the sources have given so many blocks. */
int64_t ct_clock_table_fired(const ct_clock_table *table, int clock, int64_t blocks);
/* Blocks per firing. */
double ct_clock_table_period(const ct_clock_table *table, int clock);

#endif
