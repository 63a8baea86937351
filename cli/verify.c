/* verify.c: the verb verify: every layout and every tunable of a stage against its reference.
 * Room: cli. Knows the conformance call. Does not know what it tries. Without --part it starts
 * workers, each of which is this verb with --part, and adds up their "report" lines. */
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "library.h"
#include "page.h"
#include "verbs.h"
#include "workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERIFY_STAGES = 128, VERIFY_SHOWN = 3 };

typedef struct verify_arguments {
    ct_arguments plain;
    const char *device, *read, *write, *part;
    const char *libraries[CT_OPTION_TIMES + 1];
    int64_t jobs, layouts, tunables;
    bool quick, verbose;
} verify_arguments;

static ct_status verify_read(verify_arguments *out, int argc, char **argv, ct_error *err)
{
    const ct_option options[] = {
        {"quick", CT_OPTION_FLAG, &out->quick, NULL,
         "each layout once (of many, a few) instead of every pair, a sample of the tunables"},
        {"jobs", CT_OPTION_INT, &out->jobs, "N",
         "processes to share the work (default: the cores)"},
        {"read", CT_OPTION_TEXT, &out->read, "LAYOUT", "only this layout of the input"},
        {"write", CT_OPTION_TEXT, &out->write, "LAYOUT", "only this layout of the output"},
        {"most-layouts", CT_OPTION_INT, &out->layouts, "N",
         "pairs of layouts per case: each layout once, then random pairs"},
        {"most-tunables", CT_OPTION_INT, &out->tunables, "N", "combinations of tunables per case"},
        {"device", CT_OPTION_TEXT, &out->device, "NAME", "the OpenCL device to use"},
        CT_LIBRARY_OPTION(out->libraries),
        {"verbose", CT_OPTION_FLAG, &out->verbose, NULL, "print each variant before it is tried"},
        {"part", CT_OPTION_TEXT, &out->part, "I/N",
         "only this share of the work, in lines for a program to read"},
        {0}};
    const ct_usage usage = {
        "verify [STAGE ...] [options]",
        "Runs each stage (or those named) in every read and write layout, on inputs with\n"
        "coprime extents and poisoned outputs, and compares with its double-precision\n"
        "reference; then with every legal combination of tunables.",
        options,
        0,
        CT_OPTION_TIMES,
        NULL,
        "verify fir --quick\n"
        "verify power/power.json --jobs 2"};
    return ct_options_read(&out->plain, &usage, argc, argv, err);
}

/* ---- a worker */

static void verify_progress(void *state, const char *variant)
{
    (void)state;
    printf("variant %s\n", variant);
    fflush(stdout);
}

/* "2/8" */
static ct_status verify_part(const char *part, ct_verify_options *options, ct_error *err)
{
    char *end;
    const unsigned long place = strtoul(part, &end, 10);
    const unsigned long parts = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
    options->part = (unsigned)place;
    options->parts = (unsigned)parts;
    if (*end == 0 && place < parts && parts <= CT_WORKERS) return CT_OK;
    return ct_error_add(err, CT_USAGE,
                        "cornerturn verify: --part: expected I/N with I < N, found %s", part);
}

/* Those that are named, perhaps by their pages; all stages that can be verified, where none is. The
 * names live as the context. */
static ct_status verify_names(ct_context *context, const ct_arguments *plain,
                              const char *names[VERIFY_STAGES], int *count, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_stage *stage;
    *count = 0;
    for (int i = 0; i < plain->count && *count < VERIFY_STAGES; i++) {
        const char **name = &names[(*count)++];
        *name = plain->plain[i];
        CT_TRY(ct_page_take(context, name, err));
    }
    for (size_t i = 0; plain->count == 0 && (stage = ct_context_stage_at(context, i)); i++)
        if (stage->verify.cases && *count < VERIFY_STAGES) names[(*count)++] = stage->name;
out:
    return status;
}

