/* dedisp_trials.c: DM ranges and channel masks as the user gave them -> trials and shifts.
 * Room: stages/dedisp. Knows the dispersion law. Does not know kernels or layouts. */
#include <math.h>
#include <string.h>

#include "dedisp.h"

/* More than these can only be a mistyped number. */
#define MOST_TRIALS (1 << 20)
#define MOST_DOWNSAMPLE (1 << 16)
#define MOST_SHIFT INT32_MAX
/* Beyond these delays are no numbers: squares overflow, differences of infinities appear. */
#define MOST_DM 1e9
#define LEAST_HZ 1e-3
#define MOST_HZ 1e18

const dedisp_range *ct_trials_range(const dedisp_trials *trials, int64_t trial)
{
    const dedisp_range *range = trials->range;
    while (trial >= range->first + range->count)
        range++;
    return range;
}

double ct_trials_dm(const dedisp_trials *trials, int64_t trial)
{
    const dedisp_range *range = ct_trials_range(trials, trial);
    return range->start + (double)(trial - range->first) * range->step;
}

int64_t ct_trials_exact(const dedisp_trials *trials, int64_t trial, int64_t channel)
{
    double mhz = trials->frequency_hz[channel] * 1e-6, top = trials->reference_hz * 1e-6;
    double delay_s =
        trials->constant * ct_trials_dm(trials, trial) * (1 / (mhz * mhz) - 1 / (top * top));
    double samples =
        delay_s / (trials->sample_time_s * (double)ct_trials_range(trials, trial)->downsample);
    if (samples > MOST_SHIFT) return MOST_SHIFT; /* measure_sweep refuses it */
    return (int64_t)floor(samples + trials->rounding);
}

int64_t ct_trials_shift(const dedisp_trials *trials, int64_t trial, int64_t channel)
{
    if (trials->masked[channel]) return DEDISP_MASKED;
    if (trials->subbands.count > 0) return ct_subbands_shift(trials, trial, channel);
    return ct_trials_exact(trials, trial, channel);
}

/* ---- the list of ranges */

static ct_status check_keys(const ct_step *step, const ct_value *value, ct_error *err)
{
    static const char *const known[] = {"start", "step", "count", "downsample"};
    for (size_t k = 0; k < ct_value_count(value); k++) {
        const char *key = ct_value_key(value, k);
        bool found = false;
        for (size_t n = 0; n < sizeof known / sizeof *known; n++)
            found = found || strcmp(key, known[n]) == 0;
        if (!found)
            return ct_step_fail(step, "dm", err,
                                "unknown key \"%s\" in a range of trials, expected start, step, "
                                "count, downsample",
                                key);
    }
    return CT_OK;
}

static bool is_number(const ct_value *value)
{
    return value == NULL || ct_value_kind(value) == CT_INT || ct_value_kind(value) == CT_REAL;
}

static bool is_whole(const ct_value *value)
{
    return value == NULL || (ct_value_kind(value) == CT_INT && ct_value_int(value, 0) >= 1);
}

/* A number is surely meant as a trial. */
static ct_status fail_kind(const ct_step *step, const ct_value *value, ct_error *err)
{
    const bool number = ct_value_kind(value) == CT_INT || ct_value_kind(value) == CT_REAL;
    const double dm = ct_value_real(value, 0);
    if (!number)
        return ct_step_fail(
            step, "dm", err,
            "expected a range such as {\"start\": 0, \"step\": 0.5, \"count\": 100}, "
            "or a list of ranges");
    return ct_step_fail(step, "dm", err,
                        "found the number %g, expected a range such as {\"start\": %g, \"step\": "
                        "0.5, \"count\": 100}, or a list of ranges; {\"start\": %g} is one trial",
                        dm, dm, dm);
}

static ct_status check_range(const ct_step *step, const ct_value *value, ct_error *err)
{
    if (ct_value_kind(value) != CT_OBJECT) return fail_kind(step, value, err);
    ct_status status = check_keys(step, value, err);
    if (status != CT_OK) return status;
    if (!is_number(ct_value_get(value, "start")) || !is_number(ct_value_get(value, "step")))
        return ct_step_fail(step, "dm", err, "start and step must be numbers (pc cm^-3)");
    if (ct_value_get(value, "step") && !ct_value_get(value, "count"))
        return ct_step_fail(step, "dm", err,
                            "a range with a \"step\" needs a \"count\", how many trials");
    if (!is_whole(ct_value_get(value, "count")) || !is_whole(ct_value_get(value, "downsample")))
        return ct_step_fail(step, "dm", err,
                            "count and downsample must be whole numbers, 1 or more");
    return CT_OK;
}

