/* graph_truth.h: what every node of a graph must give for its whole stream: the chain of the
 * stages' own references in double precision, each on the whole stream at once; missing samples by
 * their definition, and 0 in what a stage reads that leaves them out, for all who read it. What a
 * run may not look at (beyond the end; before the start, but for histories that are zero there) is
 * NaN.
 *
 * Room: tests. Knows graphs and references. Does not know plans, blocks or kernels. Order:
 * truth_new with a graph whose block holds the whole stream, [truth_flags, arrays], truth_free. */
#ifndef CT_TESTS_GRAPH_TRUTH_H
#define CT_TESTS_GRAPH_TRUTH_H
#include "graph.h"
#include "random_source.h"

/* A sample is missing; lies outside the stream, too; is a sum of which a part was left out. */
typedef enum truth_flag { TRUTH_MISSING = 1, TRUTH_OUTSIDE = 3, TRUTH_PARTLY = 4 } truth_flag;

typedef struct truth {
    ct_array port[CT_PORTS]; /* outputs, f64 or cf64, in natural order */
    uint8_t *flags;          /* [stations][samples] of the first output: truth_flag */
    int64_t stations, samples;
    double tolerance; /* over the rms; 0: exact */
    bool whole;       /* whole numbers, whatever the type */
} truth;

/* ---- a node's ports */

static inline void truth_double(ct_array *array)
{
    array->type = ct_type_complex(array->type) ? CT_CF64 : CT_F64;
    ct_array_dense(array, NULL);
    array->data = calloc(1, ct_array_bytes(array) + 16);
}

/* The producer's array behind `overlap` samples of `before`. */
static inline void truth_input(ct_array *to, const ct_array *from, int64_t overlap, double before)
{
    int64_t index[CT_DIMS] = {0};
    const int t = ct_array_find(to, 'T');
    truth_double(to);
    for (int64_t n = 0; n < ct_array_count(to); n++) {
        int64_t place = 0;
        for (int k = 0; k < to->rank; k++)
            place += (index[k] - (k == t ? overlap : 0)) * ct_array_stride(from, to->dim[k]);
        ct_complex x = {before, ct_type_complex(to->type) ? before : 0};
        if (index[t] >= overlap) x = ct_array_load(from, place);
        ct_array_save(to, n, x.re, x.im);
        for (int k = to->rank - 1; k >= 0 && ++index[k] == to->extent[k]; k--)
            index[k] = 0;
    }
}

/* Flags of the input, those of the overlap in front included. */
static inline uint8_t *truth_window(const truth *from, int64_t overlap)
{
    const int64_t samples = from->samples + overlap;
    uint8_t *window = malloc((size_t)(from->stations * samples) + 1);
    for (int64_t s = 0; s < from->stations; s++) {
        memset(window + s * samples, TRUTH_OUTSIDE, (size_t)overlap);
        memcpy(window + s * samples + overlap, from->flags + s * from->samples,
               (size_t)from->samples);
    }
    return window;
}

static inline void truth_place_flags(ct_array *to, const uint8_t *window)
{
    ct_array_dense(to, NULL);
    to->data = calloc(1, ct_array_bytes(to) + 1);
    const int64_t stations = ct_array_extent(to, 'S'), samples = ct_array_extent(to, 'T');
    for (int64_t s = 0; s < stations; s++)
        for (int64_t t = 0; t < samples; t++)
            ct_array_save(to, s * ct_array_stride(to, 'S') + t * ct_array_stride(to, 'T'),
                          window[s * samples + t], 0);
}

static inline bool truth_leaves_out(const ct_step *step)
{
    return step->stage->traits & CT_STAGE_LEAVES_OUT;
}

/* Of what is made of `count` samples: missing where any of them is, or where it is a sum of what is
 * there, where all are. */
static inline uint8_t truth_made_of(const uint8_t *flags, int64_t count, bool leaves_out)
{
    int64_t missing = 0, outside = 0, partly = 0;
    for (int64_t k = 0; k < count; k++) {
        missing += (flags[k] & TRUTH_MISSING) != 0;
        outside += flags[k] == TRUTH_OUTSIDE;
        partly += flags[k] == TRUTH_PARTLY;
    }
    if (outside) return TRUTH_OUTSIDE;
    if (missing >= (leaves_out ? count : 1)) return TRUTH_MISSING;
    return missing || partly ? TRUTH_PARTLY : 0;
}

/* Where stations are summed: what all of them lack, `apart` bytes from one another. */
static inline uint8_t truth_of_stations(const uint8_t *flags, int64_t stations, int64_t apart)
{
    int64_t missing = 0, outside = 0, flagged = 0;
    for (int64_t s = 0; s < stations; s++) {
        missing += (flags[s * apart] & TRUTH_MISSING) != 0;
        outside += flags[s * apart] == TRUTH_OUTSIDE;
        flagged += flags[s * apart] != 0;
    }
    if (missing == stations) return outside == stations ? TRUTH_OUTSIDE : TRUTH_MISSING;
    return flagged == stations ? TRUTH_PARTLY : 0;
}

static inline void truth_pass_flags(truth *out, const ct_step *step, const truth *from,
                                    const uint8_t *window)
{
    const ct_array *y = &step->port[ct_step_first_output(step)];
    const int64_t length = from->samples + step->overlap, samples = ct_array_extent(y, 'T');
    const int64_t count = step->decimate + step->overlap;
    uint8_t *each = malloc((size_t)(from->stations * samples) + 1);
    for (int64_t s = 0; s < from->stations; s++)
        for (int64_t t = 0; t < samples; t++)
            each[s * samples + t] = truth_made_of(window + s * length + t * step->decimate, count,
                                                  truth_leaves_out(step));
    out->stations = ct_array_extent(y, 'S');
    out->samples = samples;
    out->flags = each;
    if (out->stations == from->stations) return;
    out->flags = malloc((size_t)(out->stations * samples) + 1);
    for (int64_t t = 0; t < samples; t++)
        out->flags[t] = truth_of_stations(each + t, from->stations, samples);
    free(each);
}

