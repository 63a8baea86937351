/* access.h: accessor macros for one port, all extents and strides literal.
 * Room: layouts. Knows arrays. Does not know OpenCL calls or stages.
 * docs/kernels.md says what comes out. */
#ifndef CT_LAYOUTS_ACCESS_H
#define CT_LAYOUTS_ACCESS_H
#include "cornerturn_stage.h"

typedef struct ct_access {
    const char *name;      /* "X" */
    const char *letters;   /* the accessor's arguments, absent dimensions included: "BPTC" */
    const ct_array *array; /* strides set; a letter of `letters` that it lacks has stride 0 */
    const char *aliases; /* as long as `letters`: the array's own letter for each ("SPTC"), 0-9A-Z;
                            '-' where absent */
    bool write;
    bool loose;   /* SAVE takes numbers in double as well, where the device has them */
    ct_type said; /* not CT_NONE: the array holds f64 or cf64, which LOAD gives as they are, in
                     place of this type, which is what the kernel is told */
} ct_access;

void ct_access_emit(ct_text *text, const ct_access *access);
bool ct_access_wide(const ct_access *access); /* an element's index needs 64 bits */
/* One element, at an index given as text, as another OpenCL C type ("float2", "char2"): the text of
 * an expression, and of an assignment. ct_access_converts says whether there is a way. */
bool ct_access_converts(ct_type type, const char *wanted);
void ct_access_load(ct_text *text, const ct_access *access, const char *wanted, const char *index);
void ct_access_save(ct_text *text, const ct_access *access, const char *wanted, const char *index,
                    const char *value);
const char *ct_access_type(ct_type type); /* OpenCL C type of a stored element: ci8 "char2" */
/* Of a number of which an OpenCL C type has one or two: "float2" 4, and "float". */
int ct_access_part_bytes(const char *type);
void ct_access_part(char out[16], const char *type);

#endif
