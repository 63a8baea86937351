/* table.h: rows of cells, printed in columns as wide as they need to be.
 * Room: core/plan. Does not know what the cells say. Used by: core/explain.c. */
#ifndef CT_CORE_TABLE_H
#define CT_CORE_TABLE_H
#include "cornerturn_stage.h"

enum { CT_TABLE_COLUMNS = 12 };

typedef struct ct_table {
    int columns;
    const char *right; /* letters of the columns that are numbers: "56"; by index from 0 */
    char ***rows;      /* [rows][columns] */
    int count;
    void *arena;
} ct_table;

/* Start with `ct_table table = {.columns = 3, .right = "2"}`. */
void ct_table_row(ct_table *table); /* starts a row of empty cells */
void ct_table_cell(ct_table *table, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ct_table_print(ct_text *out, const ct_table *table); /* without blanks at line ends */
void ct_table_free(ct_table *table);

#endif