/* ---- what is left out */

/* Zeroes what is missing within the stream. */
static inline void truth_clear(ct_array *array, const uint8_t *window)
{
    int64_t index[CT_DIMS] = {0};
    const int s = ct_array_find(array, 'S'), t = ct_array_find(array, 'T');
    for (int64_t n = 0; n < ct_array_count(array); n++) {
        const int64_t row = s < 0 ? 0 : index[s];
        if (window[row * array->extent[t] + index[t]] == TRUTH_MISSING)
            ct_array_save(array, n, 0, 0);
        for (int k = array->rank - 1; k >= 0 && ++index[k] == array->extent[k]; k--)
            index[k] = 0;
    }
}

/* ---- nodes */

static inline void truth_source(truth *out, const ct_step *step)
{
    ct_array *y = &out->port[0];
    int64_t index[CT_DIMS] = {0};
    const uint64_t key = (uint64_t)ct_step_int(step, "key");
    const int64_t total = ct_step_int(step, "total");
    *y = step->port[0];
    const int t = ct_array_find(y, 'T');
    truth_double(y);
    for (int64_t n = 0; n < ct_array_count(y); n++) {
        ct_complex x = {NAN, NAN};
        if (index[t] < total) x = random_sample(&step->port[0], key, index);
        ct_array_save(y, n, x.re, x.im);
        for (int k = y->rank - 1; k >= 0 && ++index[k] == y->extent[k]; k--)
            index[k] = 0;
    }
    out->stations = ct_array_extent(y, 'S');
    out->samples = ct_array_extent(y, 'T');
    out->flags = malloc((size_t)(out->stations * out->samples) + 1);
    for (int64_t s = 0; s < out->stations; s++)
        for (int64_t k = 0; k < out->samples; k++)
            out->flags[s * out->samples + k] =
                k >= total ? TRUTH_OUTSIDE
                           : ct_step_bool(step, "missing") && random_missing(key, s, k);
    out->whole = ct_type_integer(step->port[0].type);
}

/* One port of a stage made ready for its reference. */
static inline ct_status truth_port(truth *out, ct_step *step, int p, const ct_array *input,
                                   const uint8_t *window, ct_error *err)
{
    const ct_port *port = &step->stage->ports[p];
    ct_array *array = &out->port[p];
    *array = step->port[p];
    if (array->type == CT_NONE || port->direction == CT_SCRATCH) return CT_OK;
    if (ct_port_takes_flags(port))
        truth_place_flags(array, window);
    else if (port->direction == CT_IN)
        truth_input(array, input, step->overlap, step->overlap_kind == CT_HISTORY ? 0 : NAN);
    else if (port->direction == CT_OUT)
        truth_double(array);
    else {
        ct_array_dense(array, NULL);
        array->data = calloc(1, ct_array_bytes(array) + 16);
        return step->stage->table(step, port->name, array, err);
    }
    return CT_OK;
}

/* Errors add up along the chain; products of samples double what these have. */
static inline void truth_set_tolerance(truth *out, const ct_step *step, const truth *from)
{
    const bool exact = ct_type_integer(step->port[ct_step_first_output(step)].type);
    const char *stage = step->stage->name;
    const bool sums = strcmp(stage, "dedisp") == 0;
    const bool product = strcmp(stage, "correlator") == 0 || strstr(stage, "detect") != NULL;
    out->whole = from->whole && (exact || sums);
    out->tolerance =
        out->whole ? 0 : (product ? 2 : 1) * from->tolerance + step->stage->verify.tolerance;
}

static inline ct_status truth_node(truth *all, const ct_graph *graph, int n, ct_error *err)
{
    const ct_node *node = &graph->nodes[n];
    ct_step *step = NULL;
    ct_status status = CT_OK;
    if (node->input[0].node < 0) {
        truth_source(&all[n], node->step);
        return CT_OK;
    }
    const truth *from = &all[node->input[0].node];
    status = ct_step_copy(&step, node->step, err);
    if (status != CT_OK) return status;
    uint8_t *window = truth_window(from, step->overlap);
    ct_step_extend(step);
    for (int p = 0; p < ct_step_ports(step) && status == CT_OK; p++)
        status = truth_port(&all[n], step, p, &from->port[node->input[0].port], window, err);
    if (status == CT_OK && truth_leaves_out(step)) truth_clear(&all[n].port[0], window);
    if (status == CT_OK) status = step->stage->verify.reference(step, all[n].port, err);
    truth_pass_flags(&all[n], step, from, window);
    truth_set_tolerance(&all[n], step, from);
    free(window);
    ct_step_free(step);
    return status;
}

static inline void truth_free(truth *all, const ct_graph *graph)
{
    for (int n = 0; all && n < graph->count; n++) {
        for (int p = 0; p < CT_PORTS; p++)
            free(all[n].port[p].data);
        free(all[n].flags);
    }
    free(all);
}

/* One for each node; sinks have none. */
static inline truth *truth_new(const ct_graph *graph, ct_error *err)
{
    truth *all = calloc((size_t)graph->count, sizeof *all);
    for (int n = 0; n < graph->count; n++) {
        if (ct_role_of(graph->nodes[n].step) == CT_ROLE_SINK) continue;
        if (truth_node(all, graph, n, err) != CT_OK) {
            truth_free(all, graph);
            return NULL;
        }
    }
    return all;
}

#endif
