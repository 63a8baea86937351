/* lofar_plan.c: see lofar_plan.h.
 * Room: io/lofar. Knows parameters and what each lane holds. Does not know blocks of arrays. */
#include "lofar_plan.h"
#include "lofar_files.h"
#include "lofar_udp_probe.h"
#include "ranges.h"
#include <string.h>

/* ---- what must agree */

static ct_status plan_differ(const ct_lofar_lane *a, const ct_lofar_lane *b, const char *what,
                             long long of_a, long long of_b, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: expected %s %lld as in %s, found %lld", b->file, what,
                        of_a, a->file, of_b);
}

static ct_status plan_compare(const ct_lofar_plan *plan, int64_t i, ct_error *err)
{
    const ct_lofar_lane *first = &plan->lane[0], *one = &plan->lane[i];
    const ct_lofar_lane *above = &plan->lane[i % plan->lanes];
    const ct_lofar_lane *left = &plan->lane[i / plan->lanes * plan->lanes];
    const ct_packet *a = &first->extent.form, *b = &one->extent.form;
    if (a->bits != b->bits) return plan_differ(first, one, "bits", a->bits, b->bits, err);
    if (a->fast != b->fast)
        return plan_differ(first, one, "a clock in MHz of", a->fast ? 200 : 160,
                           b->fast ? 200 : 160, err);
    if (left->extent.form.station != b->station)
        return plan_differ(left, one, "station", left->extent.form.station, b->station, err);
    if (above->extent.form.beamlets != b->beamlets)
        return plan_differ(above, one, "beamlets", above->extent.form.beamlets, b->beamlets, err);
    return CT_OK;
}

/* Where the rest is filled with zeros there may be much of it. */
static ct_status plan_check_ends(const ct_step *step, const ct_lofar_plan *plan, ct_error *err)
{
    const double most_s = ct_step_real(step, "max_gap_s");
    const double spacing_s = 1024 / ct_packet_clock(&plan->lane[0].extent.form);
    for (int64_t i = 0; i < plan->stations * plan->lanes; i++) {
        const ct_lane_extent *one = &plan->lane[i].extent;
        const double before_s = (double)(one->first - plan->start) * spacing_s;
        const double after_s =
            plan->end == INT64_MAX ? 0 : (double)(plan->end - one->end) * spacing_s;
        if (before_s <= most_s && after_s <= most_s) continue;
        return ct_error_add(err, CT_DATA,
                            "%s: samples %lld to %lld are %g s after the first and %g s before the "
                            "last sample of all lanes, expected at most %g; a larger \"max_gap_s\" "
                            "fills that with zeros",
                            plan->lane[i].file, (long long)one->first, (long long)one->end - 1,
                            before_s, after_s, most_s);
    }
    return CT_OK;
}

static const struct {
    const char *name;
    bool all;
} plan_spans[] = {CT_LOFAR_SPANS(CT_ROW)};

static ct_status plan_align(ct_step *step, ct_lofar_plan *plan, ct_error *err)
{
    const bool all = plan->all = plan_spans[ct_step_choice(step, "span")].all;
    const ct_lofar_lane *latest = plan->lane, *earliest = plan->lane;
    for (int64_t i = 0; i < plan->stations * plan->lanes; i++) {
        ct_lofar_lane *one = &plan->lane[i];
        ct_status status = plan_compare(plan, i, err);
        if (status != CT_OK) return status;
        one->beamlet = i % plan->lanes ? one[-1].beamlet + one[-1].extent.form.beamlets : 0;
        if (all ? one->extent.first < latest->extent.first
                : one->extent.first > latest->extent.first)
            latest = one;
        if (all ? one->extent.end > earliest->extent.end : one->extent.end < earliest->extent.end)
            earliest = one;
    }
    plan->start = latest->extent.first;
    plan->end = earliest->extent.end;
    if (plan->end > plan->start) return all ? plan_check_ends(step, plan, err) : CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: starts at sample %lld, after %s has ended at %lld: expected lanes of "
                        "one time",
                        latest->file, (long long)plan->start, earliest->file, (long long)plan->end);
}

/* ---- beamlets */

static ct_status plan_pick(ct_step *step, ct_lofar_plan *plan, const ct_value *which, int64_t all,
                           ct_lofar_pick *out, ct_error *err)
{
    int64_t number = ct_value_int(which, -1);
    if (ct_value_kind(which) != CT_INT || number < 0 || number >= all)
        return ct_step_fail(step, "beamlets", err,
                            "expected \"all\" or beamlets from 0 to %lld, found %lld",
                            (long long)all - 1, (long long)number);
    int64_t lane = 0;
    while (lane + 1 < plan->lanes && plan->lane[lane + 1].beamlet <= number)
        lane++;
    *out = (ct_lofar_pick){number, lane, number - plan->lane[lane].beamlet};
    return CT_OK;
}

