/* price_features.c: see price_features.h.
 * Room: tuner/price. Order: what a layout's fastest dimensions are like; then the features.
 *
 * Kernels work on vectors along what is fastest in memory. What costs is: which dimension that is
 * (the stage's own matter), whether whole vectors fit along it ("waste"), how much is contiguous
 * ("run"), and whether each step along the next dimension is in another page ("page"). */
#include "price_features.h"

#include <math.h>
#include <stdio.h>

#include "cornerturn_stage.h"

/* Arithmetic and memory of an ordinary CPU. Only their proportions count. */
#define PRICE_FLOPS 150e9
#define PRICE_BYTES 12e9

enum { PRICE_VECTOR = 16, PRICE_PAGE = 4096, PRICE_RUN = 512, PRICE_FAST = 2 };

static double price_bytes(const ct_array *array)
{
    return (double)ct_array_count(array) * ct_type_bits(array->type) / 8;
}

static bool price_moves(const ct_step *step, int p)
{
    const ct_direction direction = step->stage->ports[p].direction;
    return step->port[p].type != CT_NONE && (direction == CT_IN || direction == CT_OUT);
}

double ct_price_floor(const ct_step *step)
{
    double bytes = 0;
    const double flops = step->stage->flops ? step->stage->flops(step) : 0;
    for (int p = 0; p < ct_step_ports(step); p++)
        if (price_moves(step, p)) bytes += price_bytes(&step->port[p]);
    return log(fmax(bytes / PRICE_BYTES + flops / PRICE_FLOPS, 1e-12));
}

double ct_price_floor_copy(const ct_array *array)
{
    return log(fmax(2 * price_bytes(array) / PRICE_BYTES, 1e-12));
}

/* ---- the fastest dimensions of a layout: those of extent 1 do not count */

typedef struct price_fast {
    char dim[CT_DIMS + 1]; /* fastest first */
    double run[CT_DIMS];   /* elements that are contiguous along the first dimensions */
    double extent[CT_DIMS];
    int count;
    double item; /* bytes */
} price_fast;

static price_fast price_look(const ct_array *array, const ct_layout *layout)
{
    price_fast fast = {.count = 0, .item = ct_type_bits(array->type) / 8.0};
    double run = 1;
    for (int i = layout->rank - 1; i >= 0; i--) {
        const double extent = (double)ct_array_extent(array, layout->dim[i]);
        if (extent <= 1) continue;
        run *= extent;
        fast.dim[fast.count] = layout->dim[i];
        fast.extent[fast.count] = extent;
        fast.run[fast.count++] = run;
    }
    return fast;
}

/* Lanes of vectors that stay empty: 0 none, 1 half of them. */
static double price_waste(double elements)
{
    return log2(ceil(elements / PRICE_VECTOR) * PRICE_VECTOR / elements);
}

static double price_within(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* ---- features */

static void price_add(const ct_price_sink *sink, const char *stage, double value,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
static void price_add(const ct_price_sink *sink, const char *stage, double value,
                      const char *format, ...)
{
    char name[CT_PRICE_NAME];
    va_list list;
    if (value == 0) return;
    va_start(list, format);
    ct_number_print_args(name, sizeof name, format, list);
    va_end(list);
    sink->add(sink->to, stage, name, value);
}

void ct_price_features_step(const ct_price_sink *sink, const ct_step *step)
{
    const char *stage = step->stage->name;
    double bytes = 0;
    price_add(sink, stage, 1, "step");
    for (int p = 0; p < ct_step_ports(step); p++) {
        const ct_array *array = &step->port[p];
        if (!price_moves(step, p)) continue;
        bytes += price_bytes(array);
        if (p != 0 && p != ct_step_first_output(step)) continue;
        for (int i = 0; i < array->rank; i++) {
            const double extent = (double)array->extent[i];
            price_add(sink, stage, price_within(log2(extent) - 5, -5, 6) / 4, "many %d%c", p > 0,
                      array->dim[i]);
            price_add(sink, stage, price_waste(extent), "odd %d%c", p > 0, array->dim[i]);
        }
    }
    price_add(sink, stage, price_within(log2(bytes / 4e6), -4, 5) / 4, "bytes");
}

void ct_price_features_port(const ct_price_sink *sink, const ct_step *step, int port,
                            const ct_layout *layout)
{
    const char *stage = step->stage->name;
    const price_fast fast = price_look(&step->port[port], layout);
    const char *side = step->stage->ports[port].direction == CT_IN
                           ? (port == 0 ? "reads" : "also reads")
                           : (port == ct_step_first_output(step) ? "writes" : "also writes");
    if (fast.count == 0) return;
    price_add(sink, stage, 1, "%s %c", side, fast.dim[0]);
    price_add(sink, stage, 0.5, "%s %c..", side, fast.dim[fast.count - 1]);
    for (int n = 0; n < PRICE_FAST && n < fast.count; n++) {
        const char second = n ? fast.dim[1] : '_';
        if (n) price_add(sink, stage, 1, "%s %c%c", side, second, fast.dim[0]);
        price_add(sink, stage, price_waste(fast.run[n]), "%s %c%c waste", side, second,
                  fast.dim[0]);
        price_add(sink, stage, price_waste(fast.run[n]), "%s waste %d", side, n);
        price_add(sink, stage, fast.run[n] * fast.item >= PRICE_PAGE ? 0.7 : 0, "%s %c%c page",
                  side, second, fast.dim[0]);
        price_add(sink, stage, fast.run[n] * fast.item >= PRICE_PAGE ? 0.7 : 0, "%s page %d", side,
                  n);
    }
    const double run = price_within(log2(fast.run[0] * fast.item / PRICE_RUN), -6, 4) / 4;
    price_add(sink, stage, run, "%s %c run", side, fast.dim[0]);
    price_add(sink, stage, run, "%s run", side);
}

void ct_price_features_pair(const ct_price_sink *sink, const ct_step *step, int input,
                            const ct_layout *read, int output, const ct_layout *written)
{
    const char *stage = step->stage->name;
    const price_fast from = price_look(&step->port[input], read);
    const price_fast to = price_look(&step->port[output], written);
    if (from.count == 0 || to.count == 0) return;
    const bool same = from.dim[0] == to.dim[0];
    price_add(sink, stage, 1, "%c to %c", from.dim[0], to.dim[0]);
    price_add(sink, stage, same, "same");
    if (from.count < 2 || to.count < 2) return;
    price_add(sink, stage, same && from.dim[1] == to.dim[1], "same two");
    price_add(sink, stage, 0.7, "%c%c to %c%c", from.dim[1], from.dim[0], to.dim[1], to.dim[0]);
}

void ct_price_features_copy(const ct_price_sink *sink, const ct_array *array, const ct_layout *from,
                            const ct_layout *to)
{
    static const char stage[] = "transpose";
    const price_fast a = price_look(array, from), b = price_look(array, to);
    if (a.count == 0 || b.count == 0) return;
    const bool same = a.dim[0] == b.dim[0];
    const double least = fmin(a.run[0], b.run[0]);
    price_add(sink, stage, 1, "step");
    price_add(sink, stage, price_within(log2(price_bytes(array) / 4e6), -4, 5) / 4, "bytes");
    price_add(sink, stage, same, "same");
    price_add(sink, stage, price_within(log2(least * a.item / PRICE_RUN), -6, 4) / 4, "%s run",
              same ? "same" : "other");
    price_add(sink, stage, price_waste(a.run[0]), "reads waste");
    price_add(sink, stage, price_waste(b.run[0]), "writes waste");
    price_add(sink, stage, price_within(log2(b.run[0] * b.item / PRICE_RUN), -6, 4) / 4,
              "writes run");
    for (int n = 0; n < a.count; n++) {
        double run = 1; /* how far the readers' fastest dimensions are apart where it is written */
        for (int i = 0; i < b.count && b.dim[i] != a.dim[n]; i++)
            run *= b.extent[i];
        if (n == 0) price_add(sink, stage, run * b.item >= PRICE_PAGE, "far writes");
    }
    double run = 1;
    for (int i = 0; i < a.count && a.dim[i] != b.dim[0]; i++)
        run *= a.extent[i];
    price_add(sink, stage, run * a.item >= PRICE_PAGE, "far reads");
}
