/* device_transfers.h: arrays on their way to and from a device with memory of its own while it
 * computes: a queue for each direction, memory of the host that the device reads and writes by
 * itself, and events, by which one command waits for another while the host goes on.
 * Room: core/device. */
#ifndef CT_CORE_DEVICE_TRANSFERS_H
#define CT_CORE_DEVICE_TRANSFERS_H
#include "device.h"

/* The end of a command. */
typedef struct _cl_event ct_event;
/* For this command; any thread may. NULL is over. */
ct_status ct_device_await(ct_event *event, ct_error *err);
void ct_device_forget(ct_event **event);

/* Makes the queues for transfers of a device that is a GPU, or is treated as one; others have none.
 */
ct_status ct_device_add_transfers(ct_device *device, ct_error *err);
/* Waits for all of its queues, whatever fails. */
void ct_device_settle(const ct_device *device);

/* Memory of the host, 0 at first, for as long as the device has it. */
typedef struct ct_pinned {
    struct _cl_mem *mem;
    void *data;
    size_t bytes;
} ct_pinned;
ct_status ct_device_pin(ct_pinned *out, ct_device *device, size_t bytes, ct_error *err);
void ct_device_unpin(ct_pinned *pinned, ct_device *device);

/* All that is on the device's queue now. */
ct_status ct_device_mark(ct_event **out, ct_device *device, ct_error *err);
/* Sends `from` to the start of a buffer once `after` is over. What is put on the device's queue
 * from now on waits for it. */
ct_status ct_device_send(ct_event **out, ct_device *device, const ct_buffer *to,
                         const ct_pinned *from, ct_event *after, ct_error *err);
/* Fetches the start of a buffer once all is done that is on the device's queue now. */
ct_status ct_device_fetch(ct_event **out, ct_device *device, const ct_pinned *to,
                          const ct_buffer *from, ct_error *err);

/* Writes the start of a buffer after all that is on the device's queue. The data are taken now: the
 * host waits for nothing, but on a device without queues for transfers. */
ct_status ct_device_hand(ct_buffer *buffer, ct_device *device, const void *data, size_t bytes,
                         ct_error *err);

#endif
