/* source_position.h: finds the place of a JSON pointer in a text, on failure only (values keep no
 * places).
 * Room: base. */
#ifndef CT_BASE_SOURCE_POSITION_H
#define CT_BASE_SOURCE_POSITION_H
#include <stdbool.h>

typedef struct ct_source_position {
    int line, column; /* from 1; 0 where the pointer leads nowhere */
} ct_source_position;

/* pointer: "/nodes/beams/weights" (RFC 6901). key: the place of the member's name, not its value.
 */
ct_source_position ct_source_position_find(const char *text, const char *pointer, bool key);

#endif
