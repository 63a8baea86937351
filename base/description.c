/* description.c: says where in a description something is wrong.
 * Room: base. */
#include "description.h"

#include <stdio.h>
#include <string.h>

#include "source_position.h"

/* The place of the pointer, or of what is nearest around it. */
static ct_source_position description_find(const ct_description *description, const char *pointer,
                                           bool key)
{
    char around[512];
    snprintf(around, sizeof around, "%s", pointer);
    ct_source_position place = ct_source_position_find(description->text, around, key);
    while (place.line == 0 && around[0] != '\0') {
        *strrchr(around, '/') = '\0';
        place = ct_source_position_find(description->text, around, true);
    }
    return place.line ? place : (ct_source_position){1, 1};
}

void ct_description_place(char *out, size_t size, const ct_description *description,
                          const char *pointer, bool key)
{
    const ct_source_position place = description_find(description, pointer, key);
    snprintf(out, size, "%s:%d:%d%s%s", description->file, place.line, place.column,
             *pointer ? ": " : "", pointer);
}

ct_status ct_description_fail(const ct_description *description, const char *pointer, bool key,
                              ct_error *err, const char *sentence)
{
    char place[1024];
    ct_description_place(place, sizeof place, description, pointer, key);
    return ct_error_add(err, CT_INVALID, "%s: %s", place, sentence);
}