static ct_status verify_stage(ct_context *context, ct_device *device, const char *name,
                              const ct_verify_options *options, ct_error *err)
{
    ct_verify_report report = {.size = sizeof report};
    ct_status status = ct_tune_verify(context, device, name, options, &report, err);
    printf("report %s %lld %lld %lld %lld %lld %lld %d %.3g%s%s\n", name, (long long)report.cases,
           (long long)report.layouts, (long long)report.tunables, (long long)report.others,
           (long long)report.wrong, (long long)report.unreferenced, status != CT_OK, report.worst,
           report.note[0] ? " " : "", report.note);
    fflush(stdout);
    return status;
}

/* In lines for a program to read, and so not on standard error. */
static void verify_tell(ct_error *err)
{
    for (const char *at = err->text; *at;) {
        const int length = (int)strcspn(at, "\n");
        printf("error %.*s\n", length, at);
        at += length + (at[length] != 0);
    }
    fflush(stdout);
    err->text[0] = 0;
}

static ct_status verify_work(const verify_arguments *args, ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *context = NULL;
    ct_device *device = NULL;
    const char *names[VERIFY_STAGES];
    int count = 0;
    ct_verify_options options = {.size = sizeof options,
                                 .quick = args->quick,
                                 .read = args->read,
                                 .write = args->write,
                                 .most_layouts = (unsigned)args->layouts,
                                 .most_tunables = (unsigned)args->tunables,
                                 .progress = verify_progress};
    CT_TRY(verify_part(args->part, &options, err));
    CT_TRY(ct_library_context(&context, args->libraries, err));
    CT_TRY(verify_names(context, &args->plain, names, &count, err));
    CT_TRY(ct_device_open(&device, args->device, err));
    for (int i = 0; i < count; i++) {
        const ct_status one = verify_stage(context, device, names[i], &options, err);
        if (one > status) status = one;
    }
out:
    verify_tell(err);
    ct_device_free(device);
    ct_context_free(context);
    return status;
}

/* ---- the one that starts them */

typedef struct verify_sum {
    char name[64];
    ct_verify_report report;
    bool failed; /* in a way that is no wrong number */
} verify_sum;

typedef struct verify_state {
    verify_sum sum[VERIFY_STAGES];
    int stages, tried, wrong; /* wrong: sentences of wrong numbers */
    char doing[CT_WORKERS][512];
    ct_error said; /* by any worker: what several find in the same case is said once */
    bool verbose, terminal;
} verify_state;

static void verify_show(verify_state *state, const char *variant)
{
    state->tried++;
    if (state->verbose) printf("%s\n", variant);
    if (state->terminal)
        fprintf(stderr, "\r\033[K%d variants; %.*s", state->tried, (int)strcspn(variant, ":"),
                variant);
}

/* The sum of a stage by its name, made where it is not there yet. */
static verify_sum *verify_find(verify_state *state, const char *name, size_t length)
{
    for (int i = 0; i < state->stages; i++)
        if (strlen(state->sum[i].name) == length && !strncmp(state->sum[i].name, name, length))
            return &state->sum[i];
    if (state->stages == VERIFY_STAGES || length >= sizeof state->sum[0].name) return NULL;
    verify_sum *sum = &state->sum[state->stages++];
    memcpy(sum->name, name, length);
    return sum;
}

/* "fir 7 105 84 7 0 0 0 3.1e-07", and perhaps a note: what verify_stage printed. */
static void verify_add(verify_state *state, const char *text)
{
    const size_t length = strcspn(text, " ");
    verify_sum *sum = verify_find(state, text, length);
    char *at = (char *)text + length;
    long long number[7];
    if (!sum) return;
    for (int i = 0; i < 7; i++)
        number[i] = strtoll(at, &at, 10);
    const double worst = ct_number_read(at, &at);
    if (*at == ' ') snprintf(sum->report.note, sizeof sum->report.note, "%s", at + 1);
    sum->report.cases = number[0];
    sum->report.layouts += number[1];
    sum->report.tunables += number[2];
    sum->report.others += number[3];
    sum->report.wrong += number[4];
    sum->report.unreferenced = number[5];
    sum->failed = sum->failed || number[6];
    if (worst > sum->report.worst) sum->report.worst = worst;
}

