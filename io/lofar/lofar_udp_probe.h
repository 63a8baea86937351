/* lofar_udp_probe.h: what is heard of lanes before a run begins: their form and the present time.
 * Room: io/lofar. Knows parameters, addresses and lanes. Does not know what must agree. */
#ifndef CT_IO_LOFAR_UDP_PROBE_H
#define CT_IO_LOFAR_UDP_PROBE_H
#include "lofar_plan.h"

/* The address of a lane. */
ct_status ct_probe_address(ct_step *step, ct_lofar_lane *lane, const ct_value *given,
                           ct_error *err);
/* What can be said of parameters before anybody is heard. */
ct_status ct_probe_check(ct_step *step, ct_error *err);
/* What infer() returns if nobody is waited for; says what is not known. */
ct_status ct_probe_skip(ct_step *step, const ct_lofar_plan *plan, ct_error *err);
/* Listens to the first packets of all lanes; on a rank of a job to those of its stations, and the
 * others tell it of theirs. */
ct_status ct_probe_forms(ct_step *step, ct_lofar_plan *plan, ct_error *err);
/* Every lane's first sample, and the one after its last. */
void ct_probe_times(ct_step *step, ct_lofar_plan *plan);

#endif
