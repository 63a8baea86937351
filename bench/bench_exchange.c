/* bench_exchange.c: how fast ranks exchange an array, next to an all-to-all of the same MPI with
 * messages of the same size (as the OSU micro-benchmarks do it: MPI_Alltoall, own message
 * included), in the same job, rounds of both in turns. The exchange also does the corner turn:
 * what it leaves is in the layout that is read next.
 *
 * Room: bench. Knows every room, and MPI. Started by mpirun, which cmake puts the module beside:
 *
 *   cmake --build build --target bench.exchange
 *   mpirun -n 2 --bind-to core build/bench.exchange [--stations 64] [--rounds 21] [WRITE READ ..]
 *
 * Prints a line for each pair of layouts: split along S before and along C after. Checks what has
 * come. Beside them MPI's own way to do the same at once: MPI_Alltoallw, with derived types that
 * say where each element lies on either side. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "device.h"
#include "exchange.h"
#include "layout.h"
#include "program.h"
#include "row_stride.h"

enum { ROUNDS = 101 };

typedef struct bench {
    ct_ranks *ranks;
    ct_device *device;
    ct_array whole;
    int rank, size, rounds;
    char *send, *receive; /* of the all-to-all */
    int message;          /* bytes */
} bench;

typedef struct times {
    double exchange[ROUNDS], all_to_all[ROUNDS], copy[ROUNDS], ratio[ROUNDS], types[ROUNDS];
} times;

/* What MPI_Alltoallw wants to know; [2]: sent, received. */
typedef struct typed {
    char *data[2];
    int *count, *at;
    MPI_Datatype *type[2];
} typed;

