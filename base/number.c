/* number.c: numbers as text and back, the same in every locale.
 * Room: base. Knows the thread's locale, which it changes for the length of one call. */
#include "cornerturn_stage.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

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
