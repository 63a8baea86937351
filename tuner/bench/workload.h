/* workload.h: what the bench measures: stages with the parameters and sizes of real instruments.
 * Room: tuner/bench. Knows stages only by name, as a pipeline does. */
#ifndef CT_TUNER_WORKLOAD_H
#define CT_TUNER_WORKLOAD_H
#include "step.h"

#define CT_WORKLOAD_ODD "-odd" /* "thesis-odd": the odd twin of a size */

typedef struct ct_workload {
    const char *size, *name, *stage;
    const char *params;  /* JSON object */
    const char *extents; /* of port 0: "S=64 P=2 T=512 C=256" */
    const char *type;
    int beams; /* above 0: station positions and so many directions are added */
    double low_hz, width_hz, sample_s; /* lowest channel, channel width, sampling; 0: LOFAR-like */
} ct_workload;

const ct_workload *ct_workload_at(int index); /* NULL at the end */
/* A workload of `size`, or what that is the odd twin of, that `name` means (its own name or its
 * stage's; NULL: all)? */
bool ct_workload_is(const ct_workload *work, const char *size, const char *name);
/* A workload with counts of its own: `work` points into it. */
enum { CT_WORKLOAD_EXTENTS = 256 };
typedef struct ct_workload_counted {
    ct_workload work;
    char extents[CT_WORKLOAD_EXTENTS], params[CT_WORKLOAD_EXTENTS];
} ct_workload_counted;
void ct_workload_copy(ct_workload_counted *out, const ct_workload *work);
/* How many there are along a dimension of the input; beams, channels or trials that the stage makes
 * count too. Samples count in units of those that make one of the output. 0: there is none. */
int64_t ct_workload_count(const ct_workload_counted *of, char dim);
void ct_workload_set_count(ct_workload_counted *of, char dim, int64_t count);
/* Whether counts along it are free: not the length of a transform, polarizations or products. */
bool ct_workload_varies(const ct_workload *work, char dim);
/* The workload itself, or its odd twin where `size` is "thesis-odd": each count that is free becomes
 * the nearest odd one that has no factor in common with the others. */
void ct_workload_twin(ct_workload_counted *out, const ct_workload *work, const char *size);

/* A workload of a stage that is not in the list, from its cases; false where it has none. */
bool ct_workload_case(ct_workload *out, char extents[CT_WORKLOAD_EXTENTS], const ct_stage *stage,
                      const char *size);
/* CT_USAGE with a suggestion where there is no such size or name in it. */
ct_status ct_workload_check(const char *size, const char *name, ct_error *err);

/* The step with shapes, preferred layouts and default tunables. *given (its parameters) must
 * outlive it. */
ct_status ct_workload_step(ct_step **out, ct_value **given, ct_context *context,
                           const ct_workload *work, const ct_device *device, ct_error *err);
/* Rows of the arrays between stages as a plan pads them. */
void ct_workload_pad(ct_step *step);

#endif
