/* number.c: numbers as text and back, the same in every locale.
 * Room: base. Knows the thread's locale, which it changes for the length of one call. */
#include "cornerturn_stage.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A locale of this thread's only; the program's own comes back with number_leave. */
static locale_t number_enter(locale_t *plain)
{
    *plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*plain);
}

static void number_leave(locale_t plain, locale_t before)
{
    uselocale(before);
    if (plain != (locale_t)0) freelocale(plain);
}

double ct_number_read(const char *text, char **end)
{
    if (!text) return 0;
    locale_t plain, before = number_enter(&plain);
    const double value = strtod(text, end);
    number_leave(plain, before);
    return value;
}

int ct_number_print_args(char *out, size_t size, const char *format, va_list args)
{
    locale_t plain, before = number_enter(&plain);
    const int length = vsnprintf(out, size, format, args);
    number_leave(plain, before);
    return length;
}

int ct_number_print(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = ct_number_print_args(out, size, format, args);
    va_end(args);
    return length;
}

/* 15 digits are enough for what a person has written, 17 for every number. */
const char *ct_number_shortest(char text[CT_NUMBER_TEXT], double value, bool point)
{
    if (!text || !isfinite(value)) return "null";
    for (int digits = 15; digits <= 17; digits++) {
        ct_number_print(text, CT_NUMBER_TEXT, "%.*g", digits, value);
        if (ct_number_read(text, NULL) == value) break;
    }
    if (point && !strpbrk(text, ".e")) strcat(text, ".0");
    return text;
}
