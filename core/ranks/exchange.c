/* exchange.c: see exchange.h.
 * Room: core/ranks. What goes to another rank is packed in the array's natural order, whatever
 * order either side has in memory, so ranks may lay out arrays as each likes. */
#include "exchange.h"

#include <limits.h>
#include <string.h>

#include "device_cl.h"
#include "fail.h"
#include "memory.h"

enum { X, Y };

/* Who has what, as the plan knows it; lives as the plan's step. */
typedef struct exchange_map {
    const ct_ranks *ranks;
    ct_array whole;
    ct_share from, to;
} exchange_map;

/* What goes to one rank, or comes from it: boxes of X and of Y, in natural order; count[0] 0: none.
 */
typedef struct exchange_part {
    int64_t bytes, first[CT_DIMS], count[CT_DIMS];
    int64_t addend;
} exchange_part;

typedef struct exchange {
    exchange_map map;
    ct_array x, y;
    exchange_part *out, *in; /* a rank each */
    int *numbers;            /* bytes and places of both, as the wire wants them */
    char *send, *receive, *sum;
    bool travels; /* on any rank */
} exchange;

static const exchange_map *map_of(const ct_step *step)
{
    return step->state;
}

/* Of all who have the same, the receiver itself, else the lowest rank. */
static int giver(const exchange_map *map, int source, int to)
{
    const int64_t cell = ct_share_cell(&map->from, &map->whole, source);
    if (ct_share_cell(&map->from, &map->whole, to) == cell) return to;
    for (int r = 0; r < source; r++)
        if (ct_share_cell(&map->from, &map->whole, r) == cell) return r;
    return source;
}

/* What `source` gives `to`, as indices of the whole array. */
static exchange_part part_between(const exchange_map *map, int source, int to)
{
    exchange_part part = {.bytes = (int64_t)ct_type_bits(map->whole.type) / 8,
                          .addend = ct_share_addend(&map->from, source)};
    int64_t a[2][CT_DIMS], b[2][CT_DIMS];
    if (giver(map, source, to) != source) return (exchange_part){0};
    ct_share_box(&map->from, &map->whole, source, a[0], a[1]);
    ct_share_box(&map->to, &map->whole, to, b[0], b[1]);
    for (int k = 0; k < map->whole.rank; k++) {
        const int64_t enda = a[0][k] + a[1][k], endb = b[0][k] + b[1][k];
        const int64_t first = a[0][k] > b[0][k] ? a[0][k] : b[0][k],
                      end = enda < endb ? enda : endb;
        if (end <= first) return (exchange_part){0};
        part.first[k] = first;
        part.count[k] = end - first;
        part.bytes *= end - first;
    }
    return part;
}

/* The part in a rank's own array, which begins with its box. */
static ct_array view(const exchange_map *map, const ct_array *own, const exchange_part *part,
                     const ct_share *share)
{
    int64_t first[CT_DIMS], count[CT_DIMS];
    ct_array box = *own;
    ct_share_box(share, &map->whole, map->ranks->rank, first, count);
    for (int k = 0; k < map->whole.rank; k++)
        box = ct_array_part(&box, map->whole.dim[k], part->first[k] - first[k], part->count[k]);
    return box;
}

static ct_array dense(const exchange_map *map, const exchange_part *part, char *data)
{
    ct_array box = map->whole;
    memcpy(box.extent, part->count, sizeof box.extent);
    ct_array_dense(&box, NULL);
    box.data = data;
    return box;
}

/* ---- making it */

bool ct_exchange_is(const ct_step *step)
{
    return step->stage == &ct_exchange_stage;
}

ct_status ct_exchange_set(ct_step *step, const ct_ranks *ranks, const ct_array *whole,
                          const ct_share *from, const ct_share *to, ct_error *err)
{
    exchange_map *map = ct_step_alloc(step, sizeof *map);
    if (!map) return ct_memory_fail(sizeof *map, err);
    *map = (exchange_map){ranks, *whole, *from, *to};
    step->state = map;
    return CT_OK;
}

