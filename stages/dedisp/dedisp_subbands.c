/* dedisp_subbands.c: shifts in two steps: those of a subband's reference channel as they are, those
 * inside the subband for a run of trials at a time. Room: stages/dedisp. Knows shifts and what
 * sharing takes. Does not know kernels or layouts.
 *
 * In a run each channel is shifted against its reference by what lies in the middle of what the
 * run's trials ask for. A run ends where one of the channels would be off by more than is allowed;
 * at 0 there is no error, and a run lasts as long as nothing changes. */
#include <math.h>
#include <stdlib.h>

#include "dedisp.h"

/* ---- subbands: neighbouring channels, as many in each as can be */

static int64_t edge(const dedisp_trials *trials, int64_t subband)
{
    return subband * trials->channels / trials->subbands.count;
}

static int64_t subband_of(const dedisp_trials *trials, int64_t c)
{
    int64_t subband = c * trials->subbands.count / trials->channels;
    while (edge(trials, subband + 1) <= c)
        subband++;
    return subband;
}

int64_t ct_subbands_part_end(const dedisp_trials *trials, int64_t c, int64_t most)
{
    const int64_t subband = subband_of(trials, c), first = edge(trials, subband);
    const int64_t channels = edge(trials, subband + 1) - first;
    const int64_t parts = ct_divide_up(channels, most);
    int64_t part = 1;
    while (first + part * channels / parts <= c)
        part++;
    return first + part * channels / parts;
}

/* Proportional to the delay. */
static double slowness(const dedisp_trials *trials, int64_t c)
{
    const double mhz = trials->frequency_hz[c] * 1e-6;
    return 1 / (mhz * mhz);
}

/* The channel in the middle of the delays, so that those at both ends are off alike. */
static int64_t find_reference(const dedisp_trials *trials, int64_t first, int64_t end)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    int64_t best = first;
    for (int64_t c = first; c < end; c++) {
        if (trials->masked[c]) continue;
        least = fmin(least, slowness(trials, c));
        most = fmax(most, slowness(trials, c));
    }
    const double middle = 0.5 * (least + most);
    for (int64_t c = first; c < end; c++)
        if (fabs(slowness(trials, c) - middle) < fabs(slowness(trials, best) - middle)) best = c;
    return best;
}

static void find_references(dedisp_trials *trials)
{
    for (int64_t s = 0; s < trials->subbands.count; s++) {
        const int64_t first = edge(trials, s), end = edge(trials, s + 1);
        const int64_t reference = find_reference(trials, first, end);
        for (int64_t c = first; c < end; c++)
            trials->subbands.reference[c] = (int32_t)reference;
    }
}

/* ---- runs of trials */

/* Shifts from the reference on that a run's trials ask for. */
typedef struct span {
    int64_t least, most;
} span;

static int64_t from_reference(const dedisp_trials *trials, int64_t trial, int64_t c)
{
    return ct_trials_exact(trials, trial, c) -
           ct_trials_exact(trials, trial, trials->subbands.reference[c]);
}

static void begin_run(const dedisp_trials *trials, int64_t trial, span of[])
{
    for (int64_t c = 0; c < trials->channels; c++)
        of[c].least = of[c].most = trials->masked[c] ? 0 : from_reference(trials, trial, c);
}

/* Takes a trial into the run: the widest that a channel's span has become. */
static int64_t widen_run(const dedisp_trials *trials, int64_t trial, span of[])
{
    int64_t widest = 0;
    for (int64_t c = 0; c < trials->channels; c++) {
        const int64_t shift = trials->masked[c] ? 0 : from_reference(trials, trial, c);
        if (shift < of[c].least) of[c].least = shift;
        if (shift > of[c].most) of[c].most = shift;
        if (of[c].most - of[c].least > widest) widest = of[c].most - of[c].least;
    }
    return widest;
}

