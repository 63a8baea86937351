/* filterbank.h: what SIGPROC's words say of an array (fch1, foff, tstart, telescope_id), for the
 * formats that have them.
 * Room: io/shared. Knows ct_meta. Does not know formats. */
#ifndef CT_IO_FILTERBANK_H
#define CT_IO_FILTERBANK_H
#include "cornerturn_stage.h"

/* telescope_id <-> name; an id without a name is "telescope 77". */
void ct_filterbank_telescope(char out[32], int64_t id);
int64_t ct_filterbank_telescope_id(const char *name);

bool ct_filterbank_ascends(const ct_meta *meta);
/* MHz, of channels in their order, or of the last one first. */
void ct_filterbank_band(const ct_meta *meta, bool backwards, double *fch1, double *foff);
/* MJD of the first sample's leading edge; where it is start_mjd but for rounding, to the bit. */
double ct_filterbank_start(const ct_meta *meta);

/* In infer() of a sink: frequencies are known, and evenly spaced. `what`: "a .fil file". */
ct_status ct_filterbank_check(const ct_step *step, const char *what, ct_error *err);
/* Whether a header's number can be what ct_meta calls `key`, in `unit` of its own: CT_DATA. */
ct_status ct_filterbank_hold(const char *file, const char *keyword, const char *key, double value,
                             double unit, ct_error *err);

#endif