/* Of many variants that are wrong the first ones show how. */
static bool verify_is_enough(verify_state *state, const char *sentence)
{
    if (!strstr(sentence, ": got ") || !strstr(sentence, " wrong)")) return false;
    return ++state->wrong > VERIFY_SHOWN && !state->verbose;
}

static void verify_say(verify_state *state, const char *sentence)
{
    if (strstr(state->said.text, sentence)) return;
    (void)ct_error_add(&state->said, CT_OK, "%s", sentence);
    if (verify_is_enough(state, sentence)) return;
    fprintf(stderr, "%s%s\n", state->terminal ? "\r\033[K" : "", sentence);
}

/* "2 errors generated.": some compilers print that they have told something. */
static bool verify_is_count(const char *line)
{
    const char *end = strstr(line, " generated.");
    return line[0] >= '0' && line[0] <= '9' && end != NULL && end[strlen(" generated.")] == 0;
}

static void verify_line(void *of, int worker, const char *line)
{
    verify_state *state = of;
    if (strncmp(line, "variant ", 8) == 0) {
        snprintf(state->doing[worker], sizeof state->doing[worker], "%s", line + 8);
        verify_show(state, line + 8);
    } else if (strncmp(line, "report ", 7) == 0) {
        verify_add(state, line + 7);
    } else if (strncmp(line, "error ", 6) == 0) {
        verify_say(state, line + 6);
    } else if (!verify_is_count(line)) {
        verify_say(state, line);
    }
}

static const char *verify_doing(void *of, int worker)
{
    const verify_state *state = of;
    return state->doing[worker][0] ? state->doing[worker] : "to begin";
}

static const char *one_or(int64_t count, const char *one, const char *several)
{
    return count == 1 ? one : several;
}

static void verify_print_stage(const verify_sum *sum, bool whole)
{
    const ct_verify_report *report = &sum->report;
    printf("%-12s %2lld %-6s %5lld %-13s %5lld %-9s %4lld %-7s ", sum->name,
           (long long)report->cases, one_or(report->cases, "case,", "cases,"),
           (long long)report->layouts, one_or(report->layouts, "layout pair,", "layout pairs,"),
           (long long)report->tunables, one_or(report->tunables, "tunable,", "tunables,"),
           (long long)report->others, one_or(report->others, "other:", "others:"));
    if (report->wrong)
        printf("%lld WRONG\n", (long long)report->wrong);
    else if (sum->failed)
        printf("FAILED: see its message\n");
    else
        printf("%s, worst error %.1e\n", whole ? "right" : "not finished", report->worst);
    if (report->unreferenced)
        printf("%-12s %lld of the cases %s no reference and no outputs of %s own: %s compared with "
               "natural order at default tunables, and that was all\n",
               "", (long long)report->unreferenced, one_or(report->unreferenced, "has", "have"),
               one_or(report->unreferenced, "its", "their"),
               one_or(report->unreferenced, "it was", "they were"));
    if (report->note[0]) printf("%s\n", report->note);
}

/* whole: all that was to be tried was tried. */
static void verify_print(const verify_state *state, bool whole)
{
    if (state->terminal) fprintf(stderr, "\r\033[K");
    if (state->wrong > VERIFY_SHOWN && !state->verbose)
        fprintf(stderr, "and %d more that are wrong: --verbose shows them\n",
                state->wrong - VERIFY_SHOWN);
    for (int i = 0; i < state->stages; i++)
        verify_print_stage(&state->sum[i], whole);
}

static int verify_jobs(int64_t jobs)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (jobs == 0) jobs = cores > 0 ? cores : 1;
    return jobs > CT_WORKERS ? CT_WORKERS : (int)jobs;
}

