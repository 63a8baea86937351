/* cores.h: as many of the driver's threads as there are cores for them, which keeps timings
 * together. Room: cli. */
#ifndef CT_CLI_CORES_H
#define CT_CLI_CORES_H

/* Before OpenCL is first asked. Where this process may use all of the machine's cores, PoCL is to
 * pin its threads, one to a core: without that the scheduler puts two on one core now and then, and
 * a kernel of less than some ms takes twice its time. Where it may use some of them (taskset, a
 * rank that mpirun has bound), PoCL, which counts all of them, is to have as many threads. Neither
 * where the user has said (POCL_AFFINITY, POCL_MAX_PTHREAD_COUNT, POCL_CPU_MAX_CU_COUNT). */
void ct_cores_take(void);
/* One thread, on whichever core is at rest: whatever was said. */
void ct_cores_take_one(void);
/* How many this process may use; 0: the system does not say. */
int ct_cores_mine(void);

#endif
