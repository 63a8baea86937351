/* source_location.c: says where a pipeline is wrong: file, line, column, JSON pointer.
 * Room: core/step. Knows locations. Does not know what is wrong. */
#include "fail.h"
#include "source_position.h"
#include "step_inner.h"
#include <stdarg.h>
#include <stdio.h>

ct_source_location ct_source_location_of_case(const ct_description *page, const char *pointer)
{
    return (ct_source_location){
        .file = page->file, .text = page->text, .pointer = pointer, .params = "/params"};
}

enum { POINTER = 512 };

/* Of a member below `inner` in the location's object; line 0 where it is not there. */
static ct_source_position location_find(char pointer[POINTER], const ct_source_location *location,
                                        const char *inner, const char *suffix, bool key)
{
    snprintf(pointer, POINTER, "%s%s%s%s", location->pointer ? location->pointer : "", inner,
             suffix ? "/" : "", suffix ? suffix : "");
    return location->text ? ct_source_position_find(location->text, pointer, key)
                          : (ct_source_position){0, 0};
}

/* A member that is not there has no place of its own: then the object's place is used. In
 * a case a key that no case has is not reported. */
static ct_source_position location_position(char pointer[POINTER],
                                            const ct_source_location *location, const char *suffix,
                                            bool key)
{
    char around[POINTER];
    ct_source_position place = {0, 0};
    if (location->params && suffix)
        place = location_find(pointer, location, location->params, suffix, key);
    if (!place.line) place = location_find(pointer, location, "", suffix, key);
    if (!place.line)
        place = location_find(location->params ? pointer : around, location, "", NULL, true);
    return place;
}

void ct_source_location_print(char *out, size_t size, const ct_source_location *location,
                              const char *suffix, bool key)
{
    char pointer[POINTER];
    if (!location || !location->file) {
        snprintf(out, size, "%s%s", suffix ? suffix : "", suffix ? ": " : "");
        return;
    }
    const ct_source_position place = location_position(pointer, location, suffix, key);
    if (place.line)
        snprintf(out, size, "%s:%d:%d: %s: ", location->file, place.line, place.column, pointer);
    else
        snprintf(out, size, "%s: %s: ", location->file, pointer);
}

static ct_status location_fail(const ct_step *step, ct_status status, const char *param,
                               ct_error *err, const char *sentence)
{
    char where[768];
    const ct_source_location *location = &ct_step_in(step)->location;
    ct_source_location_print(where, sizeof where, location, param, !param);
    if (!location->file)
        return ct_error_add(err, status, "stage %s: %s%s", step->stage->name, where, sentence);
    return ct_error_add(err, status, "%s%s", where, sentence);
}

ct_status ct_step_fail(const ct_step *step, const char *param, ct_error *err, const char *format,
                       ...)
{
    CT_GIVEN(err, step, format);
    char sentence[1024];
    va_list list;
    va_start(list, format);
    ct_number_print_args(sentence, sizeof sentence, format, list);
    va_end(list);
    return location_fail(step, CT_INVALID, param, err, sentence);
}

ct_status ct_step_fail_data(const ct_step *step, const char *param, ct_error *err,
                            const char *format, ...)
{
    char sentence[1024];
    va_list list;
    va_start(list, format);
    ct_number_print_args(sentence, sizeof sentence, format, list);
    va_end(list);
    return location_fail(step, CT_DATA, param, err, sentence);
}
