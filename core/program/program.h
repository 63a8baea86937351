/* program.h: a step compiled (or its library engine prepared) for one device.
 * Room: core/program. Order: new, enqueue as often as wanted, free. */
#ifndef CT_CORE_PROGRAM_H
#define CT_CORE_PROGRAM_H
#include "device.h"
#include "step.h"

typedef struct ct_program ct_program;

/* Build errors carry the compiler's own messages, which name the .cl file, and the step's layouts
 * and tunables. The work-group's size is checked before anything is built, local memory once the
 * driver knows it. */
ct_status ct_program_new(ct_program **out, ct_device *device, const ct_step *step, ct_error *err);
/* Whether it failed for that: the device has less than these tunables take. */
bool ct_program_is_too_large(const ct_error *err);
/* Fills every table port's buffer, by the stage's table() or its kernel for it, in the port's
 * layout. `mem` has one buffer per port; tables' buffers must exist. `filled`: what kernels filled
 * before, in natural order, CT_PORTS of them; NULL: nothing. */
ct_status ct_program_tables(const ct_step *step, ct_device *device, ct_buffer mem[CT_PORTS],
                            const ct_array *filled, ct_error *err);
/* Brings a host array of the port's dimensions and type into its layout, and into `mem`, once all
 * that is on the queue is done. */
ct_status ct_program_put(const ct_array *port, const ct_array *fill, ct_device *device,
                         ct_buffer *mem, ct_error *err);
/* What one launch does to outputs that accumulate: it adds to what stands there, or overwrites it.
 * Where they have CT_PORT_CARRY it takes the samples from `first` to `end` - 1 of port 0's new
 * ones, of which the first has the place `start` in the stream. */
typedef struct ct_piece {
    bool add;
    int64_t first, end, start;
} ct_piece;
/* All samples of a firing. */
ct_piece ct_program_whole(const ct_step *step, bool add);
/* From now on one group of each kernel is started, the last kernel first, which is what drivers
 * need who build a kernel when it is started; an engine is not. */
void ct_program_only_build(ct_program *program);
/* Puts one firing on the device's queue. piece NULL: outputs are overwritten by all samples. */
ct_status ct_program_enqueue(ct_program *program, ct_buffer mem[CT_PORTS], const ct_piece *piece,
                             ct_error *err);
/* What its engine has prepared, for who calls that itself; NULL: it has none. */
/* Whether all that it has put on the queue is done, as far as one can see without waiting. */
bool ct_program_is_done(const ct_program *program);
void *ct_program_engine(const ct_program *program);
/* Waits for all of the queue and gives the seconds of device time since the last call (NULL: no).
 */
ct_status ct_program_wait(ct_program *program, double *seconds, ct_error *err);
/* Gives them without waiting, once the queue has been waited for; or those of firings that are
 * done.
 */
ct_status ct_program_take(ct_program *program, double *seconds, ct_error *err);
ct_status ct_program_take_done(ct_program *program, double *seconds, ct_error *err);
void ct_program_free(ct_program *program);

#endif
