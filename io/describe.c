/* describe.c: what a data file is, by its first bytes: .npy, SIGPROC, DADA, PSRFITS, station
 * packets; else numbers with a JSON file beside them.
 * Room: io. Knows the formats' headers. Does not know blocks. */
#include "dada.h"
#include "lofar_lane.h"
#include "magic.h"
#include "npy.h"
#include "psrfits.h"
#include "sigproc.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ANY_GAP_S 1e10 /* longer than two packets can be apart */

/* What a file holds may be anything: to a terminal go letters only, "\x1b" for other bytes. */
static void info_text(FILE *out, const char *text)
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

static void info_line(FILE *out, const char *label, const char *format, ...) CT_PRINTF(3, 4);

static void info_line(FILE *out, const char *label, const char *format, ...)
{
    va_list args;
    char line[4096]; /* a longer one is cut */
    va_start(args, format);
    ct_number_print_args(line, sizeof line, format, args);
    va_end(args);
    fprintf(out, "%-18s", label);
    info_text(out, line);
    fputc('\n', out);
}

static void info_instant(FILE *out, const char *label, double unix_s)
{
    char text[32] = "?";
    struct tm parts;
    double second = unix_s < 0 ? 0 : unix_s;
    if (!(second < 1e15)) second = 0; /* a header's number may be any */
    time_t whole = (time_t)second;
    if (second == unix_s && gmtime_r(&whole, &parts))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    info_line(out, label, "%s.%06d UTC (MJD %.9f)", text, (int)((second - (double)whole) * 1e6),
              40587 + unix_s / 86400);
}

/* ---- JSON beside the data */

static void info_value(FILE *out, const ct_value *value)
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
        info_text(out, ct_value_text(value, ""));
        return;
    default:
        break;
    }
    for (size_t i = 0; i < count; i++) { /* the ends of a long list */
        if (count > 8 && i == 3) fputs(" ...", out);
        if (count > 8 && i >= 3 && i + 1 < count) continue;
        if (i) fputc(' ', out);
        info_value(out, ct_value_at(value, i));
    }
    if (count > 8) fprintf(out, " (%zu)", count);
}

static bool info_sidecar_name(char *name, size_t size, const char *file)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    size_t length =
        dot && dot != file && (!slash || dot > slash + 1) ? (size_t)(dot - file) : strlen(file);
    snprintf(name, size, "%.*s.json", (int)length, file);
    return strcmp(name, file) != 0 && access(name, R_OK) == 0;
}

static ct_status info_sidecar(FILE *out, const char *file, ct_error *err)
{
    char name[4096];
    ct_value *root;
    if (!info_sidecar_name(name, sizeof name, file)) return CT_OK;
    if (ct_value_load(&root, name, err) != CT_OK) return CT_DATA;
    info_line(out, "beside it", "%s", name);
    for (size_t i = 0; i < ct_value_count(root); i++) {
        const char *key = ct_value_key(root, i);
        if (!key) break;
        info_text(out, key);
        fprintf(out, "%*s", strlen(key) < 18 ? 18 - (int)strlen(key) : 0, "");
        info_value(out, ct_value_at(root, i));
        fputc('\n', out);
    }
    ct_value_free(root);
    return CT_OK;
}

/* ---- formats */

static ct_status info_npy(FILE *out, ct_input *in, ct_error *err)
{
    ct_npy header;
    ct_status status = ct_npy_read(&header, in, err);
    if (status != CT_OK) return status;
    info_line(out, "format", "NumPy array");
    info_line(out, "numbers", "%s, %s axis fastest", header.descr,
              header.fortran ? "first" : "last");
    fprintf(out, "%-18s", "shape");
    for (int i = 0; i < header.rank; i++)
        fprintf(out, "%s%" PRId64, i ? " x " : "", header.shape[i]);
    fputc('\n', out);
    return info_sidecar(out, in->file, err);
}

