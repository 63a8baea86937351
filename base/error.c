/* error.c: gathers sentences for a person in a ct_error.
 * Room: base. Knows ct_error. Does not know what failed. */
#include "cornerturn_stage.h"
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names and contents of files are printed as letters only: "\x1b" for other bytes. Lines stay.
 * False: it does not fit. */
static bool ct_error_copy(char *out, size_t size, const char *plain)
{
    size_t used = 0;
    while (*plain != 0) {
        const bool space = *plain == '\n' || *plain == '\t';
        const int letter = space ? 1 : ct_text_letter(plain);
        const size_t bytes = letter > 0 ? (size_t)letter : 4;
        if (used + bytes >= size) break;
        if (letter > 0)
            memcpy(out + used, plain, bytes);
        else
            snprintf(out + used, 5, "\\x%02x", (unsigned)(unsigned char)*plain);
        used += bytes;
        plain += letter > 0 ? letter : 1;
    }
    out[used] = 0;
    return *plain == 0;
}

/* A sentence that does not fit is left out; the first one is truncated instead. */
static void ct_error_keep(ct_error *err, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

static void ct_error_keep(ct_error *err, const char *format, va_list args)
{
    char plain[sizeof err->text];
    size_t old = strlen(err->text);
    size_t start = old > 0 ? old + 1 : 0;
    if (start >= sizeof err->text) return;
    int length = ct_number_print_args(plain, sizeof plain, format, args);
    bool whole = ct_error_copy(err->text + start, sizeof err->text - start, plain) && length >= 0 &&
                 (size_t)length < sizeof plain;
    if (old > 0) err->text[old] = whole ? '\n' : '\0';
}

ct_status ct_error_add(ct_error *err, ct_status status, const char *format, ...)
{
    if (err == NULL) return status;
    if (err->count == 0) err->status = status;
    err->count++;
    va_list args;
    va_start(args, format);
    ct_error_keep(err, format, args);
    va_end(args);
    return status;
}

ct_status ct_error_pass(ct_error *err, ct_status status, const ct_error *from)
{
    for (const char *at = from->text; *at;) {
        const int length = (int)strcspn(at, "\n");
        (void)ct_error_add(err, status, "%.*s", length, at);
        at += length + (at[length] != 0);
    }
    return status;
}

bool ct_error_given(const void *const *pointers, const char *names, const char *call, ct_error *err)
{
    for (size_t i = 0; *names; i++) {
        const size_t length = strcspn(names, ",");
        if (!pointers[i]) {
            (void)ct_error_add(err, CT_USAGE, "%s: there is no %.*s", call, (int)length, names);
            return false;
        }
        names += length + strspn(names + length, ", ");
    }
    return true;
}
