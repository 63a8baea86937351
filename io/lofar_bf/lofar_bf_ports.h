/* lofar_bf_ports.h: what the files of the sink that know its ports share.
 * Room: io/lofar_bf. Knows ports and parameters. Does not know HDF5. */
#ifndef CT_IO_LOFAR_BF_PORTS_H
#define CT_IO_LOFAR_BF_PORTS_H
#include "lofar_bf.h"

enum { CT_LOFAR_BF_X, CT_LOFAR_BF_M };

#define CT_LOFAR_BF_SIGNALS(ROW) ROW(COHERENT) ROW(INCOHERENT)

bool ct_lofar_bf_voltages(const ct_array *in);
/* Files of a beam, and what one of them holds; -1: not known. */
int64_t ct_lofar_bf_sets(const ct_array *in);
int ct_lofar_bf_component(const ct_array *in, int64_t set);
/* Of a channel, Hz; 0: not known. */
double ct_lofar_bf_width(const ct_meta *meta);
/* The sink's infer(), but for the files that it declares. */
ct_status ct_lofar_bf_check(ct_step *step, ct_error *err);
/* hz: the channels' frequencies, ascending. */
ct_lofar_bf_head ct_lofar_bf_head_of(const ct_step *step, const double *hz, int64_t beam,
                                     int64_t set);

#endif
