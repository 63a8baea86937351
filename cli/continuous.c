/* continuous.c: see continuous.h. Searches are `cornerturn tune` with a journal, each with twice
 * the budget of the one before, so that nothing is measured again. Room: cli. Knows processes, and
 * what plans say of themselves. Does not know how plans are found, or how one takes over. */
#include "continuous.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "idle_process.h"
#include "stand_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A plan takes over if it takes at most this much of the present one's time. */
#define CLEARLY 0.98
#define LATE_S 0.1 /* by which a live source may be behind */

enum { SEARCH_WORDS = 6 * CT_OPTION_TIMES + 32 };

static const char *path_of(char out[CT_CONTINUOUS_PATH], const ct_continuous *c, const char *name)
{
    snprintf(out, CT_CONTINUOUS_PATH, "%s/%s", c->folder, name);
    return out;
}

static void say(const ct_continuous *c, const char *what)
{
    fprintf(stderr, "%s%s: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", c->pipeline->file, what);
}

/* ---- one search */

static int add_list(const char **argv, int count, const char *option, const char *const *values)
{
    for (; *values != NULL; values++) {
        argv[count++] = option;
        argv[count++] = *values;
    }
    return count;
}

static void start_search(ct_continuous *c)
{
    char plan[CT_CONTINUOUS_PATH], journal[CT_CONTINUOUS_PATH], log[CT_CONTINUOUS_PATH], budget[32];
    const ct_pipeline *p = c->pipeline;
    const char *argv[SEARCH_WORDS] = {
        "/proc/self/exe", "tune",       p->file,     "-o",  path_of(plan, c, "plan"),
        "--resume",       "--no-store", "--timeout", "300", "--budget",
        budget,           "--journal",  journal};
    int count = 13;
    snprintf(budget, sizeof budget, "%.0f", c->budget);
    if (c->file != NULL)
        snprintf(journal, sizeof journal, "%.4096s.journal", c->file);
    else
        path_of(journal, c, "journal");
    if (p->device_name != NULL)
        count = add_list(argv, count, "--device", (const char *const[]){p->device_name, NULL});
    const bool fits = ct_stand_in_make(&c->stand_in, p, c->settings);
    count = add_list(argv, count, "--set", c->stand_in.settings);
    (void)add_list(argv, count, "--library", p->libraries);
    if (fits) c->search = ct_idle_process_start(argv, path_of(log, c, "log"));
    c->paused = false;
    c->over = c->over || c->search <= 0;
    c->budget *= 2;
}

