/* plot_layers.h: places for the boxes of a graph: a layer below all that they need, and in it an
 * order in which few lines cross. Room: plot. Knows numbers of boxes and lines. Does not know what
 * they stand for. */
#ifndef CT_PLOT_PLOT_LAYERS_H
#define CT_PLOT_PLOT_LAYERS_H
#include "cornerturn_stage.h"

/* A line from one box to another, through a place in each layer between. */
typedef struct ct_layers_line {
    int from, to;
    int first; /* of its places in between, in `place`; there are layer[to] - layer[from] - 1 */
} ct_layers_line;

typedef struct ct_layers {
    int boxes, lines, places; /* places: boxes first, then those of lines */
    ct_layers_line *line;
    int *layer;  /* [places] */
    double *at;  /* [places]: along its layer, in boxes; the middle of all layers is 0 */
    int depth;   /* layers */
    double wide; /* places of the widest layer */
} ct_layers;

/* `lines` are set, and `from` comes before `to`. */
ct_status ct_layers_make(ct_layers *layers, ct_error *err);
void ct_layers_free(ct_layers *layers);

#endif
