/* time_move.h: a strided copy on a GPU, by a kernel. NVIDIA's driver (580) refuses some rectangles
 * of clEnqueueCopyBufferRect, such as 64 rows of 3584 bytes that lie 531,520 apart in one memory,
 * and each takes longer to start than a kernel for all. Room: core/regroup. */
#ifndef CT_CORE_TIME_MOVE_H
#define CT_CORE_TIME_MOVE_H
#include "device_cl.h"
#include "time_copy.h"

/* Enqueues what `copy` says, of places that do not overlap. Builds *mover for the first one. */
cl_int ct_time_move(ct_time_mover **mover, cl_command_queue queue, cl_mem to, cl_mem from,
                    ct_copy copy);

#endif