/* The last line of what it said. */
static void say_failed(const ct_continuous *c)
{
    char path[CT_CONTINUOUS_PATH], line[1024] = "the search ended without a word", text[1200];
    FILE *log = fopen(path_of(path, c, "log"), "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        line[strcspn(line, "\n")] = 0;
    if (log != NULL) fclose(log);
    snprintf(text, sizeof text, "no other plans are looked for any more: %s", line);
    say(c, text);
}

/* ---- what it found */

/* What follows in a plan's text is what it decides. */
static const char *decided(const char *text)
{
    const char *nodes = text != NULL ? strstr(text, "\n  \"nodes\": {") : NULL;
    return nodes != NULL ? nodes : "";
}

static bool is_same(const ct_plan *a, const ct_plan *b)
{
    char *one = NULL, *other = NULL;
    (void)ct_plan_print(&one, a, NULL);
    (void)ct_plan_print(&other, b, NULL);
    const bool same = strcmp(decided(one), decided(other)) == 0;
    free(one);
    free(other);
    return same;
}

/* Of the default's time, with the run's block: what another block has gained is not had here. */
static double gain_of(const ct_value *tuned, const char *key)
{
    const ct_value *block = ct_value_get(tuned, "block");
    return ct_value_real(ct_value_get(tuned, key), 1) /
           ct_value_real(ct_value_get(block, "ratio"), 1);
}

/* What the file decides, for the run's block; NULL: it does not fit. */
static ct_plan *read_plan(const ct_continuous *c, const char *file, ct_error *err)
{
    char own[CT_CONTINUOUS_PATH], back[CT_CONTINUOUS_PATH];
    ct_plan *plan = NULL;
    if (ct_stand_in_back(c->pipeline, path_of(back, c, "back"), file, path_of(own, c, "present")))
        (void)ct_plan_load(&plan, c->pipeline->graph, back, c->pipeline->device, err);
    return plan;
}

/* To the file, and where the search came to its end to the store. */
static void keep(const ct_continuous *c, const ct_plan *plan)
{
    ct_error err = {0};
    char text[1200];
    ct_status status = CT_OK;
    if (c->file != NULL) status = ct_plan_save(plan, c->file, &err);
    if (status == CT_OK && c->complete)
        status = ct_tune_keep(NULL, plan, c->pipeline->device, &err);
    snprintf(text, sizeof text, "warning: the plan is not kept: %.1000s", err.text);
    if (status != CT_OK) say(c, text);
}

/* Whether it is clearly better than the run's: measured against the default, as that was. Of a plan
 * that nobody has tuned nothing is known. */
static bool is_better(const ct_continuous *c, const ct_value *tuned)
{
    const double ratio = gain_of(tuned, "ratio"), high = gain_of(tuned, "high");
    return c->ratio <= 0 || (high < 1 && ratio < CLEARLY * c->ratio);
}

static void give(ct_continuous *c, ct_run *run, const char *file, const ct_value *tuned)
{
    ct_error err = {0};
    const ct_plan *present = c->present != NULL ? c->present : c->pipeline->plan;
    c->next = gain_of(tuned, "ratio");
    ct_plan *found = read_plan(c, file, &err);
    if (found != NULL && is_same(found, present)) {
        c->ratio = c->next;
    } else if (found != NULL && ct_run_swap(run, found, &err) == CT_OK) {
        c->found = found;
        found = NULL;
    }
    if (err.text[0] != 0) say(c, err.text);
    ct_plan_free(found);
}

static void take_search(ct_continuous *c, ct_run *run, int code)
{
    char file[CT_CONTINUOUS_PATH];
    ct_value *plan = NULL;
    c->search = 0;
    if (code != CT_OK) {
        c->over = true;
        say_failed(c);
        return;
    }
    if (ct_value_load(&plan, path_of(file, c, "plan"), NULL) != CT_OK) return;
    const ct_value *tuned = ct_value_get(plan, "tuned");
    const int64_t measured = ct_value_int(ct_value_get(tuned, "measured"), 0);
    c->complete = ct_value_bool(ct_value_get(tuned, "complete"), false);
    c->over = c->complete && measured <= c->measured; /* there is nothing left to try */
    c->measured = measured > c->measured ? measured : c->measured;
    if (is_better(c, tuned)) give(c, run, file, tuned);
    ct_value_free(plan);
}

/* A plan is kept a block after it took over: a journal of the run knows it then. */
static void settle(ct_continuous *c, const ct_run *run)
{
    ct_error err = {0};
    ct_progress now = {.size = sizeof now};
    int64_t block = -1;
    char text[1200];
    if (c->found == NULL) return;
    const ct_status status = ct_run_swapped(run, &block, &err);
    (void)ct_run_progress(run, &now, NULL);
    if (status == CT_OK && (block < 0 || now.block <= block)) return;
    snprintf(text, sizeof text, "%.1000s", err.text);
    if (status == CT_OK) {
        snprintf(text, sizeof text,
                 "from block %lld on by another plan: %.2f of the default's time",
                 (long long)block + 1, c->next);
        keep(c, c->found);
        ct_plan_free(c->present);
        c->present = c->found;
        c->found = NULL;
        c->ratio = c->next;
        c->taken++;
    }
    say(c, text);
    ct_plan_free(c->found);
    c->found = NULL;
}

/* ---- never later than real time */

/* Seconds since that came which a live source reads now; 0: it is in time, or none is live. */
static double behind(const ct_run *run)
{
    ct_counter one;
    double most = 0;
    for (size_t n = 0; ct_run_counter(run, n, &one, NULL); n++)
        if (strcmp(one.name, "behind") == 0 && one.value > most) most = one.value;
    return most;
}

/* The search stands still while a live source's samples wait, until that is made up for. */
static void keep_pace(ct_continuous *c, const ct_run *run)
{
    const double late = behind(run);
    const bool pause = late > (c->paused ? LATE_S / 2 : LATE_S);
    if (c->search <= 0 || pause == c->paused) return;
    ct_idle_process_pause(c->search, pause);
    c->paused = pause;
}

/* ---- from begin to end */

/* How good the plan is that the run begins with: 0 where that is not known. */
static double ratio_of(const ct_continuous *c)
{
    char file[CT_CONTINUOUS_PATH];
    ct_value *plan = NULL;
    const char *name = c->pipeline->plan_file;
    double ratio = name == NULL || strcmp(name, "default") == 0 ? 1 : 0;
    if (ct_plan_save(c->pipeline->plan, path_of(file, c, "present"), NULL) == CT_OK &&
        ct_value_load(&plan, file, NULL) == CT_OK)
        ratio = ct_value_real(ct_value_get(ct_value_get(plan, "tuned"), "ratio"), ratio);
    ct_value_free(plan);
    return ratio;
}

bool ct_continuous_asked(int argc, char **argv)
{
    bool asked = false;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        asked = asked || strcmp(argv[i], "--continuous") == 0;
    return asked;
}

ct_status ct_continuous_begin(ct_continuous *c, const ct_pipeline *pipeline, ct_error *err)
{
    ct_status status = CT_OK;
    const char *in = getenv("TMPDIR");
    if (!c->on) return CT_OK;
    c->pipeline = pipeline;
    if (c->file != NULL && access(c->file, W_OK) != 0)
        CT_TRY(ct_plan_save(pipeline->plan, c->file, err));
    snprintf(c->folder, sizeof c->folder, "%.80s/cornerturn-XXXXXX", in != NULL ? in : "/tmp");
    if (mkdtemp(c->folder) == NULL) {
        c->folder[0] = 0;
        CT_TRY(ct_error_add(err, CT_DATA, "cornerturn tune: no folder can be made in %.80s",
                            in != NULL ? in : "/tmp"));
    }
    c->ratio = ratio_of(c);
out:
    return status;
}

void ct_continuous_look(ct_continuous *c, ct_run *run)
{
    int code = 0;
    if (!c->on) return;
    settle(c, run);
    keep_pace(c, run);
    if (c->search > 0 && ct_idle_process_ended(c->search, &code)) take_search(c, run, code);
    if (c->search == 0 && c->found == NULL && !c->over) start_search(c);
}

static void remove_folder(const ct_continuous *c)
{
    static const char *const names[] = {"plan", "journal", "log", "present", "back"};
    char path[CT_CONTINUOUS_PATH];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(path, c, names[i]));
    rmdir(c->folder);
}

void ct_continuous_end(ct_continuous *c, bool done, bool quiet)
{
    char text[256];
    if (!c->on || c->folder[0] == 0) return;
    if (c->search > 0) ct_idle_process_kill(c->search);
    if (c->found != NULL && done) keep(c, c->found); /* it came too late for this run */
    snprintf(text, sizeof text, "%d plan%s took over, %.2f of the default's time; measured: %lld",
             c->taken, c->taken == 1 ? "" : "s", c->ratio, (long long)c->measured);
    if (!quiet) say(c, text);
    ct_plan_free(c->found);
    ct_plan_free(c->present);
    remove_folder(c);
    c->folder[0] = 0;
}
