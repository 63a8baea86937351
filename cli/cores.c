/* cores.c: see cores.h.
 * Room: cli. Knows PoCL's environment. Does not know who runs kernels. */
#define _GNU_SOURCE
#include "cores.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
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

/* How many cores this process may use, of how many; 0: the system does not say. */
static int cores_of(int *all)
{
    cpu_set_t mine;
    const long count = sysconf(_SC_NPROCESSORS_CONF);
    *all = count > 0 && count <= CPU_SETSIZE ? (int)count : 0;
    return *all > 0 && sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 0;
}

void ct_cores_take(void)
{
    char count[16];
    int all;
    const int mine = cores_of(&all);
    if (cores_are_said() || mine == 0) return;
    if (mine == all) {
        (void)setenv("POCL_AFFINITY", "1", 0);
        return;
    }
    snprintf(count, sizeof count, "%d", mine);
    (void)setenv("POCL_MAX_PTHREAD_COUNT", count, 0);
}

void ct_cores_take_one(void)
{
    (void)setenv("POCL_AFFINITY", "0", 1);
    (void)setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
}

int ct_cores_mine(void)
{
    int all;
    return cores_of(&all);
}
