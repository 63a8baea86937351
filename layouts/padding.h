/* padding.h: gaps between the rows of an array in memory.
 * Room: layouts. Knows strides and cache lines. Does not know stages or devices. */
#ifndef CT_LAYOUTS_PADDING_H
#define CT_LAYOUTS_PADDING_H
#include "cornerturn_stage.h"

/* Strides of `array` in its own layout, with gaps where they pay: rows of four cache
 * lines, or as many short ones as fill them, start on a line, and no stride is a multiple of 1 KiB.
 * Along such a stride the lines of a tile would share a few sets of the caches and push each other
 * out. */
void ct_padding_set(ct_array *array);

#endif
