/* tune_summary.c: see tune_summary.h.
 * Room: cli. Knows what a plan's "tuned" holds. Does not know how it was found. */
#include "tune_summary.h"

#include <stdio.h>

/* Where the time went. */
static void summary_account(const ct_value *spent)
{
    double all = 0;
    for (size_t i = 0; i < ct_value_count(spent); i++)
        all += ct_value_real(ct_value_at(spent, i), 0);
    for (size_t i = 0; i < ct_value_count(spent); i++)
        fprintf(stderr, "%s%s %.0f", i ? ", " : "", ct_value_key(spent, i),
                ct_value_real(ct_value_at(spent, i), 0));
    if (all > 0) fprintf(stderr, ": %.0f s in all\n", all);
}

static double summary_real(const ct_value *tuned, const char *key, double otherwise)
{
    return ct_value_real(ct_value_get(tuned, key), otherwise);
}

/* What its seconds are of: of a second of signal; of a sample, where there is no time; of a block,
 * where a plan of an earlier version does not say how long that is. */
typedef struct summary_unit {
    double per;
    const char *of;
} summary_unit;

static summary_unit summary_unit_of(const ct_value *tuned)
{
    const double signal_s = summary_real(tuned, "signal_s", 0),
                 samples = summary_real(tuned, "samples", 0);
    if (signal_s > 0) return (summary_unit){1 / signal_s, "second of signal"};
    return samples > 0 ? (summary_unit){1 / samples, "sample"} : (summary_unit){1, "block"};
}

/* The block that was chosen, and what it has gained by itself. */
static void summary_block(const ct_value *block)
{
    if (!block) return;
    fprintf(stderr, "a block of %lld samples instead of %lld: %.2f of the time (%.2f to %.2f)\n",
            (long long)ct_value_int(ct_value_get(block, "samples"), 0),
            (long long)ct_value_int(ct_value_get(block, "default_samples"), 0),
            summary_real(block, "ratio", 1), summary_real(block, "low", 1),
            summary_real(block, "high", 1));
}

/* How good the plan is, from what it says of itself. */
void ct_tune_summary_print(const char *file, const ct_value *tuned)
{
    const summary_unit unit = summary_unit_of(tuned);
    const double seconds = summary_real(tuned, "seconds", 0);
    const double bound = summary_real(tuned, "bound_seconds", 0);
    const double low = summary_real(tuned, "low", 1), high = summary_real(tuned, "high", 1);
    fprintf(stderr, "%s: %.2f of the default plan's time", file, summary_real(tuned, "ratio", 1));
    if (low < high) fprintf(stderr, " (%.2f to %.2f)", low, high);
    fprintf(stderr, ", %.3g s per %s\n", unit.per * seconds, unit.of);
    summary_block(ct_value_get(tuned, "block"));
    fprintf(stderr, "%lld measurements of %lld cells and their transposes",
            (long long)ct_value_int(ct_value_get(tuned, "measured"), 0),
            (long long)ct_value_int(ct_value_get(tuned, "space"), 0));
    if (bound > 0 && bound < seconds)
        fprintf(stderr, "; at best %.3g s: %.2g s less by noise, %.2g s by what is only predicted",
                unit.per * bound, unit.per * summary_real(tuned, "noise_seconds", 0),
                unit.per * summary_real(tuned, "model_seconds", 0));
    fprintf(stderr, "%s\n",
            ct_value_bool(ct_value_get(tuned, "complete"), false)
                ? ""
                : "; the search did not come to its end");
    const long long disturbed = (long long)ct_value_int(ct_value_get(tuned, "disturbed"), 0);
    if (disturbed > 0)
        fprintf(stderr, "timings beside other work of the machine: %lld\n", disturbed);
    summary_account(ct_value_get(tuned, "spent"));
}
