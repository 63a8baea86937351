/* describe_file.c: what a data file is, by its first bytes, or numbers with a JSON file beside
 * them.
 * Room: io. Knows that formats have names. Does not know what is in them. */
#include "describe_lines.h"
#include "describe_own.h"
#include "magic.h"
#include "sidecar.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ".npy, SIGPROC or PSRFITS": what can be described. */
static void describe_names(char *out, size_t size)
{
    const ct_format *last = NULL;
    size_t length = 0;
    for (int i = 0; ct_formats[i]; i++)
        if (ct_formats[i]->describe) last = ct_formats[i];
    for (int i = 0; ct_formats[i] && length < size; i++)
        if (ct_formats[i]->describe)
            length += (size_t)snprintf(out + length, size - length, "%s%s",
                                       length == 0             ? ""
                                       : ct_formats[i] == last ? " or "
                                                               : ", ",
                                       ct_formats[i]->name);
}

static ct_status describe_raw(FILE *out, ct_input *in, ct_error *err)
{
    char name[CT_SIDECAR_NAME], formats[256];
    ct_value *beside;
    if (ct_sidecar_load(&beside, name, in->file, err) != CT_OK) return CT_DATA;
    ct_value_free(beside);
    if (beside) {
        ct_describe_line(out, "format", "numbers without a header");
        return ct_describe_sidecar(out, in->file, err);
    }
    bool known = false;
    const ct_status status = ct_describe_own(&known, out, in, err);
    if (status != CT_OK || known) return status;
    const char *kind = ct_magic_find(in);
    describe_names(formats, sizeof formats);
    return ct_error_add(err, CT_DATA,
                        "%s: expected a %s file, or numbers with %s beside them, found %s",
                        in->file, formats, name, kind ? kind : "none of these");
}

static ct_status describe_print(FILE *out, ct_input *in, ct_error *err)
{
    const ct_format *format;
    const ct_status status = ct_magic_format(&format, in, err);
    if (status != CT_OK) return status;
    ct_describe_line(out, "file", "%s", in->file);
    ct_describe_line(out, "bytes", "%" PRId64, in->size);
    return format && format->describe ? format->describe(out, in, err) : describe_raw(out, in, err);
}

static ct_status describe_any(FILE *out, const char *file, ct_error *err)
{
    ct_input in;
    if (ct_describe_folder(out, file)) return CT_OK;
    ct_status status = ct_input_open(&in, file, err);
    if (status != CT_OK) return status;
    status = describe_print(out, &in, err);
    ct_input_close(&in);
    return status;
}

ct_status ct_describe_file(char **out, const char *file, ct_error *err)
{
    if (!out || !file)
        return ct_error_add(err, CT_USAGE, "ct_describe_file: there is no %s",
                            out ? "file" : "out");
    size_t length;
    *out = NULL;
    char *text = NULL;
    FILE *memory = open_memstream(&text, &length);
    const ct_status status =
        memory ? describe_any(memory, file, err)
               : ct_error_add(err, CT_FAILED, "%s: no memory to describe it", file);
    if (memory) fclose(memory);
    if (status == CT_OK)
        *out = text;
    else
        free(text);
    return status;
}
