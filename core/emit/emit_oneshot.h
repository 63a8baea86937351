/* emit_oneshot.h: a kernel that runs once over whole arrays in natural order -> its OpenCL source:
 * the reference of a stage, or one that fills a table. Room: core/emit. */
#ifndef CT_CORE_EMIT_ONESHOT_H
#define CT_CORE_EMIT_ONESHOT_H
#include "step.h"

typedef struct ct_oneshot {
    const char *source, *name; /* the text, and what messages call it */
    const char *entry;         /* the kernel; NULL: the only one there is */
    const char *parallel;      /* its work-items; NULL: one for each element of `port` */
    int port;
    bool reference; /* in double, without tiles and definitions of the stage's own; else the kernel
                       writes `port`, and all is there that the stage's own kernel may use */
} ct_oneshot;

/* What stands for the reference of a stage, and for what fills a table; false where there is none.
 */
bool ct_oneshot_reference(ct_oneshot *out, const ct_step *step);
bool ct_oneshot_fill(ct_oneshot *out, const ct_step *step, int port);
/* The type that the kernel has in place of a port's own. */
ct_type ct_oneshot_type(const ct_oneshot *oneshot, ct_type type);
/* The step's ports are in natural order, dense but for offsets; scratch is not connected. */
ct_status ct_emit_oneshot(ct_text *out, ct_launch *launch, const ct_step *step,
                          const ct_oneshot *oneshot, ct_error *err);

#endif