static ct_status info_band(FILE *out, const ct_sigproc *header, ct_input *in, int64_t channels,
                           ct_error *err)
{
    double first, last;
    ct_status status = ct_sigproc_frequency(&first, header, in, 0, err);
    if (status == CT_OK) status = ct_sigproc_frequency(&last, header, in, channels - 1, err);
    if (status == CT_OK && first != 0)
        info_line(out, "channel centres", "%.6f to %.6f MHz", first / 1e6, last / 1e6);
    return status;
}

static ct_status info_sigproc(FILE *out, ct_input *in, ct_error *err)
{
    ct_sigproc header;
    ct_sigproc_shape shape;
    char telescope[32];
    ct_status status = ct_sigproc_read(&header, in, err);
    if (status == CT_OK) status = ct_sigproc_measure(&shape, &header, in, err);
    if (status != CT_OK) return status;
    double spacing = ct_sigproc_real(&header, "tsamp", 0);
    double start = ct_sigproc_real(&header, "tstart", 0);
    ct_sigproc_telescope(telescope, ct_sigproc_int(&header, "telescope_id", 0));
    info_line(out, "format", "SIGPROC %s",
              ct_sigproc_int(&header, "data_type", 1) == 2 ? "time series" : "filterbank");
    info_line(out, "source", "%s", ct_sigproc_text(&header, "source_name", "unknown"));
    info_line(out, "telescope", "%s", telescope);
    info_line(out, "sizes", "T %" PRId64 ", Q %" PRId64 ", C %" PRId64, shape.samples, shape.ifs,
              shape.channels);
    info_line(out, "numbers", "%u bits%s, read as %s", shape.bits,
              shape.with_sign ? ", signed" : "", ct_type_name(shape.type));
    info_line(out, "sample time", "%.9g s, %.6g s in all", spacing,
              spacing * (double)shape.samples);
    if (start > 0) info_instant(out, "start", (start - 40587) * 86400);
    if (ct_sigproc_find(&header, "refdm"))
        info_line(out, "DM", "%.6g pc cm^-3", ct_sigproc_real(&header, "refdm", 0));
    return info_band(out, &header, in, shape.channels, err);
}

static ct_status info_dada(FILE *out, ct_input *in, ct_error *err)
{
    ct_dada header;
    ct_dada_shape shape;
    double mjd;
    ct_status status = ct_dada_read(&header, in, err);
    if (status == CT_OK) status = ct_dada_measure(&shape, &header, in, err);
    if (status != CT_OK) return status;
    const double spacing = header.tsamp_us * 1e-6;
    const int64_t bytes = in->size - header.header_bytes, samples = bytes / shape.sample_bytes;
    info_line(out, "format", "PSRDADA %s", shape.detected ? "power" : "voltages");
    info_line(out, "source", "%s", header.source[0] ? header.source : "unknown");
    info_line(out, "telescope", "%s", header.telescope[0] ? header.telescope : "unknown");
    info_line(out, "sizes", "T %" PRId64 ", C %" PRId64 ", %c %" PRId64, bytes < 0 ? 0 : samples,
              header.channels, shape.detected ? 'Q' : 'P', header.pols);
    info_line(out, "numbers", "%" PRId64 " bits, read as %s", header.bits,
              ct_type_name(shape.type));
    if (spacing > 0) info_line(out, "sample time", "%.9g s", spacing);
    if (header.utc_start[0] && ct_dada_mjd(&mjd, header.utc_start))
        info_instant(
            out, "start",
            (mjd - 40587) * 86400 + (double)header.picoseconds * 1e-12 +
                (spacing > 0 ? (double)header.offset / (double)shape.sample_bytes * spacing : 0));
    return CT_OK;
}

static ct_status info_psrfits(FILE *out, ct_input *in, ct_error *err)
{
    ct_psrfits file;
    ct_status status = ct_psrfits_open(&file, in->file, err);
    if (status != CT_OK) return status;
    info_line(out, "format", "PSRFITS, search mode");
    info_line(out, "source", "%s", file.source[0] ? file.source : "unknown");
    info_line(out, "telescope", "%s", file.telescope[0] ? file.telescope : "unknown");
    info_line(out, "sizes", "T %" PRId64 ", Q %" PRId64 ", C %" PRId64, file.samples, file.pols,
              file.channels);
    info_line(out, "numbers", "%" PRId64 " bits%s", file.bits, file.with_sign ? ", signed" : "");
    info_line(out, "sample time", "%.9g s, %.6g s in all", file.sample_time_s,
              file.sample_time_s * (double)file.samples);
    info_instant(out, "start", (file.start_mjd - 40587) * 86400 + file.start_s);
    ct_psrfits_close(&file);
    return CT_OK;
}

