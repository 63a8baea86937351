/* candidates_list.c: the list of candidates, and what is said of each: how sure its DM is, how
 * often noise does the same, what speaks against it. Room: io/candidates. Knows what was found and
 * searched. Does not know files. */
#include <math.h>
#include <stdlib.h>

#include "candidates.h"

#define DISPERSION 4.148808e3 /* MHz^2 pc^-1 cm^3 s */
#define ALIKE 0.9             /* of S/N, with which the lowest trial is as good as the best */
/* Of a pulse in a trial of another DM: what is left of its S/N counts from LEAST_LEFT sigma on, is
 * up to UNEVEN times as much where the band is brighter, and noise adds up to NOISE_MOST. */
#define LEAST_LEFT 0.5
#define UNEVEN 3
#define NOISE_MOST 6

/* ---- the list */

double ct_candidates_spacing(const ct_candidates *c)
{
    return c->array.meta.sample_time_s > 0.0 ? c->array.meta.sample_time_s : 1.0;
}

static int strongest_first(const void *a, const void *b)
{
    const ct_listed *x = a, *y = b;
    if (x->peak.snr > y->peak.snr || x->peak.snr < y->peak.snr)
        return x->peak.snr > y->peak.snr ? -1 : 1;
    if (x->plane != y->plane) return x->plane < y->plane ? -1 : 1;
    if (x->peak.trial != y->peak.trial) return x->peak.trial < y->peak.trial ? -1 : 1;
    return (x->peak.sample > y->peak.sample) - (x->peak.sample < y->peak.sample);
}

/* Of the best boxcar, in samples along the time axis. */
static double width_of(const ct_candidates *c, const ct_listed *one)
{
    return (double)(one->peak.width * ct_candidates_ratio(c, one->peak.trial));
}

static double first_of(const ct_candidates *c, const ct_listed *one)
{
    return (double)(one->peak.sample * ct_candidates_ratio(c, one->peak.trial));
}

static ct_listed listed_of(const ct_group *group, int64_t beams)
{
    const ct_row *best = &group->best;
    return (ct_listed){.peak = {best->snr, best->sample, best->width, best->trial},
                       .plane = best->plane,
                       .members = group->members,
                       .beams = beams,
                       .dm_low = group->dm_low,
                       .dm_high = group->dm_high,
                       .from = group->from,
                       .to = group->to,
                       .widest = group->widest,
                       .snr_first = group->snr_first};
}

/* Candidates of the second in which the stream is now are the last ones of the list. */
static ct_listed *weakest_of_second(ct_candidates *c)
{
    ct_listed *weakest = c->list + c->bins->second_from;
    for (int64_t i = c->bins->second_from + 1; i < c->bins->listed; i++)
        if (strongest_first(&c->list[i], weakest) > 0) weakest = &c->list[i];
    return weakest;
}

void ct_list_add(void *of, const ct_group *group, int64_t beams)
{
    ct_candidates *c = of;
    ct_bins *bins = c->bins;
    const ct_listed one = listed_of(group, beams);
    const double now_s = (double)(c->friends.kept->bin * bins->bin) * ct_candidates_spacing(c);
    const int64_t second = (int64_t)floor(now_s);
    if (second != bins->second) bins->second_from = bins->listed;
    bins->second = second;
    if (bins->listed - bins->second_from >= ct_step_int(c->step, "most_per_s")) {
        ct_listed *weakest = weakest_of_second(c);
        if (strongest_first(&one, weakest) < 0) *weakest = one;
        bins->dropped++;
    } else if (bins->listed < CT_CANDIDATES_LISTED) {
        c->list[bins->listed++] = one;
    } else {
        bins->unlisted++;
    }
}

/* ---- what a stronger one explains */

/* A single pulse cannot last longer than what its trials differ by, and the boxcars at both ends.
 */
static bool is_drifting(const ct_candidates *c, const ct_listed *one)
{
    const double most = c->friends.sweep * (one->dm_high - one->dm_low) + 4 * (double)one->widest;
    return c->friends.sweep > 0 && (double)(one->to - one->from) > most;
}

/* In a trial of another DM a pulse is smeared over what that moves the band's ends against each
 * other, and a boxcar there holds a part of it. What is beyond is noise. */
static bool is_explained(const ct_candidates *c, const ct_listed *weak, const ct_listed *by)
{
    const double dm = ct_candidates_dm(c, by->peak.trial) - ct_candidates_dm(c, weak->peak.trial);
    const double smear = c->friends.sweep * dm, wide = width_of(c, weak), own = width_of(c, by);
    const double near = fmax(wide, own), from = first_of(c, weak);
    const bool long_one = is_drifting(c, by); /* any moment of it may have made the other */
    const double begin = long_one ? (double)by->from : first_of(c, by);
    const double end = long_one ? (double)by->to : first_of(c, by) + own;
    if (from + wide < begin + fmin(smear, 0) - near || from > end + fmax(smear, 0) + near)
        return false;
    const double left = by->peak.snr * sqrt(wide * own) / fmax(fabs(smear), near);
    return left >= LEAST_LEFT && weak->peak.snr <= UNEVEN * left + NOISE_MOST;
}

