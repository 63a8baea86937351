/* faults_inputs.h: the bytes that the pipelines of faults.c begin with. Who cannot write them ends
 * the test. Room: tests. */
#ifndef CT_FAULTS_INPUTS_H
#define CT_FAULTS_INPUTS_H
#include <stddef.h>

void write_noise(const char *path, size_t bytes);
/* GUPPI raw: two blocks of 64 samples, 3 channels and two polarizations. */
void write_guppi(const char *path);

#endif
