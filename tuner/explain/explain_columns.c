/* explain_columns.c: rows of cells, printed in columns as wide as they need to be.
 * Room: tuner/explain. Does not know what the cells say.
 * Order: row, cells, ..., print, free. */
#include "explain_columns.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "text.h"

void ct_columns_row(ct_columns *columns)
{
    if (columns->arena == NULL) columns->arena = ct_arena_new();
    const char **row = ct_arena_get(columns->arena, (size_t)columns->columns * sizeof *row);
    const size_t bytes = (size_t)(columns->count + 1) * sizeof *columns->rows;
    columns->failed =
        columns->failed || !row || ct_memory_grow(&columns->rows, bytes, NULL) != CT_OK;
    if (columns->failed) return;
    for (int c = 0; c < columns->columns; c++)
        row[c] = "";
    columns->rows[columns->count++] = row;
}

static const char *print_cell(ct_columns *columns, const char *format, va_list args)
{
    char cell[512];
    ct_number_print_args(cell, sizeof cell, format, args);
    return ct_arena_copy(columns->arena, cell);
}

void ct_columns_cell(ct_columns *columns, int column, const char *format, ...)
{
    va_list args;
    if (columns->failed) return;
    va_start(args, format);
    columns->rows[columns->count - 1][column] = print_cell(columns, format, args);
    va_end(args);
    columns->failed = ct_arena_check(columns->arena, NULL) != CT_OK;
}

static bool is_right(const ct_columns *columns, int column)
{
    return columns->right != NULL && strchr(columns->right, '0' + column) != NULL;
}

static int width_of(const ct_columns *columns, int column)
{
    size_t width = 0;
    for (int r = 0; r < columns->count; r++) {
        const size_t length = strlen(columns->rows[r][column]);
        width = length > width ? length : width;
    }
    return (int)width;
}

static int last_cell(const ct_columns *columns, int row)
{
    int last = columns->columns - 1;
    while (last >= 0 && columns->rows[row][last][0] == 0)
        last--;
    return last;
}

void ct_columns_print(ct_text *out, const ct_columns *columns)
{
    int width[CT_COLUMNS_MOST] = {0};
    if (columns->failed) ct_text_lacks(out, 0);
    for (int c = 0; c < columns->columns; c++)
        width[c] = width_of(columns, c);
    for (int r = 0; r < columns->count; r++) {
        const int last = last_cell(columns, r);
        for (int c = 0; c <= last; c++) {
            const char *cell = columns->rows[r][c], *gap = c > 0 && width[c] > 0 ? "  " : "";
            if (is_right(columns, c))
                ct_text_add(out, "%s%*s", gap, width[c], cell);
            else
                ct_text_add(out, "%s%-*s", gap, c < last ? width[c] : 0, cell);
        }
        ct_text_add(out, "\n");
    }
}

void ct_columns_free(ct_columns *columns)
{
    ct_memory_free(columns->rows);
    ct_arena_free(columns->arena);
    *columns = (ct_columns){0};
}
