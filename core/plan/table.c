/* table.c: rows of cells, printed in columns as wide as they need to be.
 * Room: core/plan. Does not know what the cells say.
 * Called by: core/explain.c: row, cells, ..., print, free. */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

void ct_table_row(ct_table *table)
{
    if (table->arena == NULL) table->arena = ct_arena_new();
    table->rows = ct_memory_grow(table->rows, (size_t)(table->count + 1) * sizeof *table->rows);
    char **row = ct_arena_get(table->arena, (size_t)table->columns * sizeof *row);
    for (int c = 0; c < table->columns; c++)
        row[c] = ct_arena_copy(table->arena, "");
    table->rows[table->count++] = row;
}

static char *print_cell(ct_table *table, const char *format, va_list args)
{
    char cell[512];
    vsnprintf(cell, sizeof cell, format, args);
    return ct_arena_copy(table->arena, cell);
}

void ct_table_cell(ct_table *table, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    table->rows[table->count - 1][column] = print_cell(table, format, args);
    va_end(args);
}

static bool is_right(const ct_table *table, int column)
{
    return table->right != NULL && strchr(table->right, '0' + column) != NULL;
}

static int width_of(const ct_table *table, int column)
{
    size_t width = 0;
    for (int r = 0; r < table->count; r++) {
        const size_t length = strlen(table->rows[r][column]);
        width = length > width ? length : width;
    }
    return (int)width;
}

static int last_cell(const ct_table *table, int row)
{
    int last = table->columns - 1;
    while (last >= 0 && table->rows[row][last][0] == 0)
        last--;
    return last;
}

void ct_table_print(ct_text *out, const ct_table *table)
{
    int width[CT_TABLE_COLUMNS] = {0};
    for (int c = 0; c < table->columns; c++)
        width[c] = width_of(table, c);
    for (int r = 0; r < table->count; r++) {
        const int last = last_cell(table, r);
        for (int c = 0; c <= last; c++) {
            const char *cell = table->rows[r][c], *gap = c > 0 && width[c] > 0 ? "  " : "";
            if (is_right(table, c))
                ct_text_add(out, "%s%*s", gap, width[c], cell);
            else
                ct_text_add(out, "%s%-*s", gap, c < last ? width[c] : 0, cell);
        }
        ct_text_add(out, "\n");
    }
}

void ct_table_free(ct_table *table)
{
    ct_memory_free(table->rows);
    ct_arena_free(table->arena);
    *table = (ct_table){0};
}
