/* processor.h: what the processor is, as far as kernels depend on it.
 * Room: tuner/store. Knows /proc/cpuinfo. Does not know OpenCL. */
#ifndef CT_TUNER_PROCESSOR_H
#define CT_TUNER_PROCESSOR_H

typedef struct ct_processor {
    char name[256];    /* "AMD EPYC, family 25, model 17": in virtual machines many have one name */
    char vectors[512]; /* what it has of vector instructions: "sse4_2 avx avx2 avx512f" */
} ct_processor;

/* From a file such as /proc/cpuinfo; "" where it does not say. */
void ct_processor_read(ct_processor *out, const char *file);
/* Cores that this process may use, of so many that a device has. */
int ct_processor_cores(int device_cores);

#endif