/* A layout of the first port in this direction, as far as its letters go. */
static ct_status verify_check_layout(const ct_stage *stage, ct_direction direction,
                                     const char *text, ct_error *err)
{
    const ct_port *port = stage->ports;
    while (port->name && port->direction != direction)
        port++;
    if (!text || !port->name || strcmp(port->dims, "*") == 0) return CT_OK;
    if (strspn(text, port->dims) == strlen(text)) return CT_OK;
    return ct_error_add(err, CT_USAGE,
                        "cornerturn verify: found the layout %s, but port %s of stage %s has the "
                        "dimensions %s",
                        text, port->name, stage->name, port->dims);
}

static ct_status verify_check_stage(const ct_stage *stage, const verify_arguments *args,
                                    ct_error *err)
{
    ct_status status = CT_OK;
    if (!stage->verify.cases)
        return ct_error_add(
            err, CT_USAGE,
            stage->kernel.text
                ? "cornerturn verify: stage %s has no cases to try: expected \"cases\" in its page"
                : "cornerturn verify: stage %s has no cases to try: sources, sinks and the like "
                  "are not verified",
            stage->name);
    CT_TRY(verify_check_layout(stage, CT_IN, args->read, err));
    CT_TRY(verify_check_layout(stage, CT_OUT, args->write, err));
out:
    return status;
}

static ct_status verify_check_name(const ct_context *context, const char *name,
                                   const verify_arguments *args, ct_error *err)
{
    const char *names[VERIFY_STAGES + 1] = {NULL}, *near;
    const ct_stage *stage = ct_context_stage(context, name);
    if (stage) return verify_check_stage(stage, args, err);
    for (int n = 0; n < VERIFY_STAGES && ct_context_stage_at(context, (size_t)n); n++)
        names[n] = ct_context_stage_at(context, (size_t)n)->name;
    near = ct_suggest_nearest(name, names);
    (void)ct_error_add(err, CT_USAGE, "cornerturn verify: there is no stage '%s'%s%s%s", name,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    ct_page_hint("verify", name, err);
    return CT_USAGE;
}

/* Says once, not once per worker, what is wrong from the start. */
static ct_status verify_check(const verify_arguments *args, ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *context = NULL;
    ct_device *device = NULL;
    const char *names[VERIFY_STAGES];
    int count = 0;
    CT_TRY(ct_library_context(&context, args->libraries, err));
    CT_TRY(verify_names(context, &args->plain, names, &count, err));
    for (int i = 0; i < count && args->plain.count > 0; i++)
        CT_TRY(verify_check_name(context, names[i], args, err));
    CT_TRY(ct_device_open(&device, args->device, err));
    CT_TRY(ct_device_check(device, err));
out:
    ct_device_free(device);
    ct_context_free(context);
    return status;
}

static ct_status verify_share(const verify_arguments *args, int argc, char **argv, ct_error *err)
{
    static const char command[] = "cornerturn", option[] = "--part", none[] = "0/1";
    char *arguments[256] = {(char *)command, argv[0], (char *)option, (char *)none};
    int count = 4;
    verify_state state = {.verbose = args->verbose};
    for (int i = 1; i < argc && count < 255; i++)
        arguments[count++] = argv[i];
    state.terminal = !args->verbose && isatty(2);
    const ct_workers workers = {.count = verify_jobs(args->jobs),
                                .arguments = arguments,
                                .part = 3,
                                .errors = true,
                                .line = verify_line,
                                .state = &state};
    const ct_status status = ct_workers_run(&workers, verify_doing, err);
    verify_print(&state, status == CT_OK || status == CT_MISMATCH);
    return status;
}

ct_status ct_verb_verify(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    verify_arguments args = {0};
    CT_TRY(verify_read(&args, argc, argv, err));
    CT_TRY(verify_check(&args, err));
    status = args.part ? verify_work(&args, err) : verify_share(&args, argc, argv, err);
out:
    return status;
}
