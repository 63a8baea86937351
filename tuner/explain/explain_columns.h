/* explain_columns.h: rows of cells, printed in columns as wide as they need to be.
 * Room: tuner/explain. Does not know what the cells say. Order: row, cells, ..., print, free. */
#ifndef CT_TUNER_EXPLAIN_COLUMNS_H
#define CT_TUNER_EXPLAIN_COLUMNS_H
#include "cornerturn_stage.h"

enum { CT_COLUMNS_MOST = 12 };

typedef struct ct_columns {
    int columns;
    const char *right;  /* letters of the columns that are numbers: "56"; by index from 0 */
    const char ***rows; /* [rows][columns] */
    int count;
    bool failed; /* out of memory: no more rows are taken, and the text lacks them */
    void *arena;
} ct_columns;

/* Start with `ct_columns columns = {.columns = 3, .right = "2"}`. */
void ct_columns_row(ct_columns *columns); /* starts a row of empty cells */
void ct_columns_cell(ct_columns *columns, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ct_columns_print(ct_text *out, const ct_columns *columns); /* without blanks at line ends */
void ct_columns_free(ct_columns *columns);

#endif