static ct_status read_range(const ct_step *step, dedisp_range *range, const ct_value *value,
                            ct_error *err)
{
    ct_status status = check_range(step, value, err);
    if (status != CT_OK) return status;
    range->start = ct_value_real(ct_value_get(value, "start"), 0.0);
    range->step = ct_value_real(ct_value_get(value, "step"), 0.0);
    range->count = ct_value_int(ct_value_get(value, "count"), 1);
    range->downsample = ct_value_int(ct_value_get(value, "downsample"), 1);
    double last = range->start + (double)(range->count - 1) * range->step;
    if (range->count > MOST_TRIALS || range->downsample > MOST_DOWNSAMPLE)
        return ct_step_fail(
            step, "dm", err, "count %lld and downsample %lld, expected at most %d and %d",
            (long long)range->count, (long long)range->downsample, MOST_TRIALS, MOST_DOWNSAMPLE);
    if (range->count > 1 && range->step == 0.0)
        return ct_step_fail(step, "dm", err, "%lld trials with a step of 0 would all be the same",
                            (long long)range->count);
    if (range->start < 0 || last < 0)
        return ct_step_fail(step, "dm", err,
                            "trials from %g to %g pc cm^-3; a dispersion measure is 0 or more",
                            range->start, last);
    if (!(range->start <= MOST_DM && last <= MOST_DM))
        return ct_step_fail(step, "dm", err, "trials from %g to %g pc cm^-3, expected at most %g",
                            range->start, last, MOST_DM);
    return CT_OK;
}

static ct_status fail_factors(const ct_step *step, const dedisp_trials *trials, const char *limit,
                              int64_t most, ct_error *err)
{
    return ct_step_fail(step, "dm", err,
                        "the least common multiple of the downsampling factors is %lld, %s %lld; "
                        "take factors that divide each other, such as 1, 2, 4, 8",
                        (long long)trials->coarsest, limit, (long long)most);
}

static ct_status read_ranges(ct_step *step, dedisp_trials *trials, ct_error *err)
{
    const ct_value *dm = ct_step_value(step, "dm");
    bool list = ct_value_kind(dm) == CT_LIST;
    size_t count = list ? ct_value_count(dm) : 1;
    ct_status status = CT_OK;

    if (count == 0) return ct_step_fail(step, "dm", err, "the list of ranges is empty");
    trials->range = ct_step_alloc(step, count * sizeof *trials->range);
    if (!trials->range) return CT_FAILED;
    trials->finest = 0; /* its divisor with n is n */
    trials->coarsest = 1;
    for (size_t k = 0; k < count && status == CT_OK; k++) {
        dedisp_range *range = &trials->range[k];
        status = read_range(step, range, list ? ct_value_at(dm, k) : dm, err);
        if (status != CT_OK) break;
        range->first = trials->count;
        trials->count += range->count;
        trials->finest = ct_common_divisor(trials->finest, range->downsample);
        trials->coarsest *=
            range->downsample / ct_common_divisor(trials->coarsest, range->downsample);
        if (trials->count > MOST_TRIALS)
            return ct_step_fail(step, "dm", err, "%lld trials, expected at most %d",
                                (long long)trials->count, MOST_TRIALS);
        if (trials->coarsest > MOST_DOWNSAMPLE)
            return fail_factors(step, trials, "expected at most", MOST_DOWNSAMPLE, err);
    }
    trials->ranges = (int64_t)count;
    return status;
}

/* ---- the channel mask */

static ct_status mask_span(const ct_step *step, dedisp_trials *trials, const ct_value *item,
                           ct_error *err)
{
    bool pair = ct_value_kind(item) == CT_LIST && ct_value_count(item) == 2;
    const ct_value *low = pair ? ct_value_at(item, 0) : item;
    const ct_value *high = pair ? ct_value_at(item, 1) : item;

    if (ct_value_kind(low) != CT_INT || ct_value_kind(high) != CT_INT)
        return ct_step_fail(step, "mask", err,
                            "expected channel numbers and [first, last] pairs of them");
    int64_t first = ct_value_int(low, -1), last = ct_value_int(high, -1);
    if (first < 0 || last < first || last >= trials->channels)
        return ct_step_fail(step, "mask", err,
                            "channels %lld to %lld, expected an ascending range within 0 to %lld",
                            (long long)first, (long long)last, (long long)trials->channels - 1);
    for (int64_t c = first; c <= last; c++)
        trials->masked[c] = true;
    return CT_OK;
}