void ct_exchange_bytes(const ct_step *step, int64_t *sent, int64_t *received, int64_t *link)
{
    const exchange_map *map = map_of(step);
    *sent = *received = *link = 0;
    for (int r = 0; r < map->ranks->size; r++) {
        if (r == map->ranks->rank) continue;
        const int64_t out = part_between(map, map->ranks->rank, r).bytes;
        *sent += out;
        *received += part_between(map, r, map->ranks->rank).bytes;
        if (out > *link) *link = out;
    }
}

/* Whether anything goes from one rank to another, anywhere: all come to the same answer. */
static bool travels(const exchange_map *map)
{
    for (int a = 0; a < map->ranks->size; a++)
        for (int b = 0; b < map->ranks->size; b++)
            if (a != b && part_between(map, a, b).bytes > 0) return true;
    return false;
}

/* Places of parts one behind the other; all bytes together. */
static int64_t lay_out(const exchange_part *part, int ranks, int *bytes, int *at)
{
    int64_t all = 0;
    for (int r = 0; r < ranks; all += part[r++].bytes) {
        bytes[r] = (int)part[r].bytes;
        at[r] = (int)all;
    }
    return all;
}

static void exchange_release(void *state)
{
    exchange *e = state;
    ct_memory_free(e->out);
    ct_memory_free(e->in);
    ct_memory_free(e->numbers);
    ct_memory_free(e->send);
    ct_memory_free(e->receive);
    ct_memory_free(e->sum);
    ct_memory_free(e);
}

static ct_status exchange_rooms(exchange *e, ct_error *err)
{
    ct_status status = CT_OK;
    const int ranks = e->map.ranks->size, rank = e->map.ranks->rank;
    const size_t size = sizeof *e->out * (size_t)ranks;
    int64_t most = 1;
    CT_NEED(e->out = ct_memory_get(size), size, err);
    CT_NEED(e->in = ct_memory_get(size), size, err);
    CT_NEED(e->numbers = ct_memory_get(sizeof(int) * 4 * (size_t)ranks), size, err);
    for (int r = 0; r < ranks; r++) {
        e->out[r] = part_between(&e->map, rank, r);
        e->in[r] = part_between(&e->map, r, rank);
        if (e->in[r].bytes > most) most = e->in[r].bytes;
    }
    int *n = e->numbers;
    const int64_t out = lay_out(e->out, ranks, n, n + ranks);
    const int64_t in = lay_out(e->in, ranks, n + 2 * ranks, n + 3 * ranks);
    if (out > INT_MAX || in > INT_MAX)
        CT_TRY(
            ct_error_add(err, CT_INVALID,
                         "an exchange between ranks has %.1f GiB for this one, expected less than "
                         "2: make \"block\" smaller",
                         (double)(out > in ? out : in) / (1 << 30)));
    CT_NEED(e->send = ct_memory_get((size_t)out + 1), (size_t)out, err);
    CT_NEED(e->receive = ct_memory_get((size_t)in + 1), (size_t)in, err);
    CT_NEED(e->sum = ct_memory_get((size_t)most + 1), (size_t)most, err);
out:
    return status;
}

static ct_status exchange_prepare(ct_step *step, void **state, ct_error *err)
{
    ct_status status = CT_OK;
    exchange *e = ct_memory_get(sizeof *e);
    CT_NEED(e, sizeof *e, err);
    e->map = *map_of(step);
    e->x = step->port[X];
    e->y = step->port[Y];
    e->travels = travels(&e->map);
    CT_TRY(exchange_rooms(e, err));
    *state = e;
    e = NULL;
out:
    if (e) exchange_release(e);
    return status;
}

/* ---- one block */

static void pack(exchange *e, char *data)
{
    ct_array own = e->x;
    own.data = data;
    for (int r = 0; r < e->map.ranks->size; r++) {
        if (e->out[r].bytes == 0) continue;
        ct_array to = dense(&e->map, &e->out[r], e->send + e->numbers[e->map.ranks->size + r]);
        const ct_array from = view(&e->map, &own, &e->out[r], &e->map.from);
        ct_copy_array(&to, &from);
    }
}

