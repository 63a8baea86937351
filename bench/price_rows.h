/* price_rows.h: measured times of steps and transposes, each with the features that a price is made
 * of.
 * Room: bench. Knows journals' tables, pipelines and features. Does not fit. */
#ifndef CT_BENCH_PRICE_ROWS_H
#define CT_BENCH_PRICE_ROWS_H
#include "memory.h"

enum { PRICE_ROW_FEATURES = 160 };

typedef struct price_feature {
    int name; /* of price_rows.name */
    double value;
} price_feature;

typedef struct price_row {
    int table; /* the file that it is from */
    const char *node, *stage, *at;
    bool copy;
    double value; /* the logarithm of its seconds, less the floor's */
    double seconds;
    int features;
    price_feature feature[PRICE_ROW_FEATURES];
} price_row;

typedef struct price_table {
    const char *machine, *pipeline, *file;
} price_table;

typedef struct price_rows {
    price_table *table;
    int tables;
    price_row *row;
    int rows;
    char **name; /* "fft writes C", "* writes C" */
    int names;
    ct_arena *arena;
} price_rows;

/* Reads a list of lines "MACHINE PIPELINE TABLE"; a table has lines "cell AT SECONDS NODE" and
 * "transpose AT SECONDS ARRAY". */
ct_status price_rows_load(price_rows *out, const char *list, ct_error *err);
void price_rows_free(price_rows *rows);
/* Prints such a table of a tuning's journal. */
ct_status price_rows_print(const char *journal, ct_error *err);

#endif
