/* dada_ring.h: what source.dada and sink.dada do with "key": a ring of PSRDADA in shared memory in
 * place of a file. Who has to wait looks a thousand times a second, and whether it is to stop.
 * Room: io/dada. Knows the order of calls (ring_calls.h). Does not know PSRDADA's library. */
#ifndef CT_IO_DADA_RING_H
#define CT_IO_DADA_RING_H
#include "dada.h"
#include "region.h"
#include "ring_calls.h"

enum { CT_DADA_RING_NAME = 24 };

typedef struct ct_dada_ring {
    const ct_step *step; /* whose run may be told to stop */
    const ct_ring_calls *calls;
    ct_ring *ring; /* NULL: not attached */
    uint32_t key;
    char name[CT_DADA_RING_NAME]; /* "ring dada", for messages */
} ct_dada_ring;

/* Of parameter "key": whether it is one, and the module is there. */
ct_status ct_dada_ring_find(ct_dada_ring *of, const ct_step *step, ct_error *err);
/* Others may look at its header for a moment. */
ct_status ct_dada_ring_attach(ct_dada_ring *of, bool writes, ct_error *err);
void ct_dada_ring_release(ct_dada_ring *of); /* twice is allowed */
ct_status ct_dada_ring_fail(const ct_dada_ring *of, const char *why, ct_error *err);
/* After CT_RING_WAIT: a thousandth of a second; false: the run is to stop. */
bool ct_dada_ring_wait(const ct_dada_ring *of);

/* Waits for the header of an observation, which stays in the ring. `text` has `bytes` bytes. */
ct_status ct_dada_ring_look(ct_dada_ring *of, const char **text, size_t *bytes, ct_error *err);

/* ---- a source */

typedef struct ct_dada_ring_source ct_dada_ring_source;

/* What infer() has found: a sample's place in the ring, and of the header as many bytes as count.
 */
typedef struct ct_dada_ring_plan {
    ct_dada_ring of;
    ct_order order;
    size_t sample_bytes;
    const char *header;
    size_t header_bytes;
} ct_dada_ring_plan;

/* Takes the header; it has to be the one that was looked at. */
ct_status ct_dada_ring_source_open(ct_dada_ring_source **out, ct_step *step,
                                   const ct_dada_ring_plan *plan, ct_error *err);
ct_status ct_dada_ring_source_read(ct_dada_ring_source *source, ct_array *block, uint8_t *flags,
                                   int64_t *got, ct_error *err);
const ct_counter *ct_dada_ring_source_count(ct_dada_ring_source *source);
void ct_dada_ring_source_close(ct_dada_ring_source *source, bool complete);

/* ---- a sink */

typedef struct ct_dada_ring_sink ct_dada_ring_sink;

/* `order`: dimensions of a sample, as ct_dada_order() has them. */
ct_status ct_dada_ring_sink_open(ct_dada_ring_sink **out, ct_step *step, const ct_dada_ring *of,
                                 const char *order, const char header[CT_DADA_HEADER],
                                 ct_error *err);
ct_status ct_dada_ring_sink_write(ct_dada_ring_sink *sink, const ct_array *block, int64_t first,
                                  int64_t count, ct_error *err);
const ct_counter *ct_dada_ring_sink_count(ct_dada_ring_sink *sink);
/* complete: says so where its end cannot be written. */
ct_status ct_dada_ring_sink_close(ct_dada_ring_sink *sink, bool complete, ct_error *err);

#endif
