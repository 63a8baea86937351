/* angle.h: right ascensions and declinations as SIGPROC packs them, hhmmss.s and ddmmss.s, and as
 * text with colons.
 * Room: io/shared. Does not know formats. */
#ifndef CT_IO_ANGLE_H
#define CT_IO_ANGLE_H
#include "cornerturn_stage.h"

enum { CT_ANGLE_TEXT = 32 };

/* "hh:mm:ss.s" as hhmmss.s; 0 if it is none. */
double ct_angle_read(const char *text);
/* "-dd:mm:ss.ssss", whose seconds never round up to 60. */
void ct_angle_print(char out[CT_ANGLE_TEXT], double packed);
/* Hours or degrees, as one number; and back. */
double ct_angle_unpack(double packed);
double ct_angle_pack(double value);

#endif