static ct_status read_mask(ct_step *step, dedisp_trials *trials, ct_error *err)
{
    const ct_value *mask = ct_step_value(step, "mask");
    ct_status status = CT_OK;

    trials->masked = ct_step_alloc(step, (size_t)trials->channels * sizeof(bool));
    if (!trials->masked) return CT_FAILED;
    if (ct_value_kind(mask) != CT_NULL && ct_value_kind(mask) != CT_LIST)
        return ct_step_fail(step, "mask", err,
                            "expected a list of channel numbers and [first, last] pairs");
    for (size_t k = 0; k < ct_value_count(mask) && status == CT_OK; k++)
        status = mask_span(step, trials, ct_value_at(mask, k), err);
    for (int64_t c = 0; c < trials->channels; c++)
        trials->used += !trials->masked[c];
    if (status == CT_OK && trials->used == 0)
        return ct_step_fail(step, "mask", err, "all %lld channels are masked",
                            (long long)trials->channels);
    return status;
}

/* ---- what the input must tell */

static ct_status read_input(const ct_step *step, dedisp_trials *trials, ct_error *err)
{
    const ct_array *x = ct_step_array(step, "X");
    const ct_meta *meta = &x->meta;

    trials->channels = ct_array_extent(x, 'C');
    if (meta->frequency_hz == NULL || meta->frequencies != trials->channels)
        return ct_step_fail(step, NULL, err,
                            "the input's channel frequencies are not known: give the source "
                            "frequency_hz (%lld channels)",
                            (long long)trials->channels);
    if (!(meta->sample_time_s > 0))
        return ct_step_fail(step, NULL, err,
                            "the input's sample time is not known: give the source sample_time_s");
    for (int64_t c = 0; c < trials->channels; c++) {
        const double frequency_hz = meta->frequency_hz[c];
        if (!(frequency_hz >= LEAST_HZ && frequency_hz <= MOST_HZ))
            return ct_step_fail(step, NULL, err,
                                "channel %lld has a frequency of %g Hz, expected %g to %g",
                                (long long)c, frequency_hz, LEAST_HZ, MOST_HZ);
        trials->reference_hz = fmax(trials->reference_hz, meta->frequency_hz[c]);
    }
    trials->frequency_hz = meta->frequency_hz;
    trials->sample_time_s = meta->sample_time_s;
    return CT_OK;
}

/* Delays grow with DM and fall with frequency: the ends of each range and the lowest channel tell.
 */
static int64_t longest_sweep(const dedisp_trials *trials, dedisp_range *range)
{
    range->longest = 0;
    for (int64_t c = 0; c < trials->channels; c++)
        for (int end = 0; end < 2; end++) {
            int64_t trial = range->first + (end ? range->count - 1 : 0);
            int64_t shift = ct_trials_shift(trials, trial, c);
            if (shift > range->longest) range->longest = shift;
        }
    return range->longest * range->downsample;
}

static int64_t round_up(int64_t value, int64_t unit)
{
    return unit > 0 ? (value + unit - 1) / unit * unit : value;
}

static ct_status measure_sweep(const ct_step *step, dedisp_trials *trials, ct_error *err)
{
    int64_t total = ct_step_array(step, "X")->meta.total, longest = 0;
    for (int64_t k = 0; k < trials->ranges; k++) {
        int64_t samples = longest_sweep(trials, &trials->range[k]);
        if (samples > longest) longest = samples;
    }
    trials->longest = round_up(longest, trials->coarsest);
    if (trials->coarsest != trials->finest) trials->longest += trials->coarsest; /* held values */
    if (trials->longest >= MOST_SHIFT / 2)
        return ct_step_fail(step, "dm", err,
                            "the longest sweep takes %lld samples or more, expected fewer than %d",
                            (long long)longest, MOST_SHIFT / 2);
    if (total >= 0 && trials->longest + trials->finest > total &&
        longest + trials->finest <= total && trials->coarsest > longest)
        return fail_factors(step, trials, "but the samples of the input are", total, err);
    if (total >= 0 && trials->longest + trials->finest > total)
        return ct_step_fail(step, "dm", err,
                            "the longest sweep takes %lld samples (%g s), but the input has %lld; "
                            "lower the largest DM",
                            (long long)longest, (double)longest * trials->sample_time_s,
                            (long long)total);
    return CT_OK;
}

static const struct {
    const char *name;
    double added;
} roundings[] = {DEDISP_ROUNDINGS(CT_ROW)};

ct_status ct_trials_make(ct_step *step, ct_error *err)
{
    dedisp_trials *trials = ct_step_alloc(step, sizeof *trials);
    if (!trials) return CT_FAILED;
    ct_status status = read_input(step, trials, err);

    trials->constant = ct_step_real(step, "dm_constant");
    trials->rounding = roundings[ct_step_choice(step, "rounding")].added;
    if (status == CT_OK) status = read_ranges(step, trials, err);
    if (status == CT_OK) status = read_mask(step, trials, err);
    if (status == CT_OK) status = measure_sweep(step, trials, err);
    if (status == CT_OK) status = ct_subbands_make(step, trials, err);
    step->state = trials;
    return status;
}
