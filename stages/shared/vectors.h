/* vectors.h: what a CPU's vector registers are like, for stages that size their cells by them.
 * Room: stages/shared. Knows the processor that runs this. Does not know stages. */
#ifndef CT_STAGES_VECTORS_H
#define CT_STAGES_VECTORS_H
#include <stdbool.h>

/* 32 registers of 64 bytes; with half of both, cells are smaller. */
static inline bool ct_vectors_are_wide(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f");
#else
    return false;
#endif
}

#endif
