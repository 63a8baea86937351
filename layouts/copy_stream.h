/* copy_stream.h: copies that are written past the caches. Room: layouts. */
#ifndef CT_LAYOUTS_COPY_STREAM_H
#define CT_LAYOUTS_COPY_STREAM_H
#include "cornerturn_stage.h"

/* As ct_copy_array does it, for what is much larger than a cache and is not read again soon. */
void ct_copy_stream(ct_array *to, const ct_array *from);

#endif