/* After the run that begins at trial `first`. */
static int64_t find_run(const dedisp_trials *trials, int64_t first, span of[])
{
    const dedisp_range *range = ct_trials_range(trials, first);
    const int64_t last = range->first + range->count;
    int64_t end = first + 1;
    begin_run(trials, first, of);
    while (end < last && end - first < DEDISP_PANEL &&
           widen_run(trials, end, of) <= 2 * trials->subbands.allowed)
        end++;
    return end;
}

static void find_runs(dedisp_trials *trials, span of[])
{
    dedisp_subbands *sub = &trials->subbands;
    sub->runs = 0;
    for (int64_t d = 0; d < trials->count; sub->runs++) {
        sub->first[sub->runs] = d;
        for (const int64_t end = find_run(trials, d, of); d < end; d++)
            sub->run[d] = (int32_t)sub->runs;
    }
    sub->first[sub->runs] = trials->count;
}

static void place_channels(dedisp_trials *trials, span of[])
{
    dedisp_subbands *sub = &trials->subbands;
    for (int64_t run = 0; run < sub->runs; run++) {
        begin_run(trials, sub->first[run], of);
        for (int64_t d = sub->first[run] + 1; d < sub->first[run + 1]; d++)
            (void)widen_run(trials, d, of);
        for (int64_t c = 0; c < trials->channels; c++)
            sub->inside[run * trials->channels + c] =
                (int32_t)(of[c].least + (of[c].most - of[c].least) / 2);
    }
}

int64_t ct_subbands_run_end(const dedisp_trials *trials, int64_t trial)
{
    return trials->subbands.first[trials->subbands.run[trial] + 1];
}

/* Inside the range's sweep, which is nearer to the exact shift, too. */
int64_t ct_subbands_shift(const dedisp_trials *trials, int64_t trial, int64_t channel)
{
    const dedisp_subbands *sub = &trials->subbands;
    const int64_t longest = ct_trials_range(trials, trial)->longest;
    const int64_t shift = ct_trials_exact(trials, trial, sub->reference[channel]) +
                          sub->inside[sub->run[trial] * trials->channels + channel];
    return shift < 0 ? 0 : shift > longest ? longest : shift;
}

static void measure_smear(dedisp_trials *trials)
{
    trials->subbands.smear = 0;
    for (int64_t d = 0; d < trials->count; d++)
        for (int64_t c = 0; c < trials->channels; c++) {
            if (trials->masked[c]) continue;
            const int64_t off = ct_trials_shift(trials, d, c) - ct_trials_exact(trials, d, c);
            if (llabs(off) > trials->subbands.smear) trials->subbands.smear = llabs(off);
        }
}

/* ---- what is allowed, and in how many subbands */

/* Fills everything from the number of subbands on. */
static ct_status make_runs(ct_step *step, dedisp_trials *trials, int64_t count)
{
    dedisp_subbands *sub = &trials->subbands;
    span *of = ct_step_alloc(step, (size_t)trials->channels * sizeof *of);
    if (!of) return CT_FAILED;
    sub->count = count;
    find_references(trials);
    find_runs(trials, of);
    sub->inside = ct_step_alloc(step, (size_t)(sub->runs * trials->channels) * sizeof *sub->inside);
    if (!sub->inside) return CT_FAILED;
    place_channels(trials, of);
    trials->sums = ct_dedisp_share_count(trials);
    return CT_OK;
}

/* The smear that the distance of trials has anyway, where a pulse lies between two of them: half of
 * what the lowest channel's shifts differ by; of the range where they differ least. */
static int64_t usual_smear(const dedisp_trials *trials)
{
    double least = HUGE_VAL;
    for (int64_t r = 0; r < trials->ranges; r++) {
        const dedisp_range *range = &trials->range[r];
        const int64_t last = range->first + range->count - 1;
        int64_t most = 0;
        for (int64_t c = 0; c < trials->channels && range->count > 1; c++) {
            const int64_t apart =
                ct_trials_exact(trials, last, c) - ct_trials_exact(trials, range->first, c);
            if (llabs(apart) > most) most = llabs(apart);
        }
        if (range->count > 1) least = fmin(least, 0.5 * (double)most / (double)(range->count - 1));
    }
    return least < HUGE_VAL && least > 1 ? llround(least) : 1;
}

