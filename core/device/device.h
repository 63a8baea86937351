/* device.h: one OpenCL device: its context, queue, limits and buffers.
 * Room: core/device. OpenCL's handles stand here by the names of its structs, so that rooms that
 * hand them on need not see OpenCL; files that call it include device_cl.h. */
#ifndef CT_CORE_DEVICE_H
#define CT_CORE_DEVICE_H
#include "cornerturn_stage.h"
#include "device_class.h"
#include "refcount.h"
#include <pthread.h>
#include <signal.h>

/* A device's answers for the last texts. */
typedef struct ct_device_probes {
    uint64_t asked[16]; /* hashes of the texts; a stage asks for two or three */
    char name[16][64];  /* what they need: see ct_device_accepts */
    bool accepted[16];
    unsigned count;
} ct_device_probes;

/* What a file says of a device that is not there. */
typedef struct ct_device_described {
    const char *file;
    const char *const *accepts; /* names of what its compiler takes; NULL at the end */
} ct_device_described;

struct ct_device {
    ct_refcount refcount;
    struct _cl_platform_id *platform;
    struct _cl_device_id *id;
    struct _cl_context *context;
    struct _cl_command_queue *queue;              /* in order, profiling on */
    struct _cl_command_queue *sending, *fetching; /* likewise: device_transfers.h; NULL: a CPU */
    char name[128], platform_name[128], driver[128];
    bool gpu;
    bool shares;        /* memory with the host: what is in ct_buffer.host needs no mapping */
    int64_t part_bytes; /* ct_buffer_part: parts begin at multiples of so many bytes */
    ct_device_class of_class;
    pthread_mutex_t probing;        /* one asks at a time */
    ct_device_probes *probes;       /* NULL: it is not open */
    ct_device_described *described; /* NULL: it is there */
    struct ct_arena *arena;         /* of what is described */
    ct_device *as;                  /* a described one that it is treated as; NULL: as it is */
    int64_t local_bytes, global_bytes, largest_buffer, work_group, compute_units;
    int64_t registers; /* of 32 bits, of a compute unit; 0: unknown: OpenCL has no word for it */
};

/* Keeps the device until as many ct_device_free follow. */
ct_device *ct_device_retain(ct_device *device);
/* The same device with a queue of its own: what is put there does not wait for what is on the
 * other one, and both use the same buffers. For a device that is open. */
ct_status ct_device_beside(ct_device **out, const ct_device *device, ct_error *err);
/* Of all devices that ct_device_open could mean by this name the nth, from 0 on, in a circle. */
ct_status ct_device_open_nth(ct_device **out, const char *name, int nth, ct_error *err);
/* A device that a file describes: nothing of OpenCL is asked. */
ct_status ct_device_load(ct_device **out, const char *file, ct_error *err);
/* What such a file says, of any device: as that file, or line by line. What an open device accepts
 * is what it was asked so far. */
void ct_device_print(ct_text *out, const ct_device *device, ct_form form);
/* One line or object per device, for `info devices`; CT_NO_DEVICE says why where there is none. */
ct_status ct_device_list(ct_text *out, ct_form form, ct_error *err);

/* SIGINT, SIGTERM and SIGHUP stay away from the threads and processes that a driver starts between
 * these two calls: a terminal sends Ctrl-C to all, and a compiler that ends by it takes the program
 * along or makes it fail. The caller gets signals that came meanwhile when they are over. */
void ct_device_signals_block(sigset_t *before);
void ct_device_signals_restore(const sigset_t *before);

/* Does the device's compiler take this text, and does its kernel "probe", given `global int *`,
 * write 1 there? Built and run at most once for each text. A device that is described accepts those
 * that begin with a line "// needs NAME" with a name of its list. False for any other that is not
 * open. One that is there and treated as a described one has to do both. */
bool ct_device_accepts(const ct_device *device, const char *source);
/* The answer for it; false where there is none. */
bool ct_device_probes_find(const ct_device_probes *probes, const char *source, bool *accepted);
void ct_device_probes_keep(ct_device_probes *probes, const char *source, bool accepted);

/* A buffer; on CPU devices its memory is ours (page-aligned, huge pages) and `host` points to it.
 */
typedef struct ct_buffer {
    struct _cl_mem *mem;
    void *host; /* NULL on devices with memory of their own */
    size_t bytes;
} ct_buffer;
ct_status ct_buffer_new(ct_buffer *out, ct_device *device, size_t bytes, ct_error *err);
/* One that holds so many bytes of data: on CPU devices these themselves, which must live longer. */
ct_status ct_buffer_over(ct_buffer *out, ct_device *device, void *data, size_t bytes,
                         ct_error *err);
/* So many bytes of it from `offset` on, as another buffer. */
ct_status ct_buffer_part(ct_buffer *out, const ct_buffer *whole, size_t offset, size_t bytes,
                         ct_error *err);
void ct_buffer_part_free(ct_buffer *part);
void ct_buffer_free(ct_buffer *buffer);
/* The first `bytes` of it all become `byte`. */
ct_status ct_buffer_fill(const ct_buffer *buffer, ct_device *device, size_t bytes,
                         unsigned char byte, ct_error *err);
/* The whole buffer or a part of it, waiting until done. */
ct_status ct_buffer_write(ct_buffer *buffer, ct_device *device, size_t offset, const void *data,
                          size_t bytes, ct_error *err);
ct_status ct_buffer_read(ct_buffer *buffer, ct_device *device, size_t offset, void *data,
                         size_t bytes, ct_error *err);
/* The whole buffer as host memory, to be read and written until it is handed back. */
ct_status ct_buffer_map(void **out, const ct_buffer *buffer, ct_device *device, ct_error *err);
ct_status ct_buffer_unmap(const ct_buffer *buffer, ct_device *device, void *data, ct_error *err);

#endif
