/* space.h: what there is to choose: the layouts that each step of a graph may read and write, and
 * the arrays between steps. Room: tuner/pipeline. Knows graphs, patterns and pins. Does not know
 * what anything costs.
 *
 * A site is a node; its axes are the inputs that are connected, in port order, and then its
 * outputs. A cell of a site names a layout on each axis. Sources, sinks, pinned ports and second
 * outputs have one layout, that of the default plan: files stay as they are. Of layouts that differ
 * only in where extents of 1 stand, one is taken. */
#ifndef CT_TUNER_SPACE_H
#define CT_TUNER_SPACE_H
#include "graph.h"
#include "memory.h"

enum { CT_SPACE_READERS = 16 /* most of one array */ };

typedef struct ct_axis {
    int port;
    bool out;
    int count;       /* layouts */
    ct_layout *list; /* the default plan's first */
    int spot;        /* the array that is read or written; -1: an output that nobody reads */
    int place;       /* among the spot's readers; -1: it writes */
} ct_axis;

typedef struct ct_site {
    int node;
    const char *name;
    const ct_step *step; /* the graph's */
    bool free;           /* a kernel: it costs something */
    int axes, inputs;    /* inputs come first */
    ct_axis axis[CT_PORTS];
    int64_t cells; /* product of the counts */
} ct_site;

/* An array that one node writes and others read. */
typedef struct ct_spot {
    int site, axis; /* that writes it */
    int readers;
    int reader_site[CT_SPACE_READERS], reader_axis[CT_SPACE_READERS];
    int layouts; /* that somebody may write or read */
    ct_layout *list;
    int *number[CT_SPACE_READERS +
                1]; /* [0] the writer's, [1 + r] the reader's: a layout's place here */
    double bytes;
} ct_spot;

typedef struct ct_space {
    const ct_graph *graph;
    const ct_value *usual; /* the default plan, complete */
    const char *const *only;
    int sites, spots;
    ct_site *site;
    ct_spot *spot;
    ct_arena *arena;
} ct_space;

/* `usual`: the default plan's JSON. `only`: nodes whose layouts may change, NULL at the end; NULL:
 * all. All are borrowed. CT_USAGE: `only` names no node. */
ct_status ct_space_new(ct_space **out, const ct_graph *graph, const ct_value *usual,
                       const char *const *only, ct_error *err);
void ct_space_free(ct_space *space);
int ct_space_find(const ct_space *space, const char *name); /* the site; -1 */

/* The layouts on a cell's axes; the other way round; -1 where a layout is none of the axis'. */
void ct_space_places(const ct_site *site, int64_t cell, int places[CT_PORTS]);
int64_t ct_space_cell(const ct_site *site, const int places[CT_PORTS]);
/* "SPTC,ST>CTSP": inputs in port order, then the first output; what a journal calls it. */
enum { CT_SPACE_AT = 128 };
void ct_space_print(const ct_site *site, int64_t cell, char at[CT_SPACE_AT]);
int64_t ct_space_read(const ct_site *site, const char *at); /* -1: no such cell */
/* Whether the stage's own patterns allow these together ("=X"). */
bool ct_space_allows(const ct_site *site, int64_t cell);
int ct_space_layout(const ct_spot *spot, const char *layout); /* its place; -1 */

#endif
