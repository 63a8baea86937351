/* threads.h: work that is divided among the processor's cores.
 * Room: io/simulate. Knows threads. Does not know what is done. */
#ifndef CT_STAGES_SIMULATE_THREADS_H
#define CT_STAGES_SIMULATE_THREADS_H
#include <stdint.h>

/* One for each core, `most` at most. */
int64_t ct_threads_count(int64_t most);
/* work(of, 0) to work(of, count - 1), at the same time; `count` is one of ct_threads_count. What
 * has no thread because none is to be had is done all the same. */
void ct_threads_run(int64_t count, void (*work)(void *of, int64_t which), void *of);

#endif