static void need(ct_status status, const ct_error *err)
{
    if (status == CT_OK) return;
    fprintf(stderr, "bench.exchange: %s\n", err->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *memory(size_t bytes)
{
    char *data = malloc(bytes);
    if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(data, 1, bytes);
    return data;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, by_value);
    return list[count / 2];
}

/* Of all ranks. */
static double slowest(double start)
{
    double own = MPI_Wtime() - start, all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* ---- the exchange as a step */

static ct_partition split_along(const bench *b, char dim)
{
    return (ct_partition){.axes = 1,
                          .axis[0] = {dim, b->size, ct_array_extent(&b->whole, dim), false}};
}

static ct_array own_part(const bench *b, const ct_partition *partition, const char *layout)
{
    int64_t first[CT_DIMS], count[CT_DIMS];
    ct_error err = {0};
    ct_array own = b->whole;
    ct_layout order;
    need(ct_layout_parse(&order, layout, &err), &err);
    ct_partition_box(partition, &b->whole, b->rank, first, count);
    memcpy(own.extent, count, sizeof count);
    if (!ct_array_dense(&own, &order)) MPI_Abort(MPI_COMM_WORLD, 2);
    ct_rows_set(&own, CT_ROWS_PADDED);
    return own;
}

/* An element is known by its place in the whole array. */
static void visit(const bench *b, ct_array *own, const ct_partition *partition, bool check)
{
    int64_t first[CT_DIMS], count[CT_DIMS], index[CT_DIMS] = {0};
    ct_partition_box(partition, &b->whole, b->rank, first, count);
    for (int64_t n = 0; n < ct_array_count(own); n++) {
        int64_t left = n, at = own->offset, place = 0;
        for (int k = own->rank - 1; k >= 0; left /= own->extent[k--])
            index[k] = left % own->extent[k];
        for (int k = 0; k < own->rank; k++) {
            at += index[k] * own->stride[k];
            place = place * b->whole.extent[k] + first[k] + index[k];
        }
        int64_t *element = (int64_t *)own->data + at;
        if (!check) *element = place;
        if (check && *element != place) {
            fprintf(stderr, "bench.exchange: rank %d has another element at %lld\n", b->rank,
                    (long long)n);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
}

static ct_step *make_step(const bench *b, const char *layout[2], const ct_partition partition[2])
{
    static const char *const known[] = {NULL};
    static const ct_source_location location = {0};
    ct_error err = {0};
    ct_step *step = NULL;
    need(ct_step_new(&step, &ct_exchange_stage, "exchange", NULL, known, &location, &err), &err);
    for (int p = 0; p < 2; p++)
        step->port[p] = own_part(b, &partition[p], layout[p]);
    need(ct_exchange_set(step, b->ranks, &b->whole, &partition[0], &partition[1], &err), &err);
    return step;
}

static double time_exchange(ct_program *program, ct_buffer mem[CT_PORTS])
{
    ct_error err = {0};
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    need(ct_program_enqueue(program, mem, NULL, &err), &err);
    need(ct_program_wait(program, NULL, &err), &err);
    return slowest(start);
}

static double time_all_to_all(const bench *b)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Alltoall(b->send, b->message, MPI_BYTE, b->receive, b->message, MPI_BYTE, MPI_COMM_WORLD);
    return slowest(start);
}

/* ---- the same by derived types */

/* Where the elements of an array lie, in an order that both sides have in common: the sender's. */
static MPI_Datatype type_of(const ct_array *part, const ct_layout *order)
{
    const MPI_Aint size = (MPI_Aint)(ct_type_bits(part->type) / 8);
    const MPI_Aint at = (MPI_Aint)part->offset * size;
    MPI_Datatype type, outer;
    MPI_Type_contiguous((int)size, MPI_BYTE, &type);
    for (int d = order->rank - 1; d >= 0; d--) {
        const int k = ct_array_find(part, order->dim[d]);
        MPI_Type_create_hvector((int)part->extent[k], 1, (MPI_Aint)part->stride[k] * size, type,
                                &outer);
        MPI_Type_free(&type);
        type = outer;
    }
    MPI_Type_create_hindexed(1, &(int){1}, &at, type, &outer);
    MPI_Type_free(&type);
    MPI_Type_commit(&outer);
    return outer;
}

/* To and from each rank: of its own stations another one gets its channels. */
static typed make_types(const bench *b, ct_step *step, const ct_partition partition[2])
{
    typed t = {.count = memory(sizeof(int) * (size_t)b->size),
               .at = memory(sizeof(int) * (size_t)b->size)};
    for (int p = 0; p < 2; p++) {
        const ct_array *own = &step->port[p];
        const char dim = p == 0 ? 'C' : 'S';
        t.data[p] = own->data;
        t.type[p] = memory(sizeof(MPI_Datatype) * (size_t)b->size);
        for (int r = 0; r < b->size; r++) {
            int64_t first[CT_DIMS], count[CT_DIMS];
            const int k = ct_array_find(own, dim);
            ct_partition_box(&partition[1 - p], &b->whole, r, first, count);
            const ct_array part = ct_array_part(own, dim, first[k], count[k]);
            t.type[p][r] = type_of(&part, &step->port[0].layout);
            t.count[r] = 1;
            t.at[r] = 0;
        }
    }
    return t;
}

static void free_types(const bench *b, typed *t)
{
    for (int p = 0; p < 2; p++) {
        for (int r = 0; r < b->size; r++)
            MPI_Type_free(&t->type[p][r]);
        free(t->type[p]);
    }
    free(t->count);
    free(t->at);
}

static double time_types(const typed *t)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Alltoallw(t->data[0], t->count, t->at, t->type[0], t->data[1], t->count, t->at, t->type[1],
                  MPI_COMM_WORLD);
    return slowest(start);
}

/* All that a rank gets, as one copy. */
static double time_copy(const bench *b)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    memcpy(b->receive, b->send, (size_t)b->message * (size_t)b->size);
    return slowest(start);
}

static void measure(const bench *b, ct_program *program, ct_buffer mem[CT_PORTS],
                    const typed *types, times *t)
{
    for (int n = -2; n < b->rounds; n++) {
        const double exchange = time_exchange(program, mem), all = time_all_to_all(b),
                     copy = time_copy(b), own = time_types(types);
        if (n < 0) continue;
        t->exchange[n] = exchange;
        t->all_to_all[n] = all;
        t->copy[n] = copy;
        t->types[n] = own;
        t->ratio[n] = all / exchange;
    }
}

static void say(const bench *b, const char *write, const char *read, times *t)
{
    const double exchange = median(t->exchange, b->rounds);
    const double bytes = (double)b->message * b->size;
    if (b->rank != 0) return;
    printf("%s > %s  exchange %7.2f ms  all-to-all %7.2f ms  types %7.2f ms  memcpy %7.2f ms  "
           "%6.2f GB/s a rank  %.2f of all-to-all  %.2f of memcpy\n",
           write, read, 1e3 * exchange, 1e3 * median(t->all_to_all, b->rounds),
           1e3 * median(t->types, b->rounds), 1e3 * median(t->copy, b->rounds),
           1e-9 * bytes / exchange, median(t->ratio, b->rounds),
           median(t->copy, b->rounds) / exchange);
    fflush(stdout);
}

static void run(const bench *b, const char *write, const char *read)
{
    const char *layout[2] = {write, read};
    const ct_partition partition[2] = {split_along(b, 'S'), split_along(b, 'C')};
    ct_error err = {0};
    ct_buffer mem[CT_PORTS] = {0};
    ct_program *program = NULL;
    times *t = memory(sizeof *t);
    ct_step *step = make_step(b, layout, partition);
    for (int p = 0; p < 2; p++) {
        ct_array *own = &step->port[p];
        own->data = memory(ct_array_bytes(own));
        need(ct_buffer_new(&mem[p], b->device, ct_array_bytes(own), &err), &err);
    }
    ct_array *x = &step->port[0], *y = &step->port[1];
    visit(b, x, &partition[0], false);
    need(ct_buffer_write(&mem[0], b->device, 0, x->data, ct_array_bytes(x), &err), &err);
    need(ct_program_new(&program, b->device, step, &err), &err);
    typed types = make_types(b, step, partition);
    measure(b, program, mem, &types, t);
    visit(b, y, &partition[1], true);
    need(ct_buffer_read(&mem[1], b->device, 0, y->data, ct_array_bytes(y), &err), &err);
    visit(b, y, &partition[1], true);
    free_types(b, &types);
    say(b, write, read, t);
    ct_program_free(program);
    for (int p = 0; p < 2; p++) {
        ct_buffer_free(&mem[p]);
        free(step->port[p].data);
    }
    ct_step_free(step);
    free(t);
}

static void set_up(bench *b, int64_t stations)
{
    ct_error err = {0};
    need(ct_ranks_open(&b->ranks, &err), &err);
    if (!b->ranks) {
        fprintf(stderr, "bench.exchange: start it with mpirun\n");
        exit(2);
    }
    b->rank = ct_ranks_rank(b->ranks);
    b->size = ct_ranks_size(b->ranks);
    need(ct_device_open(&b->device, NULL, &err), &err);
    b->whole = (ct_array){.type = CT_CF32};
    ct_array_add(&b->whole, 'S', stations);
    ct_array_add(&b->whole, 'P', 2);
    ct_array_add(&b->whole, 'T', 512);
    ct_array_add(&b->whole, 'C', 256);
    ct_array_dense(&b->whole, NULL);
    b->message = (int)((int64_t)ct_array_bytes(&b->whole) / b->size / b->size);
    b->send = memory((size_t)b->message * (size_t)b->size);
    b->receive = memory((size_t)b->message * (size_t)b->size);
}

int main(int argc, char **argv)
{
    static const char *const pairs[] = {"CTSP", "CTSP", "STPC", "CTSP", "SPTC", "CTSP",
                                        "TCSP", "CTSP", "STPC", "TCPS", "CTPS", "SPTC"};
    bench b = {.rounds = 21};
    int64_t stations = 64;
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--stations") == 0) stations = atoll(argv[at + 1]);
        if (strcmp(argv[at], "--rounds") == 0) b.rounds = atoi(argv[at + 1]);
    }
    if (b.rounds < 1 || b.rounds > ROUNDS || stations < 1 || stations > 1024) return 2;
    set_up(&b, stations);
    for (size_t k = 0; at >= argc && k < sizeof pairs / sizeof *pairs; k += 2)
        run(&b, pairs[k], pairs[k + 1]);
    for (; at + 1 < argc; at += 2)
        run(&b, argv[at], argv[at + 1]);
    free(b.send);
    free(b.receive);
    ct_device_free(b.device);
    ct_ranks_close(b.ranks);
    return 0;
}
