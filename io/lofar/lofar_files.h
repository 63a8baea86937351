/* lofar_files.h: which files a source.lofar reads, and what each lane holds.
 * Room: io/lofar. Knows parameters, files and lanes. Does not know what must agree. */
#ifndef CT_IO_LOFAR_FILES_H
#define CT_IO_LOFAR_FILES_H
#include "lofar_plan.h"

/* Counts stations and lanes, names their files, and looks at each lane. */
ct_status ct_files_find(ct_step *step, ct_lofar_plan *plan, ct_error *err);

#endif
