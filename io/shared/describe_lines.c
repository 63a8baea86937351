/* describe_lines.c: see describe_lines.h.
 * Room: io/shared. Knows JSON values. Does not know formats. */
#include "describe_lines.h"
#include "sidecar.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

void ct_describe_text(FILE *out, const char *text)
{
    while (*text) {
        const int bytes = ct_text_letter(text);
        if (bytes)
            fprintf(out, "%.*s", bytes, text);
        else
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)*text);
        text += bytes ? bytes : 1;
    }
}

void ct_describe_line(FILE *out, const char *label, const char *format, ...)
{
    va_list args;
    char line[4096]; /* a longer one is cut */
    va_start(args, format);
    ct_number_print_args(line, sizeof line, format, args);
    va_end(args);
    fprintf(out, "%-18s", label);
    ct_describe_text(out, line);
    fputc('\n', out);
}

void ct_describe_instant(FILE *out, const char *label, double unix_s)
{
    char text[32] = "?";
    struct tm parts;
    double second = unix_s < 0 ? 0 : unix_s;
    if (!(second < 1e15)) second = 0; /* a header's number may be any */
    time_t whole = (time_t)second;
    if (second == unix_s && gmtime_r(&whole, &parts))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    ct_describe_line(out, label, "%s.%06d UTC (MJD %.9f)", text,
                     (int)((second - (double)whole) * 1e6), 40587 + unix_s / 86400);
}

/* ---- JSON beside the data */

static void describe_value(FILE *out, const ct_value *value)
{
    size_t count = ct_value_count(value);
    char real[32];
    switch (ct_value_kind(value)) {
    case CT_BOOL:
        fputs(ct_value_bool(value, false) ? "true" : "false", out);
        return;
    case CT_INT:
        fprintf(out, "%" PRId64, ct_value_int(value, 0));
        return;
    case CT_REAL:
        ct_number_print(real, sizeof real, "%.12g", ct_value_real(value, 0));
        fputs(real, out);
        return;
    case CT_TEXT:
        ct_describe_text(out, ct_value_text(value, ""));
        return;
    default:
        break;
    }
    for (size_t i = 0; i < count; i++) { /* the ends of a long list */
        if (count > 8 && i == 3) fputs(" ...", out);
        if (count > 8 && i >= 3 && i + 1 < count) continue;
        if (i) fputc(' ', out);
        describe_value(out, ct_value_at(value, i));
    }
    if (count > 8) fprintf(out, " (%zu)", count);
}

ct_status ct_describe_sidecar(FILE *out, const char *file, ct_error *err)
{
    char name[CT_SIDECAR_NAME];
    ct_value *root;
    if (ct_sidecar_load(&root, name, file, err) != CT_OK) return CT_DATA;
    if (root) ct_describe_line(out, "beside it", "%s", name);
    for (size_t i = 0; i < ct_value_count(root); i++) {
        const char *key = ct_value_key(root, i);
        if (!key) break;
        ct_describe_text(out, key);
        fprintf(out, "%*s", strlen(key) < 18 ? 18 - (int)strlen(key) : 0, "");
        describe_value(out, ct_value_at(root, i));
        fputc('\n', out);
    }
    ct_value_free(root);
    return CT_OK;
}
