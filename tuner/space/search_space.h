/* search_space.h: what there is to choose: the layouts that each step of a graph may read and
 * write, and the arrays between steps.
 * Room: tuner/space. Knows graphs, patterns and pins. Does not know what anything costs.
 *
 * A node's axes are the inputs that are connected, in port order, and then its outputs. A choice
 * of a node names a layout on each axis. Sources, sinks, pinned ports and second outputs have one
 * layout, that of the default plan: files stay as they are. Of layouts that differ only in where
 * extents of 1 stand, one is taken. */
#ifndef CT_TUNER_SEARCH_SPACE_H
#define CT_TUNER_SEARCH_SPACE_H
#include "graph.h"
#include "memory.h"

enum { CT_SPACE_READERS = 16 /* most of one array */ };

typedef struct ct_space_axis {
    int port;
    bool out;
    int count;       /* layouts */
    ct_layout *list; /* the default plan's first */
    int edge;        /* the array that is read or written; -1: an output that nobody reads */
    int place;       /* among the edge's readers; -1: it writes */
} ct_space_axis;

typedef struct ct_space_node {
    int index; /* of the graph's node */
    const char *name;
    const ct_step *step; /* the graph's */
    bool free;           /* a kernel: it costs something */
    int axes, inputs;    /* inputs come first */
    ct_space_axis axis[CT_PORTS];
    int64_t choices; /* product of the counts; the default plan's is 0 */
} ct_space_node;

/* An array that one node writes and others read. */
typedef struct ct_space_edge {
    int writer, writer_axis;
    int readers;
    int reader_node[CT_SPACE_READERS], reader_axis[CT_SPACE_READERS];
    int layouts; /* that somebody may write or read */
    ct_layout *list;
    int *number[CT_SPACE_READERS +
                1]; /* [0] the writer's, [1 + r] the reader's: a layout's place here */
    double bytes;
} ct_space_edge;

typedef struct ct_space {
    const ct_graph *graph;
    const ct_layout *usual; /* [node * CT_PORTS + port]: the default plan's; NULL: as it says */
    const ct_value *default_plan; /* complete */
    const char *const *only;
    int nodes, edges;
    ct_space_node *node;
    ct_space_edge *edge;
    ct_arena *arena;
} ct_space;

/* The default plan's layouts are given as `usual` or, where that is NULL, by its JSON. `only`:
 * nodes whose layouts may change, NULL at the end; NULL: all. All are borrowed. CT_USAGE: `only`
 * names no node. */
ct_status ct_space_new(ct_space **out, const ct_graph *graph, const ct_layout *usual,
                       const ct_value *default_plan, const char *const *only, ct_error *err);
void ct_space_free(ct_space *space);
int ct_space_find(const ct_space *space, const char *name); /* the node; -1 */

/* The layouts of a choice, axis by axis; the other way round; -1 where a layout is none of the
 * axis'. */
void ct_space_places(const ct_space_node *node, int64_t choice, int places[CT_PORTS]);
int64_t ct_space_choice(const ct_space_node *node, const int places[CT_PORTS]);
/* "SPTC,ST>CTSP": inputs in port order, then the first output; what a journal calls it. */
enum { CT_SPACE_AT = 128 };
void ct_space_print(const ct_space_node *node, int64_t choice, char at[CT_SPACE_AT]);
int64_t ct_space_read(const ct_space_node *node, const char *at); /* -1: no such choice */
/* Whether the stage's own patterns allow these together ("=X"). */
bool ct_space_allows(const ct_space_node *node, int64_t choice);
int ct_space_layout(const ct_space_edge *edge, const char *layout); /* its place; -1 */
/* What plans and journals call the array: "fft", "fft.COUNTS". */
enum { CT_SPACE_NAME = 160 };
void ct_space_edge_name(char out[CT_SPACE_NAME], const ct_space *space, int edge);
int ct_space_find_edge(const ct_space *space, const char *array); /* -1: nobody reads it */

#endif
