/* plot_layers.c: see plot_layers.h. [Sugiyama, Tagawa, Toda 1981, in its simplest form]
 * Room: plot. Knows numbers of boxes and lines. */
#include "plot_layers.h"

#include <math.h>

#include "memory.h"

enum { SWEEPS = 8 };

static void find_layers(ct_layers *of)
{
    for (int i = 0; i < of->boxes; i++)
        of->layer[i] = 0;
    for (int to = 0; to < of->boxes; to++)
        for (int l = 0; l < of->lines; l++)
            if (of->line[l].to == to && of->layer[of->line[l].from] + 1 > of->layer[to])
                of->layer[to] = of->layer[of->line[l].from] + 1;
}

/* A source stands just above what reads it. */
static void lower_sources(ct_layers *of)
{
    for (int i = 0; i < of->boxes; i++) {
        int least = -1;
        bool reads = false;
        for (int l = 0; l < of->lines; l++) {
            reads = reads || of->line[l].to == i;
            if (of->line[l].from == i && (least < 0 || of->layer[of->line[l].to] < least))
                least = of->layer[of->line[l].to];
        }
        if (!reads && least > 0) of->layer[i] = least - 1;
    }
}

static ct_status add_places(ct_layers *of, ct_error *err)
{
    ct_status status = CT_OK;
    for (int l = 0; l < of->lines; l++) {
        ct_layers_line *line = &of->line[l];
        line->first = of->places;
        const int more = of->layer[line->to] - of->layer[line->from] - 1;
        if (more <= 0) continue;
        CT_TRY(ct_memory_grow(&of->layer, (size_t)(of->places + more) * sizeof *of->layer, err));
        for (int k = 0; k < more; k++)
            of->layer[of->places++] = of->layer[line->from] + 1 + k;
    }
out:
    return status;
}

/* The mean of where a place's lines lead: those of the layer before, or after. */
static double middle_of(const ct_layers *of, int place, int side)
{
    double sum = 0;
    int count = 0;
    for (int l = 0; l < of->lines; l++) {
        const ct_layers_line *line = &of->line[l];
        int last = line->from;
        const int between = of->layer[line->to] - of->layer[line->from] - 1;
        for (int k = 0; k <= between; k++) {
            const int next = k < between ? line->first + k : line->to;
            if (side < 0 && next == place) sum += of->at[last], count++;
            if (side > 0 && last == place) sum += of->at[next], count++;
            last = next;
        }
    }
    return count ? sum / count : of->at[place];
}

/* The places of a layer in the order of `wish`, one apart, around the middle. */
static int spread_layer(ct_layers *of, int layer, const double *wish)
{
    int count = 0, done = 0;
    double before = -INFINITY;
    int last = -1;
    for (int i = 0; i < of->places; i++)
        count += of->layer[i] == layer;
    for (; done < count; done++) {
        int next = -1;
        for (int i = 0; i < of->places; i++) {
            if (of->layer[i] != layer) continue;
            const bool after = wish[i] > before || (wish[i] == before && i > last);
            if (after && (next < 0 || wish[i] < wish[next])) next = i;
        }
        of->at[next] = done - (count - 1) / 2.0;
        before = wish[next];
        last = next;
    }
    return count;
}

static ct_status order_layers(ct_layers *of, ct_error *err)
{
    const size_t bytes = (size_t)of->places * sizeof(double);
    double *wish = ct_memory_get(bytes);
    if (!wish) return ct_memory_fail(bytes, err);
    for (int i = 0; i < of->places; i++)
        of->at[i] = wish[i] = i;
    for (int sweep = 0; sweep <= SWEEPS; sweep++)
        for (int k = 0; k < of->depth; k++) {
            const int layer = sweep % 2 ? of->depth - 1 - k : k;
            for (int i = 0; i < of->places; i++)
                if (of->layer[i] == layer)
                    wish[i] = sweep ? middle_of(of, i, sweep % 2 ? 1 : -1) : of->at[i];
            of->wide = fmax(of->wide, spread_layer(of, layer, wish));
        }
    ct_memory_free(wish);
    return CT_OK;
}

ct_status ct_layers_make(ct_layers *of, ct_error *err)
{
    ct_status status = CT_OK;
    of->places = of->boxes;
    const size_t list = (size_t)of->boxes * sizeof *of->layer;
    of->layer = ct_memory_get(list);
    CT_NEED(of->layer, list, err);
    find_layers(of);
    lower_sources(of);
    CT_TRY(add_places(of, err));
    of->at = ct_memory_get((size_t)of->places * sizeof *of->at);
    CT_NEED(of->at, (size_t)of->places * sizeof *of->at, err);
    for (int i = 0; i < of->boxes; i++)
        if (of->layer[i] + 1 > of->depth) of->depth = of->layer[i] + 1;
    CT_TRY(order_layers(of, err));
out:
    return status;
}

void ct_layers_free(ct_layers *of)
{
    ct_memory_free(of->line);
    ct_memory_free(of->layer);
    ct_memory_free(of->at);
}
