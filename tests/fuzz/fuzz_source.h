/* fuzz_source.h: a file through a source stage, for the targets of data formats.
 * Room: tests/fuzz. Knows core/step/step.h. Does not know formats. */
#ifndef CT_TESTS_FUZZ_SOURCE_H
#define CT_TESTS_FUZZ_SOURCE_H
#include "cornerturn_stage.h"
#include "fuzz.h"

/* Makes a node of this JSON ("%s" is the folder), infers it, opens it, and reads its first blocks;
 * then has `file` (NULL none) described. */
void fuzz_source(const ct_stage *stage, const char *json, const char *file);

/* Makes a node of this JSON, gives it this input (NULL: none), and infers it. The caller frees the
 * step, which is NULL where that failed, then the value. */
ct_step *fuzz_step(ct_value **value, const ct_stage *stage, const char *json,
                   const ct_array *input);

#endif
