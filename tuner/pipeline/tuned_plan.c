/* tuned_plan.c: what a tuning gives: the plan, how good it is, and where the time went.
 * Room: tuner/pipeline. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "candidate_plan.h"
#include "confirm.h"
#include "device.h"
#include "fail.h"
#include "json_text.h"
#include "plan.h"
#include "plan_key.h"
#include "plan_store.h"
#include "tune_inner.h"

static int64_t tune_choices(const ct_space *space)
{
    int64_t choices = 0;
    for (int s = 0; s < space->nodes; s++)
        if (space->node[s].free) choices += space->node[s].choices;
    return choices;
}

/* In seconds of the last comparison: a bound is a part of the default, as ratios are, with the
 * default's block; another one is taken to be as good for the best plan. */
static double tune_bound(const ct_tune_state *t)
{
    double bound = INFINITY;
    for (int i = 0; i < t->variants; i++)
        if (t->tuner[i]->bound_s > 0)
            bound = fmin(bound, ct_tuner_part(t->tuner[i], t->tuner[i]->bound_s));
    if (!isfinite(bound)) return 0; /* nothing is known yet */
    return bound * t->verdict.default_s * (t->block.samples > 0 ? t->block.ratio : 1);
}

/* The bound, and the difference between it and the plan. */
static void tune_certify(const ct_tune_state *t, ct_text *out)
{
    const double bound = tune_bound(t);
    const ct_verdict_gap gap = ct_verdict_above(&t->verdict, bound);
    ct_text_add(out, ",\"bound_seconds\":%.6g,\"noise_seconds\":%.3g,\"model_seconds\":%.3g", bound,
                gap.noise_s, gap.model_s);
}

/* For how many samples the seconds are, and how long these last. */
static void tune_samples(const ct_tune_state *t, ct_text *out)
{
    const ct_verdict *v = &t->verdict;
    if (v->samples > 0) ct_text_add(out, ",\"samples\":%lld", (long long)v->samples);
    if (v->signal_s > 0) ct_text_add(out, ",\"signal_s\":%.9g", v->signal_s);
}

/* "block":{"samples":..,"default_samples":..,"ratio":..}: of the plan with the default's block. */
static void tune_block(const ct_tune_state *t, ct_text *out)
{
    const ct_verdict_block *b = &t->block;
    if (b->samples == 0) return;
    ct_text_add(out, ",\"block\":{\"samples\":%lld,\"default_samples\":%lld", (long long)b->samples,
                (long long)b->defaults);
    ct_text_add(out, ",\"ratio\":%.4f,\"low\":%.4f,\"high\":%.4f}", b->ratio, b->low, b->high);
}

/* "spent":{"building":..,..}: where the time went. */
static void tune_spent(const ct_tune_state *t, ct_text *out)
{
    const ct_backend *backend = t->tuner[0]->backend;
    if (!backend->spent) return;
    const ct_spent s = backend->spent(backend->of);
    const double rest = s.all - s.building - s.preparing - s.timing - s.rehearsing - s.waiting;
    ct_text_add(out, ",\"spent\":{\"building\":%.4g,\"timing\":%.4g", s.building, s.timing);
    ct_text_add(out, ",\"rehearsing\":%.4g,\"preparing\":%.4g", s.rehearsing, s.preparing);
    ct_text_add(out, ",\"waiting\":%.4g,\"searching\":%.4g}", s.waiting, fmax(rest, 0));
}

/* When it was tuned on a device, what restricted the search, and where all measurements are. */
static void tune_circumstances(const ct_tune_state *t, ct_text *out)
{
    char date[32], journal[PATH_MAX];
    const time_t now = time(NULL);
    struct tm utc;
    const char *const *only = t->options.only;
    if (!t->options.costs && gmtime_r(&now, &utc) &&
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0)
        ct_text_add(out, ",\"date\":\"%s\"", date);
    for (int i = 0; only && only[i]; i++) {
        ct_text_add(out, i ? "," : ",\"only\":[");
        ct_text_add_json(out, only[i]);
    }
    if (only && only[0]) ct_text_add(out, "]");
    if (t->options.memory > 0) ct_text_add(out, ",\"memory\":%lld", (long long)t->options.memory);
    if (t->options.costs || !t->options.journal || !realpath(t->options.journal, journal)) return;
    ct_text_add(out, ",\"journal\":");
    ct_text_add_json(out, journal);
}

static void tune_about(const ct_tune_state *t, ct_text *out)
{
    const ct_verdict *v = &t->verdict;
    int64_t measured = 0, choices = 0, disturbed = 0;
    for (int i = 0; i < t->variants; i++) {
        measured += t->tuner[i]->results->measured;
        disturbed += t->tuner[i]->results->disturbed;
        choices += tune_choices(t->variant[i]->space);
    }
    ct_text_add(out, "{\"key\":%s,\"tuned\":{\"seconds\":%.6g,\"default_seconds\":%.6g",
                t->key.data, v->seconds, v->default_s);
    tune_samples(t, out);
    ct_text_add(out, ",\"ratio\":%.4f,\"low\":%.4f,\"high\":%.4f", v->ratio, v->low, v->high);
    tune_block(t, out);
    tune_certify(t, out);
    ct_text_add(out, ",\"measured\":%lld,\"space\":%lld", (long long)measured, (long long)choices);
    if (disturbed > 0) ct_text_add(out, ",\"disturbed\":%lld", (long long)disturbed);
    tune_spent(t, out);
    tune_circumstances(t, out);
    ct_text_add(out, ",\"complete\":%s},", t->complete ? "true" : "false");
}

ct_status ct_tuned_plan(ct_tune_state *t, ct_plan **out, const char *device_name, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0}, plan = {0};
    ct_device *device = NULL;
    CT_TRY(ct_candidate_plan(&plan, &t->chosen, err));
    tune_about(t, &text);
    ct_text_add(&text, "%s", plan.data + 1);
    CT_TRY(ct_text_check(&text, err));
    if (!t->options.costs) CT_TRY(ct_device_open(&device, device_name, err));
    CT_TRY(ct_plan_parse(out, t->graph, text.data, "the tuned plan", device, err));
    if (device) CT_TRY(ct_plan_key_add(*out, device, err));
out:
    if (status != CT_OK) {
        ct_plan_free(*out);
        *out = NULL;
    }
    ct_device_free(device);
    ct_text_free(&text);
    ct_text_free(&plan);
    return status;
}

ct_status ct_tuned_end(ct_tune_state *t, ct_error *err)
{
    ct_text line = {0}, name = {0};
    if (!t->journal) return CT_OK;
    ct_confirm_name(&t->chosen, &name);
    ct_text_add(&line, "{\"end\":{\"complete\":%s,\"ratio\":%.4f,\"plan\":",
                t->complete ? "true" : "false", t->verdict.ratio);
    ct_text_add_json(&line, name.data ? name.data : "");
    ct_text_add(&line, ",\"seconds\":%.6g,\"default_seconds\":%.6g", t->verdict.seconds,
                t->verdict.default_s);
    tune_samples(t, &line);
    ct_text_add(&line, ",\"low\":%.4f,\"high\":%.4f", t->verdict.low, t->verdict.high);
    tune_block(t, &line);
    tune_certify(t, &line);
    tune_spent(t, &line);
    ct_text_add(&line, "}}");
    ct_status status = ct_text_check(&line, err);
    if (status == CT_OK) status = ct_tuning_journal_add(t->journal, line.data, err);
    ct_text_free(&line);
    ct_text_free(&name);
    return status;
}
