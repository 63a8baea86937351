/* cores.h: a core of its own for each of the driver's threads, which keeps timings together.
 * Room: cli. */
#ifndef CT_CLI_CORES_H
#define CT_CLI_CORES_H

/* Before OpenCL is first asked: has PoCL pin its threads, one to a core. Without that the scheduler
 * puts two on one core now and then, and a kernel of less than some ms takes twice its time. Only
 * where this process may use all of the machine's cores, since PoCL counts them from 0 whatever it
 * may use, and where the user has not said how many threads or whether (POCL_AFFINITY,
 * POCL_MAX_PTHREAD_COUNT, POCL_CPU_MAX_CU_COUNT). */
void ct_cores_pin(void);

#endif
