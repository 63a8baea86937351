/* cores.c: see cores.h.
 * Room: cli. Knows PoCL's environment. Does not know who runs kernels. */
#define _GNU_SOURCE
#include "cores.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static bool cores_are_said(void)
{
    static const char *const names[] = {"POCL_AFFINITY", "POCL_MAX_PTHREAD_COUNT",
                                        "POCL_CPU_MAX_CU_COUNT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL) return true;
    return false;
}

/* Those from 0 on, and no core is missing. */
static bool cores_are_all(void)
{
    cpu_set_t mine;
    const long count = sysconf(_SC_NPROCESSORS_CONF);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0 || count > CPU_SETSIZE) return false;
    for (int core = 0; core < (int)count; core++)
        if (!CPU_ISSET((size_t)core, &mine)) return false;
    return count > 0;
}

void ct_cores_pin(void)
{
    if (!cores_are_said() && cores_are_all()) (void)setenv("POCL_AFFINITY", "1", 0);
}