static ct_status plan_choose(ct_step *step, ct_lofar_plan *plan, ct_error *err)
{
    const ct_value *which = ct_step_value(step, "beamlets");
    const ct_lofar_lane *last = &plan->lane[plan->lanes - 1];
    int64_t all = last->beamlet + last->extent.form.beamlets;
    bool list = ct_value_kind(which) == CT_LIST;
    bool every = !which || strcmp(ct_value_text(which, ""), "all") == 0;
    ct_status status = CT_OK;
    plan->picks = every ? all : list ? (int64_t)ct_value_count(which) : 1;
    if (plan->picks == 0) return ct_step_fail(step, "beamlets", err, "expected at least one");
    plan->pick = ct_step_alloc(step, (size_t)plan->picks * sizeof *plan->pick);
    if (!plan->pick) return CT_FAILED;
    for (int64_t i = 0, lane = 0; every && i < all; i++) {
        lane += lane + 1 < plan->lanes && plan->lane[lane + 1].beamlet == i;
        plan->pick[i] = (ct_lofar_pick){i, lane, i - plan->lane[lane].beamlet};
    }
    for (int64_t i = 0; !every && status == CT_OK && i < plan->picks; i++)
        status = plan_pick(step, plan, list ? ct_value_at(which, (size_t)i) : which, all,
                           &plan->pick[i], err);
    return status;
}

/* ---- frequencies: given, or from the numbers of subbands */

/* The number that a list or a start gives to the i-th beamlet that is read. */
static bool plan_number(const ct_step *step, const ct_lofar_plan *plan, const char *key, int64_t i,
                        double *out)
{
    const ct_value *given = ct_step_value(step, key);
    int64_t count = (int64_t)ct_value_count(given);
    const ct_value *one = given;
    if (ct_value_kind(given) == CT_LIST)
        one = ct_value_at(given, (size_t)(count == plan->picks ? i : plan->pick[i].number));
    *out = ct_value_real(one, 0);
    return ct_value_kind(one) == CT_INT || ct_value_kind(one) == CT_REAL;
}

static ct_status plan_check_numbers(ct_step *step, const ct_lofar_plan *plan, const char *key,
                                    ct_error *err)
{
    const ct_lofar_lane *last = &plan->lane[plan->lanes - 1];
    int64_t all = last->beamlet + last->extent.form.beamlets;
    const ct_value *given = ct_step_value(step, key);
    int64_t count = (int64_t)ct_value_count(given);
    double number;
    if (ct_value_kind(given) == CT_LIST && count != all && count != plan->picks)
        return ct_step_fail(step, key, err,
                            "expected a number for each of the %lld beamlets that are read, or of "
                            "all %lld, found %lld",
                            (long long)plan->picks, (long long)all, (long long)count);
    for (int64_t i = 0; i < plan->picks; i++)
        if (!plan_number(step, plan, key, i, &number))
            return ct_step_fail(step, key, err, "expected a number or a list of numbers");
    return CT_OK;
}

static ct_status plan_set_frequencies(ct_step *step, const ct_lofar_plan *plan, ct_meta *meta,
                                      ct_error *err)
{
    const char *key = ct_step_value(step, "frequency_hz") ? "frequency_hz" : "subbands";
    char expected[CT_RANGES_EXPECTED];
    bool direct = key[0] == 'f', list = ct_value_kind(ct_step_value(step, key)) == CT_LIST;
    double width = meta->channel_width_hz, zone = (double)ct_step_int(step, "zone");
    if (!ct_step_value(step, key)) return CT_OK;
    ct_status status = plan_check_numbers(step, plan, key, err);
    if (status != CT_OK) return status;
    double *frequency = ct_step_alloc(step, (size_t)plan->picks * sizeof *frequency);
    if (!frequency) return CT_FAILED;
    for (int64_t i = 0; i < plan->picks; i++) {
        (void)plan_number(step, plan, key, i, &frequency[i]);
        double beyond =
            list ? 0 : (double)(plan->pick[i].number - (direct ? plan->pick[0].number : 0));
        frequency[i] =
            direct ? frequency[i] + beyond * width : (frequency[i] + beyond + 512 * zone) * width;
        if (!ct_ranges_hold("frequency_hz", frequency[i], expected))
            return ct_step_fail(step, key, err,
                                "beamlet %lld gets a frequency of %g Hz, expected %s",
                                (long long)plan->pick[i].number, frequency[i], expected);
    }
    meta->frequency_hz = frequency;
    meta->frequencies = plan->picks;
    return CT_OK;
}

