/* class_defaults.h: what classes of devices take in place of declared defaults, as
 * tunable_defaults.tsv has it. Room: core/step. Does not know what the values do. */
#ifndef CT_CORE_CLASS_DEFAULTS_H
#define CT_CORE_CLASS_DEFAULTS_H
#include "device_class.h"
#include "step.h"

/* A row. */
typedef struct ct_class_default {
    char stage[32], of_class[CT_DEVICE_CLASS_TEXT]; /* the words that a device has to have */
    char tunables[256];                             /* "TILE_C=256 TILE_T=4" */
    char measured[256];                             /* what the values follow from */
} ct_class_default;

const char *ct_class_defaults_table(void);
/* The next row at `*at`, a place in the table, and past it; false at the end. Lines that are empty
 * or begin with # are no rows. */
bool ct_class_defaults_next(const char **at, ct_class_default *row);
/* The bits of a row's words; 0: there is an unknown one among them. */
ct_device_class ct_class_defaults_class(const ct_class_default *row);
/* The n-th of a row's tunables, and its value as a word; false beyond the end. */
bool ct_class_defaults_at(const ct_class_default *row, int n, char tunable[32], char value[32]);

/* Sets what a table has for this step's stage and the class of its device, row by row. */
void ct_class_defaults_set(ct_step *step, const char *table);

#endif