#define ADD(type)                                                                                  \
    for (size_t i = 0; i < bytes / sizeof(type); i++)                                              \
    ((type *)to)[i] = (type)(((type *)to)[i] + ((const type *)from)[i])

/* Wraps as the kernels' own sums would. */
static void add(void *to, const void *from, size_t bytes, ct_type type)
{
    switch (type) {
    case CT_F32:
    case CT_CF32:
        ADD(float);
        break;
    case CT_CI64:
        ADD(uint64_t);
        break;
    case CT_U8:
    case CT_I8:
    case CT_CI8:
        ADD(uint8_t);
        break;
    case CT_U16:
    case CT_I16:
    case CT_CI16:
        ADD(uint16_t);
        break;
    default:
        ADD(uint32_t);
        break;
    }
}

static void unpack_one(exchange *e, ct_array *own, int r)
{
    const exchange_part *part = &e->in[r];
    ct_array from = dense(&e->map, part, e->receive + e->numbers[3 * e->map.ranks->size + r]);
    ct_array to = view(&e->map, own, part, &e->map.to);
    if (part->addend > 0) {
        ct_array sum = dense(&e->map, part, e->sum);
        ct_copy_array(&sum, &to);
        add(sum.data, from.data, (size_t)part->bytes, from.type);
        from = sum;
    }
    ct_copy_array(&to, &from);
}

/* First addends before the others, which are added in the order of ranks: so the sum is always the
 * same. */
static void unpack(exchange *e, char *data)
{
    ct_array own = e->y;
    own.data = data;
    for (int more = 0; more < 2; more++)
        for (int r = 0; r < e->map.ranks->size; r++)
            if (e->in[r].bytes > 0 && (e->in[r].addend > 0) == more) unpack_one(e, &own, r);
}

static ct_status travel(exchange *e, ct_error *err)
{
    const ct_ranks *ranks = e->map.ranks;
    const int size = ranks->size, rank = ranks->rank;
    const int *n = e->numbers;
    if (!e->travels) {
        memcpy(e->receive + n[3 * size + rank], e->send + n[size + rank], (size_t)n[rank]);
        return CT_OK;
    }
    return ct_ranks_answer(
        ranks, ranks->wire->exchange(e->send, n, n + size, e->receive, n + 2 * size, n + 3 * size),
        err);
}

static void *reach(cl_command_queue queue, cl_mem mem, cl_map_flags flags, cl_int *code)
{
    size_t bytes = 0;
    *code = clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (*code != CL_SUCCESS) return NULL;
    return clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, 0, bytes, 0, NULL, NULL, code);
}

/* Whatever fails here, the others wait for what comes from this rank. */
static ct_status exchange_enqueue(void *state, void *queue, void *const mem[], ct_error *err)
{
    exchange *e = state;
    cl_int code, last;
    void *data = reach(queue, mem[X], CL_MAP_READ, &code);
    if (data) pack(e, data);
    if (data) code = clEnqueueUnmapMemObject(queue, mem[X], data, 0, NULL, NULL);
    const ct_status status = travel(e, err);
    data = reach(queue, mem[Y], CL_MAP_READ | CL_MAP_WRITE, &last);
    if (data) unpack(e, data);
    if (data) last = clEnqueueUnmapMemObject(queue, mem[Y], data, 0, NULL, NULL);
    if (status == CT_OK && (code != CL_SUCCESS || last != CL_SUCCESS))
        return ct_device_fail(err, code != CL_SUCCESS ? code : last,
                              "reaching what ranks exchange");
    return status;
}

const ct_stage ct_exchange_stage = {
    .api = CT_API,
    .version = 1,
    .name = "exchange",
    .summary = "from the parts that ranks have to other parts",
    .ports = {[X] = {"X", CT_IN, 0, "*", "*", "*", NULL, "what this rank has"},
              [Y] = {"Y", CT_OUT, 0, "*", "=X", "*", NULL, "what it gets"}},
    .prepare = exchange_prepare,
    .enqueue = exchange_enqueue,
    .release = exchange_release,
};
