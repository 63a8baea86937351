/* peer.c: the program around each peer: environment, check, warm-up, rounds on demand.
 * Room: bench/peers. Knows no peer. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "peer.h"

#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define WARM_SECONDS 0.1

void *peer_pages(size_t bytes)
{
    size_t rounded = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *pages = aligned_alloc(HUGE_PAGE, rounded);
    if (pages == NULL) {
        fprintf(stderr, "peer: %zu bytes cannot be had\n", rounded);
        exit(1);
    }
    madvise(pages, rounded, MADV_HUGEPAGE);
    int64_t pieces = (int64_t)(rounded / HUGE_PAGE);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < pieces; i++)
        memset(pages + (size_t)i * HUGE_PAGE, 0, HUGE_PAGE);
    return pages;
}

float peer_number(uint64_t index)
{
    uint64_t x = (index + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
    return (float)(int32_t)(x >> 32) * (8.0f / 2147483648.0f);
}

double peer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Where the environment says OMP_PROC_BIND, the first thread has one core since before main(), and
 * the program that it starts would have no other. */
static void peer_unbind(void)
{
    cpu_set_t all;
    int cores[CPU_SETSIZE];
    CPU_ZERO(&all);
    for (int place = 0; place < omp_get_num_places(); place++) {
        const int count = omp_get_place_num_procs(place);
        if (count > CPU_SETSIZE) return;
        omp_get_place_proc_ids(place, cores);
        for (int i = 0; i < count; i++)
            CPU_SET(cores[i], &all);
    }
    if (CPU_COUNT(&all) > 0) sched_setaffinity(0, sizeof all, &all);
}

/* That the threads may run on, all of them together. */
static int peer_cores(void)
{
    cpu_set_t all;
    CPU_ZERO(&all);
#pragma omp parallel
    {
        cpu_set_t mine;
        CPU_ZERO(&mine);
        sched_getaffinity(0, sizeof mine, &mine);
#pragma omp critical
        CPU_OR(&all, &all, &mine);
    }
    return CPU_COUNT(&all);
}

/* Ends the program where threads share cores, and says where cores are left out: a peer that is
 * slower for that must not be compared with in silence. */
static void peer_check_cores(void)
{
    const int threads = omp_get_max_threads(), cores = peer_cores();
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < threads) {
        fprintf(stderr, "peer: %d threads have %d core%s: see OMP_NUM_THREADS, OMP_PLACES\n",
                threads, cores, cores == 1 ? "" : "s");
        exit(1);
    }
    if (threads < online)
        fprintf(stderr, "peer: %d thread%s on a machine of %ld cores\n", threads,
                threads == 1 ? "" : "s", online);
}

/* Libraries read their environment when they are loaded, so the program starts once more with it.
 * Waiting threads must not spin while others are timed. */
static void peer_restart(char **argv, const peer *chosen)
{
    static const char mark[] = "PEER_STARTED";
    if (getenv(mark) != NULL) return;
    peer_unbind();
    setenv(mark, "1", 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    setenv("OMP_PROC_BIND", "true", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("MKL_NUM_THREADS", "1", 1);
    if (chosen->environment != NULL) {
        char name[64] = "";
        const char *value = strchr(chosen->environment, '=');
        snprintf(name, sizeof name, "%.*s", (int)(value - chosen->environment),
                 chosen->environment);
        setenv(name, value + 1, 1);
    }
    execv("/proc/self/exe", argv);
    perror("peer: cannot start again");
    exit(1);
}

static const peer *peer_find(const char *name, const peer *peers)
{
    for (; peers->name != NULL; peers++)
        if (name != NULL && strcmp(peers->name, name) == 0) return peers;
    return NULL;
}

static int peer_usage(const char *program, const peer *peers)
{
    fprintf(stderr, "usage: %s NAME [--rounds N] [--size N], then a line \"go\" per round\n",
            program);
    for (; peers->name != NULL; peers++)
        fprintf(stderr, "  %-18s %s\n", peers->name, peers->what);
    return 2;
}

static double peer_time(const peer *chosen, void *state)
{
    double start = peer_seconds();
    chosen->round(state);
    return peer_seconds() - start;
}

static void peer_warm(const peer *chosen, void *state)
{
    double start = peer_seconds();
    do {
        chosen->round(state);
    } while (peer_seconds() - start < WARM_SECONDS);
}

/* A time counts only where the result is right. */
static bool peer_check(const peer *chosen, void *state, size_t size)
{
    double error = chosen->error(state);
    double bytes = chosen->bytes > 0 ? chosen->bytes : 2.0 * (double)size;
    if (!(error <= chosen->tolerance)) {
        fprintf(stderr, "peer: %s is wrong: error %g, at most %g expected\n", chosen->name, error,
                chosen->tolerance);
        return false;
    }
    printf("{\"peer\": \"%s\", \"what\": \"%s\", \"flops\": %.17g, \"bytes\": %.17g, "
           "\"error\": %.3g, \"threads\": %d, \"cores\": %d}\n",
           chosen->name, chosen->what, chosen->flops, bytes, error, omp_get_max_threads(),
           peer_cores());
    fflush(stdout);
    return true;
}

static void peer_serve(const peer *chosen, void *state, long rounds)
{
    char line[16];
    while (rounds-- != 0 && fgets(line, sizeof line, stdin) != NULL) {
        if (strcmp(line, "go\n") != 0) break;
        printf("%.9f\n", peer_time(chosen, state));
        fflush(stdout);
    }
}

int peer_main(int argc, char **argv, const peer *peers)
{
    const peer *chosen = peer_find(argc > 1 ? argv[1] : NULL, peers);
    if (chosen == NULL) return peer_usage(argv[0], peers);
    long rounds = -1; /* as many as the input has lines */
    size_t size = chosen->size;
    for (int i = 2; i < argc; i += 2) {
        long value = i + 1 < argc ? strtol(argv[i + 1], NULL, 10) : 0;
        if (value > 0 && strcmp(argv[i], "--rounds") == 0)
            rounds = value;
        else if (value > 0 && strcmp(argv[i], "--size") == 0)
            size = (size_t)value;
        else
            return peer_usage(argv[0], peers);
    }
    peer_restart(argv, chosen);
    peer_check_cores();
    void *state = chosen->prepare(size);
    peer_warm(chosen, state);
    if (!peer_check(chosen, state, size)) return 1;
    peer_serve(chosen, state, rounds);
    return 0;
}
