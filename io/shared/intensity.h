/* intensity.h: sinks whose readers expect total intensity.
 * Room: io/shared. Knows names of products. Does not know formats. */
#ifndef CT_IO_INTENSITY_H
#define CT_IO_INTENSITY_H
#include "cornerturn_stage.h"

/* In infer(): if several products along Q of port 0 are known and no Stokes parameters, warns of
 * it: `what` is done with each of them. */
void ct_intensity_warn(ct_step *step, const char *what);

#endif
