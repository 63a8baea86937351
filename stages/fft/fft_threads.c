/* fft_threads.c: see fft_threads.h. A driver may pin the thread that calls to one core, and threads
 * inherit that: those that help it are put on the process's other cores, one each.
 * Room: stages/fft. Knows threads and cores. Does not know transforms. */
#define _GNU_SOURCE 1 /* cpu_set_t */
#include "fft_threads.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

struct fft_threads {
    int count;
    cpu_set_t cores; /* the process's; none where they are not known */
};

typedef struct threads_one {
    fft_job *job;
    void *work;
    int number;
} threads_one;

/* The first thread of a process is its user's, and no driver pins it. */
fft_threads *ct_fft_threads_new(ct_step *step, int64_t count)
{
    fft_threads *made = ct_step_alloc(step, sizeof *made);
    if (!made) return NULL; /* the step knows */
    made->count = count > FFT_THREADS ? FFT_THREADS : count < 1 ? 1 : (int)count;
    CPU_ZERO(&made->cores);
    if (sched_getaffinity(getpid(), sizeof made->cores, &made->cores) != 0) CPU_ZERO(&made->cores);
    return made;
}

int ct_fft_threads_count(const fft_threads *threads)
{
    return threads->count;
}

/* The one core that the calling thread is pinned to, or -1. */
static int threads_pinned(void)
{
    cpu_set_t own;
    CPU_ZERO(&own);
    bool pinned = sched_getaffinity(0, sizeof own, &own) == 0 && CPU_COUNT(&own) == 1;
    for (int core = 0; pinned && core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &own)) return core;
    return -1;
}

/* The process's next core after this one, in a ring; the same one where it has no other. */
static int threads_next(const fft_threads *threads, int core)
{
    for (int i = 1; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((core + i) % CPU_SETSIZE, &threads->cores)) return (core + i) % CPU_SETSIZE;
    return core;
}

static void *threads_start(void *argument)
{
    const threads_one *one = argument;
    one->job(one->work, one->number);
    return NULL;
}

/* On this core; where that is refused, or core is -1, on those of the caller. */
static bool threads_make(pthread_t *thread, threads_one *one, int core)
{
    pthread_attr_t with;
    cpu_set_t own;
    bool made = false;
    if (core >= 0 && pthread_attr_init(&with) == 0) {
        CPU_ZERO(&own);
        CPU_SET(core, &own);
        made = pthread_attr_setaffinity_np(&with, sizeof own, &own) == 0 &&
               pthread_create(thread, &with, threads_start, one) == 0;
        pthread_attr_destroy(&with);
    }
    return made || pthread_create(thread, NULL, threads_start, one) == 0;
}

void ct_fft_threads_run(const fft_threads *threads, fft_job *job, void *work)
{
    pthread_t thread[FFT_THREADS];
    threads_one one[FFT_THREADS];
    int started = 0, core = threads->count > 1 ? threads_pinned() : -1;
    for (bool made = true; made && started < threads->count - 1; started += made) {
        if (core >= 0) core = threads_next(threads, core);
        one[started] = (threads_one){job, work, started};
        made = threads_make(&thread[started], &one[started], core);
    }
    job(work, threads->count - 1);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}
