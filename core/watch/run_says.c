/* run_says.c: what a run has written and found, for the one who has started it: files, bytes, and
 * what each sink says of them, else the shape. Room: core/watch. Knows sinks' files. Does not know
 * formats, or who reads it. */
#include <sys/stat.h>

#include "memory.h"
#include "run_job.h"
#include "step_range.h"
#include "text.h"

/* All of them where there are few, else the first and the last. */
static void add_files(ct_text *out, const ct_staged *staged)
{
    const size_t count = ct_staged_files(staged);
    if (count > 3)
        ct_text_add(out, "%zu files, %s to %s", count, ct_staged_file(staged, 0),
                    ct_staged_file(staged, count - 1));
    for (size_t i = 0; i < count && count <= 3; i++)
        ct_text_add(out, "%s%s",
                    i == 0          ? ""
                    : i + 1 < count ? ", "
                                    : " and ",
                    ct_staged_file(staged, i));
}

/* Of regular files: what a folder holds, and what went through a pipe, is not looked at. */
static void add_bytes(ct_text *out, const ct_staged *staged)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double bytes = 0;
    int unit = 0;
    struct stat about;
    for (size_t i = 0; i < ct_staged_files(staged); i++) {
        if (stat(ct_staged_file(staged, i), &about) != 0 || !S_ISREG(about.st_mode)) return;
        bytes += (double)about.st_size;
    }
    for (; bytes >= 1000 && unit < 4; unit++)
        bytes /= 1000;
    ct_text_add(out, " (%.3g %s)", bytes, units[unit]);
}

/* Of what came over all ranks, slowest dimension first; along T what has come. */
static void add_shape(ct_text *out, const ct_run_step *at)
{
    const ct_array whole = ct_step_whole(at->own), *mine = &at->own->port[0];
    for (int k = 0; k < whole.rank; k++) {
        const char dim = mine->layout.rank > 0 ? mine->layout.dim[k] : mine->dim[k];
        const int64_t extent = dim == 'T' ? ct_run_files_samples(at) : ct_array_extent(&whole, dim);
        ct_text_add(out, "%s%c=%lld", k > 0 ? " " : "", dim, (long long)extent);
    }
    ct_text_add(out, ", %s", ct_type_name(whole.type));
}

static bool add_sink(ct_text *out, const ct_run_step *at)
{
    const ct_staged *staged = at->own ? ct_step_staged(at->own) : NULL;
    if (ct_staged_files(staged) == 0 || at->silent || at->joins) return false;
    const char *said = ct_step_said(at->own), *why = ct_step_incomplete(at->own);
    ct_text_add(out, "wrote ");
    add_files(out, staged);
    add_bytes(out, staged);
    ct_text_add(out, ": ");
    if (said)
        ct_text_add(out, "%s", said);
    else
        add_shape(out, at);
    ct_text_add(out, "%s%s\n", why ? "; " : "", why ? why : "");
    return true;
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; text && *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Sinks as long as there are lines for them, and one for how many there are more. */
const char *ct_run_says(const ct_run *run)
{
    ct_text all = {0};
    int lines = 0, more = 0;
    if (!run || !run->finished || run->failed != CT_OK) return "";
    for (int s = 0; s < run->plan->count; s++) {
        ct_text one = {0};
        const bool some = add_sink(&one, &run->steps[s]);
        lines += count_lines(one.data);
        if (some && one.data && lines < CT_RUN_SAYS)
            ct_text_add(&all, "%s", one.data);
        else
            more += some;
        ct_text_free(&one);
    }
    if (more > 0)
        ct_text_add(&all, "and what %d more sink%s written\n", more, more == 1 ? " has" : "s have");
    const char *text = all.data ? ct_arena_print(run->arena, "%s", all.data) : "";
    ct_text_free(&all);
    return text ? text : "";
}