static ct_status info_packets(FILE *out, ct_input *in, ct_error *err)
{
    ct_lane_extent lane;
    ct_status status = ct_probe_files(&lane, NULL, &in->file, 1, ANY_GAP_S, err);
    if (status != CT_OK) return status;
    const ct_packet *form = &lane.form;
    double spacing = 1024 / ct_packet_clock(form);
    int64_t samples = lane.end - lane.first;
    info_line(out, "format", "LOFAR station packets, version %u", form->version);
    info_line(out, "station", "%u, lane %u", form->station, form->board);
    info_line(out, "sizes", "P 2, T %" PRId64 ", C %u (beamlets)", samples, form->beamlets);
    info_line(out, "numbers", "%u bits, read as ci%u", form->bits, form->bits);
    info_line(out, "packets", "%.6g of %" PRId64 " bytes, %u samples each",
              (double)in->size / (double)ct_packet_bytes(form), ct_packet_bytes(form),
              form->blocks);
    info_line(out, "sample time", "%.9g s (%g MHz clock), %.6g s in all", spacing,
              ct_packet_clock(form) / 1e6, spacing * (double)samples);
    info_line(out, "first sample", "%" PRId64, lane.first);
    info_instant(out, "start", (double)lane.first * spacing);
    return CT_OK;
}

static ct_status info_raw(FILE *out, ct_input *in, ct_error *err)
{
    char name[4096];
    if (info_sidecar_name(name, sizeof name, in->file)) {
        info_line(out, "format", "numbers without a header");
        return info_sidecar(out, in->file, err);
    }
    const char *kind = ct_magic_find(in);
    return ct_error_add(err, CT_DATA,
                        "%s: expected a .npy, SIGPROC, DADA, PSRFITS or LOFAR packet file, or "
                        "numbers with %s beside them, found %s",
                        in->file, name, kind ? kind : "none of these");
}

static ct_status info_print(FILE *out, ct_input *in, ct_error *err)
{
    uint8_t start[CT_PACKET_HEADER] = {0};
    ct_packet packet;
    size_t bytes = in->size < (int64_t)sizeof start ? (size_t)in->size : sizeof start;
    ct_status status = ct_input_read(in, 0, start, bytes, err);
    if (status != CT_OK) return status;
    ct_packet_decode(&packet, start);
    info_line(out, "file", "%s", in->file);
    info_line(out, "bytes", "%" PRId64, in->size);
    if (ct_npy_is(start)) return info_npy(out, in, err);
    if (memcmp(start, "\x0c\0\0\0HEADER_START", 16) == 0) return info_sigproc(out, in, err);
    if (ct_dada_is(start, bytes)) return info_dada(out, in, err);
    if (memcmp(start, "SIMPLE  =", 9) == 0) return info_psrfits(out, in, err);
    if (ct_packet_is_sound(&packet) && packet.blocks == CT_PACKET_BLOCKS)
        return info_packets(out, in, err);
    return info_raw(out, in, err);
}

ct_status ct_describe_file(char **out, const char *file, ct_error *err)
{
    ct_input in;
    size_t length;
    *out = NULL;
    ct_status status = ct_input_open(&in, file, err);
    if (status != CT_OK) return status;
    char *text = NULL;
    FILE *memory = open_memstream(&text, &length);
    status = memory ? info_print(memory, &in, err)
                    : ct_error_add(err, CT_FAILED, "%s: no memory to describe it", file);
    ct_input_close(&in);
    if (memory) fclose(memory);
    if (status == CT_OK)
        *out = text;
    else
        free(text);
    return status;
}
