/* threads.c: see threads.h.
 * Room: io/simulate. */
#include "threads.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST = 64 };

typedef struct sim_share {
    void (*work)(void *of, int64_t which);
    void *of;
    int64_t which;
    pthread_t thread;
} sim_share;

int64_t ct_threads_count(int64_t most)
{
    const int64_t cores = (int64_t)sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t count = cores < 1 ? 1 : cores > MOST ? MOST : cores;
    return count < most ? count : most < 1 ? 1 : most;
}

static void *share_work(void *given)
{
    const sim_share *share = given;
    share->work(share->of, share->which);
    return NULL;
}

void ct_threads_run(int64_t count, void (*work)(void *of, int64_t which), void *of)
{
    sim_share share[MOST];
    int64_t running = 1;
    for (int64_t i = 0; i < count; i++)
        share[i] = (sim_share){.work = work, .of = of, .which = i};
    for (; running < count; running++)
        if (pthread_create(&share[running].thread, NULL, share_work, &share[running]) != 0) break;
    work(of, 0);
    for (int64_t i = 1; i < running; i++)
        (void)pthread_join(share[i].thread, NULL);
    for (int64_t i = running; i < count; i++)
        work(of, i);
}