static void add_listed(ct_listed *to, const ct_listed *one)
{
    to->members += one->members;
    if (one->beams > to->beams) to->beams = one->beams;
    to->dm_low = fmin(to->dm_low, one->dm_low);
    to->dm_high = fmax(to->dm_high, one->dm_high);
    if (one->from < to->from) to->from = one->from;
    if (one->to > to->to) to->to = one->to;
    if (one->widest > to->widest) to->widest = one->widest;
    to->snr_first = fmax(to->snr_first, one->snr_first);
}

/* The strongest first, each takes the weaker ones that it explains. */
static void take_explained(ct_candidates *c)
{
    ct_listed *list = c->list;
    for (int64_t i = 0; c->friends.sweep > 0 && i < c->bins->listed; i++) {
        int64_t left = i + 1;
        for (int64_t k = i + 1; k < c->bins->listed; k++)
            if (is_explained(c, &list[k], &list[i]))
                add_listed(&list[i], &list[k]);
            else
                list[left++] = list[k];
        c->bins->listed = left;
    }
}

void ct_list_finish(ct_candidates *c)
{
    qsort(c->list, (size_t)c->bins->listed, sizeof *c->list, strongest_first);
    take_explained(c);
}

/* ---- one of them */

double ct_candidates_sweep(const ct_candidates *c)
{
    const ct_meta *meta = &c->array.meta;
    const double channels = meta->header ? (double)meta->header->channels : 0;
    if (!meta->frequency_hz || meta->frequencies < 1 || !meta->dm) return 0;
    const double high = 1e-6 * meta->frequency_hz[0], band = 1e-6 * fabs(meta->channel_width_hz);
    const double low = high - (channels > 1 ? band * (1 - 1 / channels) : band);
    if (!(low > 0 && low < high && meta->sample_time_s > 0)) return 0;
    return DISPERSION * (1 / (low * low) - 1 / (high * high)) / meta->sample_time_s;
}

/* The larger of the distances to the trials beside it. */
static double step_at(const ct_candidates *c, int64_t trial)
{
    const double dm = ct_candidates_dm(c, trial);
    const double before = trial > 0 ? fabs(dm - ct_candidates_dm(c, trial - 1)) : 0;
    const double after = trial + 1 < c->trials ? fabs(ct_candidates_dm(c, trial + 1) - dm) : 0;
    return fmax(before, after);
}

/* Of a Gaussian pulse of full width w at half of its height in an evenly filled band, whose
 * channels' delays have an rms of sweep / sqrt(12): sigma(DM) = w / 2.355 sqrt(12) / sweep / snr.
 * With the trials' spacing, whose places are evenly likely. */
double ct_list_dm_error(const ct_candidates *c, const ct_listed *one)
{
    const double sweep = c->friends.sweep, step = step_at(c, one->peak.trial);
    if (!(sweep > 0)) return NAN;
    return hypot(1.47 * width_of(c, one) / (sweep * one->peak.snr), step / sqrt(12));
}

/* A boxcar of w samples, moved one by one, is above u independently at most min(1, u^2 / w) times
 * for each sample (J. Pickands 1969, for triangular correlation). Widths are powers of two. */
static double chances_each(double u)
{
    double sum = 0;
    for (double w = 1; w < 1e6; w *= 2)
        sum += fmin(1, u * u / w);
    return sum;
}

double ct_list_false_per_hour(const ct_candidates *c, const ct_listed *one)
{
    const double u = one->peak.snr,
                 hours = ct_candidates_spacing(c) * (double)c->search.samples / 3600;
    double samples = 0;
    for (int64_t i = 0; i < c->search.count; i++)
        samples += (double)c->search.series[i].samples;
    return hours > 0 ? samples * chances_each(u) * 0.5 * erfc(u / sqrt(2)) / hours : NAN;
}

/* The lowest trial cannot be told from DM 0. */
static bool is_like_zero(const ct_candidates *c, const ct_listed *one)
{
    const double sweep = c->friends.sweep * fabs(ct_candidates_dm(c, c->friends.first));
    return sweep <= width_of(c, one) && one->snr_first >= ALIKE * one->peak.snr &&
           (c->friends.sweep > 0 || !(ct_candidates_dm(c, c->friends.first) > 0));
}

const char *ct_list_mark(const ct_candidates *c, const ct_listed *one)
{
    const double dm = ct_candidates_dm(c, one->peak.trial);
    double highest = dm;
    for (int64_t d = 0; d < c->trials; d++)
        highest = fmax(highest, ct_candidates_dm(c, d));
    if (is_like_zero(c, one)) return "zero-dm";
    if (is_drifting(c, one)) return "drifting";
    if (c->trials < 2) return "";
    if (one->peak.trial == c->friends.first) return "lowest-dm";
    return dm < highest ? "" : "highest-dm";
}