/* ---- the array */

static void plan_set_times(ct_step *step, const ct_lofar_plan *plan, ct_meta *meta)
{
    double clock = ct_packet_clock(&plan->lane[0].extent.form);
    int64_t ticks = plan->start * 1024, second = ticks / (int64_t)clock;
    meta->total = plan->end == INT64_MAX ? -1 : plan->end - plan->start;
    meta->sample_time_s = 1024 / clock;
    meta->channel_width_hz = clock / 1024;
    meta->start_mjd = 40587 + (double)second / 86400;
    meta->start_s = (double)(ticks % (int64_t)clock) / clock + 0.5 * meta->sample_time_s;
    meta->source_name = ct_step_text(step, "source_name");
    meta->telescope = ct_step_text(step, "telescope");
}

/* The channels of a lane are lost together. */
static ct_status plan_set_groups(ct_step *step, ct_lofar_plan *plan, ct_meta *meta)
{
    plan->group = ct_step_alloc(step, (size_t)plan->lanes * sizeof *plan->group);
    ct_groups *groups = ct_step_alloc(step, sizeof *groups);
    int32_t *of = ct_step_alloc(step, (size_t)plan->picks * sizeof *of);
    if (!plan->group || !groups || !of) return CT_FAILED;
    for (int64_t i = 0; i < plan->picks; i++)
        plan->group[plan->pick[i].lane] = 1;
    plan->groups = 0;
    for (int64_t lane = 0; lane < plan->lanes; lane++)
        if (plan->group[lane] > 0) plan->group[lane] = plan->groups++;
    for (int64_t i = 0; i < plan->picks; i++)
        of[i] = (int32_t)plan->group[plan->pick[i].lane];
    *groups = (ct_groups){.count = plan->groups, .channels = plan->picks, .of = of};
    meta->groups = plan->groups > 1 ? groups : NULL;
    return CT_OK;
}

static ct_status plan_set_type(ct_step *step, ct_lofar_plan *plan, ct_array *out, ct_error *err)
{
    unsigned bits = plan->lane[0].extent.form.bits;
    plan->clamp = ct_step_bool(step, "clamp");
    plan->scale = ct_step_bool(step, "scale16") ? 16 : 1;
    out->type = bits == 16 || plan->scale > 1 ? CT_CI16 : bits == 8 ? CT_CI8 : CT_CI4;
    if (plan->scale > 1 && bits == 16)
        return ct_step_fail(step, "scale16", err,
                            "expected packets of 8 or 4 bits, found 16: they would overflow");
    return CT_OK;
}

static ct_status plan_describe(ct_step *step, ct_lofar_plan *plan, ct_error *err)
{
    ct_array *out = &step->port[0];
    int64_t t = ct_array_find(out, 'T') >= 0 ? ct_array_extent(out, 'T') : 0;
    *out = (ct_array){0};
    ct_array_add(out, 'S', plan->stations);
    ct_array_add(out, 'P', 2);
    ct_array_add(out, 'T', t > 0 ? t : plan->end == INT64_MAX ? 1 : plan->end - plan->start);
    if (plan->picks > 1) ct_array_add(out, 'C', plan->picks);
    plan_set_times(step, plan, &out->meta);
    ct_status status = plan_set_type(step, plan, out, err);
    if (status == CT_OK) status = plan_set_frequencies(step, plan, &out->meta, err);
    if (status == CT_OK) status = plan_set_groups(step, plan, &out->meta);
    return status;
}

ct_status ct_lofar_infer(ct_step *step, ct_error *err)
{
    const ct_lofar_plan *before = step->state;
    ct_lofar_plan *plan = ct_step_alloc(step, sizeof *plan);
    if (!plan) return CT_FAILED;
    if (before) plan->probed = before->probed, plan->heard = before->heard;
    ct_status status = ct_files_find(step, plan, err);
    if (status == CT_OK && plan->listen) ct_probe_times(step, plan);
    if (status == CT_OK) status = plan_align(step, plan, err);
    if (status == CT_OK) status = plan_choose(step, plan, err);
    if (status == CT_OK) status = plan_describe(step, plan, err);
    step->state = plan;
    return status;
}
