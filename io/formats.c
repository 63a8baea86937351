/* formats.c: the formats that come with the library, in the order in which `cornerturn info stages`
 * prints their stages. A format is its folder and its one line here: ROW(npy) declares and lists
 * ct_format_npy, which names its stages.
 * Room: io. Knows the formats' names. Does not know what is in them. */
#include "format.h"

/* clang-format off */
#define FORMATS(ROW)  \
    ROW(simulate)     \
    ROW(npy)          \
    ROW(raw)          \
    ROW(sigproc)      \
    ROW(fbh5)         \
    ROW(dada)         \
    ROW(psrfits)      \
    ROW(guppi)        \
    ROW(vdif)         \
    ROW(lofar)        \
    ROW(lofar_bf)     \
    ROW(lofar_bf_raw) \
    ROW(h5parm)       \
    ROW(candidates)   \
    ROW(cutouts)      \
    ROW(presto)       \
    ROW(uvh5)         \
    ROW(ms)           \
    ROW(caller)
/* clang-format on */

#define DECLARE(name) extern const ct_format ct_format_##name;
#define LIST(name) &ct_format_##name,
#define SOURCE(name) &ct_format_##name.source,
#define SINK(name) &ct_format_##name.sink,

FORMATS(DECLARE)

const ct_format *const ct_formats[] = {FORMATS(LIST) NULL};

/* core/context/context.c knows no more of formats; where one has no source, or no sink, that is
 * NULL.
 */
const ct_stage *const *const ct_format_stages[] = {FORMATS(SOURCE) FORMATS(SINK) NULL};
