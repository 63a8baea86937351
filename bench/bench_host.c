/* bench_host.c: what a block takes outside of its steps' kernels: a pipeline's default plan is
 * rehearsed, block after block, and of each block's time that of all steps on the device is
 * subtracted. What is left is the host's work for launches and flags, moves of history, and the
 * driver's own time between commands.
 *
 * Room: bench. Knows core/rehearse.
 *
 *   cmake --build build --target bench.host
 *   POCL_AFFINITY=1 build/bench/bench.host PIPELINE [BLOCKS]
 *
 * Prints medians and quartiles over the blocks, in microseconds. */
#include <stdio.h>
#include <stdlib.h>

#include "cornerturn.h"
#include "rehearse.h"

enum { WARM = 20, MOST = 100000 };

static void need(ct_status status, const ct_error *err)
{
    if (status == CT_OK) return;
    fprintf(stderr, "bench.host: %s\n", err->text);
    exit(1);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *name, double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    printf("%-12s %10.1f %10.1f %10.1f\n", name, 1e6 * seconds[count / 4], 1e6 * seconds[count / 2],
           1e6 * seconds[3 * count / 4]);
}

int main(int argc, char **argv)
{
    static double block[MOST], steps[MOST], history[MOST], rest[MOST];
    ct_error err = {0};
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_device *device = NULL;
    ct_rehearsal *rehearsal = NULL;
    const int blocks = argc > 2 ? atoi(argv[2]) : 2000;
    if (argc < 2 || blocks < 1 || blocks > MOST) {
        fprintf(stderr, "usage: bench.host PIPELINE [BLOCKS]\n");
        return 2;
    }
    need(ct_context_open(&context, &err), &err);
    need(ct_device_open(&device, NULL, &err), &err);
    need(ct_graph_load(&graph, context, argv[1], NULL, &err), &err);
    need(ct_plan_default(&plan, graph, device, &err), &err);
    need(ct_rehearse_new(&rehearsal, plan, device, &err), &err);
    const int count = ct_rehearse_steps(rehearsal);
    ct_rehearsed one = {.step = calloc((size_t)count, sizeof *one.step)};
    if (!one.step) return 1;
    for (int n = -WARM; n < blocks; n++) {
        double sum = 0;
        need(ct_rehearse_block(rehearsal, &one, &err), &err);
        for (int s = 0; s < count; s++)
            sum += one.step[s];
        if (n < 0) continue;
        block[n] = one.wall, steps[n] = sum, history[n] = one.history, rest[n] = one.wall - sum;
    }
    printf("%d steps, us     quartile     median   quartile\n", count);
    print("block", block, blocks);
    print("steps", steps, blocks);
    print("history", history, blocks);
    print("outside", rest, blocks);
    free(one.step);
    ct_rehearse_free(rehearsal);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_device_free(device);
    ct_context_free(context);
    return 0;
}
