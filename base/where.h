/* where.h: finds the place of a JSON pointer in a text, on failure only (values keep no places).
 * Room: base. */
#ifndef CT_BASE_WHERE_H
#define CT_BASE_WHERE_H
#include <stdbool.h>

typedef struct ct_place {
    int line, column; /* from 1; 0 where the pointer leads nowhere */
} ct_place;

/* pointer: "/nodes/beams/weights" (RFC 6901). key: the place of the member's name, not its value.
 */
ct_place ct_where_find(const char *text, const char *pointer, bool key);

#endif
