/* clones.h: a function that is compiled for several generations of processors, and of which the
 * newest that this one knows is taken when the library is loaded. All give the same bits: the
 * compiler fuses no multiplication with an addition (CMakeLists.txt), and the vectors of each do
 * the same to each number. For static functions: the names of others would be seen in the shared
 * library, whatever their visibility.
 * Room: io/simulate. */
#ifndef CT_STAGES_SIMULATE_CLONES_H
#define CT_STAGES_SIMULATE_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CT_CLONES
#endif

#endif
