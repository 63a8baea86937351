/* detect.h: how a detect step walks through its arrays, shared by the files of this folder.
 * Room: stages/detect. Knows strides. Does not know other stages or core. */
#ifndef CT_STAGES_DETECT_H
#define CT_STAGES_DETECT_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_detect; /* its line is in stages/stages.c */

enum { CT_DETECT_X, CT_DETECT_Y, CT_DETECT_M, CT_DETECT_COUNTS }; /* places in .ports */

/* The output's dimensions but Q, in the accessors' order. */
enum { DETECT_B, DETECT_T, DETECT_C, DETECT_DIMS };

/* A work-item makes a box of outputs: `vector` is the dimension along which the input is read by
 * vectors, `other` the one that completes cache lines on the output's side. */
typedef struct detect_walk {
    int axis[DETECT_DIMS]; /* dimension on each axis of the ND-range: vector, other, the rest */
    int64_t box[DETECT_DIMS], extent[DETECT_DIMS];
    int64_t width; /* elements per vector; 1: no vectors */
    bool pairs;    /* both polarizations lie next to each other in each vector */
    bool unit;     /* the output is contiguous along the vector dimension */
    bool within;   /* a vector's elements belong to one integration */
} detect_walk;

/* 'B', 'T' or 'C': along which a port's elements, or pairs of polarizations, follow each other. */
char ct_detect_fastest(const ct_step *step, const char *port);
void ct_detect_suggest(ct_step *step);
int ct_detect_launch(const ct_step *step, ct_launch *out);
ct_status ct_detect_emit(const ct_step *step, ct_text *text, ct_error *err);
detect_walk ct_detect_walk(const ct_step *step);
ct_status ct_detect_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif
