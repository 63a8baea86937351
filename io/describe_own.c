/* describe_own.c: see describe_own.h. What a JSON file is, its members say; other files say it in
 * their first line.
 * Room: io. Knows members and first lines. Does not know who writes them. */
#include "describe_own.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "describe_lines.h"

enum { HEAD = 4096, LINE = 32768 };

/* ---- JSON */

static void put_text(FILE *out, const char *label, const ct_value *root, const char *key)
{
    const char *text = ct_value_text(ct_value_get(root, key), NULL);
    if (text) ct_describe_line(out, label, "%s", text);
}

static void put_real(FILE *out, const char *label, const ct_value *root, const char *key,
                     const char *unit)
{
    const ct_value *value = ct_value_get(root, key);
    const ct_kind kind = ct_value_kind(value);
    if (kind == CT_INT || kind == CT_REAL)
        ct_describe_line(out, label, "%.9g%s", ct_value_real(value, 0), unit);
}

static void put_count(FILE *out, const char *label, const ct_value *root, const char *key)
{
    const ct_value *value = ct_value_get(root, key);
    if (value) ct_describe_line(out, label, "%zu", ct_value_count(value));
}

static void describe_pipeline(FILE *out, const ct_value *root)
{
    put_text(out, "comment", root, "comment");
    put_count(out, "nodes", root, "nodes");
    ct_describe_line(out, "see", "cornerturn explain, validate, plot");
}

static void describe_plan(FILE *out, const ct_value *root)
{
    put_text(out, "pipeline", root, "pipeline");
    put_real(out, "block", root, "block", " samples");
    put_count(out, "nodes", root, "nodes");
    put_text(out, "device", ct_value_get(root, "key"), "device");
    ct_describe_line(out, "tuned", "%s", ct_value_get(root, "tuned") ? "yes" : "no");
}

static void describe_trace(FILE *out, const ct_value *root)
{
    const ct_value *steps = ct_value_get(root, "steps"), *slowest = NULL;
    for (size_t i = 0; i < ct_value_count(steps); i++) {
        const ct_value *one = ct_value_at(steps, i);
        if (!slowest || ct_value_real(ct_value_get(one, "seconds"), 0) >
                            ct_value_real(ct_value_get(slowest, "seconds"), 0))
            slowest = one;
    }
    put_real(out, "blocks", root, "blocks", "");
    put_real(out, "run", root, "wall_s", " s");
    put_real(out, "building kernels", root, "build_s", " s");
    put_count(out, "steps", root, "steps");
    put_text(out, "slowest step", slowest, "name");
    put_real(out, "", slowest, "seconds", " s");
}

static void describe_stats(FILE *out, const ct_value *last)
{
    put_real(out, "blocks", last, "block", "");
    put_real(out, "signal", last, "signal_s", " s");
    put_real(out, "run", last, "wall_s", " s");
    put_real(out, "real time", last, "real_time", " x");
    ct_describe_line(out, "ended", "%s",
                     ct_value_bool(ct_value_get(last, "final"), false) ? "yes" : "no");
}

static void describe_candidates(FILE *out, const ct_value *root)
{
    const ct_value *best = ct_value_get(root, "best");
    put_count(out, "beams", root, "beams");
    put_count(out, "pulses", root, "pulses");
    put_real(out, "strongest: S/N", best, "snr", "");
    put_real(out, "DM", best, "dm", " pc cm^-3");
    put_real(out, "time", best, "time_s", " s");
    put_real(out, "beam", best, "beam", "");
    put_text(out, "incomplete", root, "incomplete");
}

static void describe_description(FILE *out, const ct_value *root)
{
    put_text(out, "dimensions", root, "dims");
    put_text(out, "numbers", root, "type");
    put_real(out, "sample time", root, "sample_time_s", " s");
    put_text(out, "source", root, "source_name");
    put_text(out, "incomplete", root, "incomplete");
}

static void describe_device(FILE *out, const ct_value *root)
{
    put_text(out, "device", root, "name");
    put_text(out, "platform", root, "platform");
    ct_describe_line(out, "see", "--device file:FILE of explain and source");
}

static void describe_journal(FILE *out, const ct_value *root)
{
    put_text(out, "pipeline", root, "pipeline");
    put_real(out, "block", root, "block", " samples");
    put_text(out, "device", ct_value_get(root, "key"), "device");
}

static void describe_none(FILE *out, const ct_value *root)
{
    put_text(out, "pipeline", root, "pipeline");
    put_text(out, "device", root, "device");
}

/* A file that has both members is one of these; the first that fits counts. */
static const struct {
    const char *has, *and, *format;
    void (*describe)(FILE *out, const ct_value *root);
} own_kinds[] = {
    {"cornerturn_plan", "nodes", "a plan", describe_plan},
    {"cornerturn_trace", "steps", "times of a run's steps (run --trace --json)", describe_trace},
    {"cornerturn_device", "cornerturn_device", "a device that need not be there", describe_device},
    {"cornerturn_costs", "nodes", "costs for tune --simulate", describe_none},
    {"cornerturn_explain", "steps", "a plan's steps (explain --json)", describe_none},
    {"cornerturn_rehearsal", "plans", "plans compared (bench --json)", describe_none},
    {"cornerturn", "nodes", "a pipeline", describe_pipeline},
    {"best", "beams", "candidates", describe_candidates},
    {"real_time", "steps", "a run's progress (run --stats)", describe_stats},
    {"cache", "tune_params_keys", "a cache file of Kernel Tuner", describe_none},
    {"results", "schema_version", "auto-tuning results in the T4 form", describe_none},
    {"dims", "dims", "the description of the array beside it", describe_description},
    {"ports", "stage", "the page of an own stage", describe_none},
};

static bool describe_object(FILE *out, const ct_value *root)
{
    for (size_t i = 0; i < sizeof own_kinds / sizeof own_kinds[0]; i++)
        if (ct_value_get(root, own_kinds[i].has) && ct_value_get(root, own_kinds[i].and)) {
            ct_describe_line(out, "format", "%s", own_kinds[i].format);
            own_kinds[i].describe(out, root);
            return true;
        }
    return false;
}

/* ---- lines */

static ct_status count_lines(int64_t *out, ct_input *in, ct_error *err)
{
    char part[HEAD];
    ct_status status = CT_OK;
    *out = 0;
    for (int64_t at = 0; status == CT_OK && at < in->size; at += (int64_t)sizeof part) {
        const int64_t left = in->size - at;
        const size_t bytes = left < (int64_t)sizeof part ? (size_t)left : sizeof part;
        status = ct_input_read(in, at, part, bytes, err);
        for (size_t i = 0; status == CT_OK && i < bytes; i++)
            *out += part[i] == '\n';
    }
    return status;
}

/* The file's first line, or its last one that is whole; false: it is longer than LINE. */
static bool line_of(char text[LINE], ct_input *in, bool last)
{
    const size_t bytes = in->size < LINE - 1 ? (size_t)in->size : LINE - 1;
    const int64_t at = last ? in->size - (int64_t)bytes : 0;
    if (ct_input_read(in, at, text, bytes, NULL) != CT_OK) return false;
    text[bytes] = 0;
    char *end = last ? strrchr(text, '\n') : strchr(text, '\n');
    if (!end) return false;
    *end = 0;
    char *start = last ? strrchr(text, '\n') : NULL;
    if (start) memmove(text, start + 1, strlen(start));
    return start || at == 0;
}

/* The line's object; NULL: there is none. */
static ct_value *object_of(ct_input *in, bool last, size_t skip)
{
    char text[LINE];
    ct_value *root = NULL;
    if (line_of(text, in, last) && strlen(text) > skip)
        (void)ct_value_parse(&root, text + skip, in->file, NULL);
    return root;
}

static bool is_checked(const char *head)
{
    for (int i = 0; i < 16; i++)
        if (!isxdigit((unsigned char)head[i])) return false;
    return head[16] == ' ' && head[17] == '{';
}

/* Lines with a checksum each: a run's journal, or a tuning's. */
static ct_status describe_checked(FILE *out, ct_input *in, ct_error *err)
{
    int64_t lines = 0;
    const ct_status status = count_lines(&lines, in, err);
    if (status != CT_OK) return status;
    ct_value *root = object_of(in, false, 17);
    const bool tuning = ct_value_get(root, "key") != NULL;
    ct_describe_line(out, "format", tuning ? "the journal of a tuning" : "the journal of a run");
    describe_journal(out, root);
    ct_describe_line(out, "lines", "%" PRId64, lines);
    if (tuning) ct_describe_line(out, "see", "cornerturn report");
    ct_value_free(root);
    return status;
}

static ct_status describe_table(FILE *out, ct_input *in, ct_error *err)
{
    char text[LINE];
    int64_t lines = 0;
    const ct_status status = count_lines(&lines, in, err);
    if (status != CT_OK) return status;
    ct_describe_line(out, "format", "candidates, a table");
    ct_describe_line(out, "pulses", "%" PRId64, lines > 0 ? lines - 1 : 0);
    if (line_of(text, in, false)) ct_describe_line(out, "columns", "%s", text);
    return status;
}

/* Numbers with tabs between them, as heimdall writes; nothing else says what they are. */
static ct_status describe_cand(bool *known, FILE *out, ct_input *in, ct_error *err)
{
    char text[LINE];
    int64_t lines = 0;
    const size_t length = strlen(in->file);
    *known = length > 5 && strcmp(in->file + length - 5, ".cand") == 0 &&
             line_of(text, in, false) && strspn(text, "0123456789.eE+-\t") == strlen(text);
    if (!*known) return CT_OK;
    const ct_status status = count_lines(&lines, in, err);
    ct_describe_line(out, "format", "candidates, heimdall's table");
    ct_describe_line(out, "pulses", "%" PRId64, lines);
    return status;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static ct_status describe_lines(bool *known, FILE *out, ct_input *in, const char *head,
                                ct_error *err)
{
    static const struct {
        const char *start, *format;
    } plain[] = {{"<svg", "a picture (SVG)"},
                 {"\x89PNG\r\n", "a picture (PNG)"},
                 {"<!doctype html", "a page for a browser"},
                 {"# TYPE cornerturn_", "a run's progress for monitoring (OpenMetrics)"},
                 {"# HELP cornerturn_", "a run's progress for monitoring (OpenMetrics)"}};
    *known = true;
    if (is_checked(head)) return describe_checked(out, in, err);
    if (begins(head, "DM,Sigma,Time,") || begins(head, "snr,if,itime,") ||
        begins(head, "# DM      Sigma "))
        return describe_table(out, in, err);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (begins(head, plain[i].start)) {
            ct_describe_line(out, "format", "%s", plain[i].format);
            return CT_OK;
        }
    return describe_cand(known, out, in, err);
}

/* ---- all */

ct_status ct_describe_own(bool *known, FILE *out, ct_input *in, ct_error *err)
{
    char head[64] = "";
    ct_value *root = NULL;
    const size_t bytes = in->size < 63 ? (size_t)in->size : 63;
    const ct_status status = ct_input_read(in, 0, head, bytes, err);
    *known = false;
    if (status != CT_OK) return status;
    if (head[strspn(head, " \t\r\n")] != '{') return describe_lines(known, out, in, head, err);
    if (ct_value_load(&root, in->file, NULL) != CT_OK) root = object_of(in, true, 0);
    *known = describe_object(out, root);
    ct_value_free(root);
    return CT_OK;
}