/* Subbands of 4, 8, 16 or 32 channels: where the fewest additions are left. */
static ct_status choose_count(ct_step *step, dedisp_trials *trials)
{
    double best = HUGE_VAL;
    int64_t count = 1;
    for (int64_t channels = 4; channels <= 32; channels *= 2) {
        const int64_t subbands = ct_divide_up(trials->channels, channels);
        const ct_status status = make_runs(step, trials, subbands);
        if (status != CT_OK) return status;
        const double part = ct_dedisp_share_usual(&trials->sums);
        if (part < best || channels == 4) count = subbands;
        best = fmin(best, part);
    }
    return make_runs(step, trials, count);
}

/* The smear at which the first two trials would make a run. */
static int64_t least_smear(const dedisp_trials *trials, span of[])
{
    int64_t least = INT64_MAX;
    for (int64_t d = 0; d + 1 < trials->count; d++) {
        if (ct_trials_range(trials, d) != ct_trials_range(trials, d + 1)) continue;
        begin_run(trials, d, of);
        const int64_t smear = (widen_run(trials, d + 1, of) + 1) / 2;
        if (smear < least) least = smear;
    }
    return least;
}

/* Where no two trials share a subband's sums, nothing would be gained for what is allowed. */
static ct_status check_runs(ct_step *step, const dedisp_trials *trials, ct_error *err)
{
    const dedisp_subbands *sub = &trials->subbands;
    if (sub->runs < trials->count || sub->allowed == 0) return CT_OK;
    span *of = ct_step_alloc(step, (size_t)trials->channels * sizeof *of);
    if (!of) return CT_FAILED;
    const int64_t least = least_smear(trials, of);
    if (least == INT64_MAX) return CT_OK; /* each range has one trial */
    return ct_step_fail(
        step, "smear", err,
        "with %lld subbands of %lld channels no two trials can share sums within %lld "
        "samples, expected a smear of %lld or more, more subbands, or trials closer "
        "together",
        (long long)sub->count, (long long)trials->channels, (long long)sub->allowed,
        (long long)least);
}

static ct_status make_subbands(ct_step *step, dedisp_trials *trials, ct_error *err)
{
    dedisp_subbands *sub = &trials->subbands;
    const bool counted = ct_step_value(step, "subbands"), stated = ct_step_value(step, "smear");
    const int64_t count = ct_step_int(step, "subbands");
    if (counted && count > trials->channels)
        return ct_step_fail(step, "subbands", err,
                            "expected at most one for each of the %lld channels, found %lld",
                            (long long)trials->channels, (long long)count);
    sub->first = ct_step_alloc(step, (size_t)(trials->count + 1) * sizeof *sub->first);
    sub->run = ct_step_alloc(step, (size_t)trials->count * sizeof *sub->run);
    sub->reference = ct_step_alloc(step, (size_t)trials->channels * sizeof *sub->reference);
    if (!sub->first || !sub->run || !sub->reference) return CT_FAILED;
    sub->allowed = stated ? ct_step_int(step, "smear") : usual_smear(trials);
    return counted ? make_runs(step, trials, count) : choose_count(step, trials);
}

ct_status ct_subbands_make(ct_step *step, dedisp_trials *trials, ct_error *err)
{
    ct_status status = CT_OK;
    if (!ct_step_value(step, "subbands") && !ct_step_value(step, "smear")) {
        trials->sums = ct_dedisp_share_count(trials);
        return CT_OK;
    }
    status = make_subbands(step, trials, err);
    if (status == CT_OK) status = check_runs(step, trials, err);
    if (status == CT_OK) measure_smear(trials);
    return status;
}
