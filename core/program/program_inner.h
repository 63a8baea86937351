/* program_inner.h: what a program keeps, and the parts that have their own files.
 * Room: core/program. Private to program*.c. */
#ifndef CT_CORE_PROGRAM_INNER_H
#define CT_CORE_PROGRAM_INNER_H
#include "device_cl.h"
#include "layout.h"
#include "program.h"
#include "step.h"

#define CT_PROGRAM_EVENTS 64 /* firings that are remembered before their times are read */

struct ct_program {
    ct_device *device;
    ct_step *step;        /* a copy of the caller's */
    const char *of;       /* what is built for it, in messages: "step", "the reference of" */
    const char *parallel; /* what its work-items are; NULL: one for each element of `port` */
    int port;             /* -1: the stage's own launches */
    cl_program program;
    cl_kernel kernel[CT_LAUNCHES];
    ct_launch launch[CT_LAUNCHES];
    int launches;
    bool started;    /* it has been put on the queue */
    bool only_built; /* ct_program_only_build */
    void *state;     /* of a library engine; NULL: kernels */
    cl_event begin[CT_PROGRAM_EVENTS], end[CT_PROGRAM_EVENTS]; /* the same one for a kernel */
    int events;
    double seconds; /* of events that were read already */
};

ct_status ct_program_compile(ct_program *program, const char *source, ct_error *err);
/* Makes the kernel of this place; `text` is what messages call the source. */
ct_status ct_program_kernel(ct_program *program, int place, const char *entry, const char *text,
                            ct_error *err);
/* piece NULL: the kernel takes none, whatever its ports are. */
ct_status ct_program_arguments(ct_program *program, int place, const ct_buffer mem[CT_PORTS],
                               const ct_piece *piece, ct_error *err);
ct_status ct_program_launch(ct_program *program, int place, ct_error *err);

/* "fir (read SPTC write TSCP WG=64)" */
void ct_program_describe(char *out, size_t size, const ct_step *step);
/* The compiler's messages as sentences that begin with their place; `source`: what it was given. */
ct_status ct_program_fail_build(const ct_program *program, const char *source, ct_error *err);

/* Takes over both events. */
ct_status ct_program_remember(ct_program *program, cl_event begin, cl_event end, ct_error *err);
void ct_program_forget(ct_program *program, int firings); /* the first ones */

#endif
