/* candidates_tables.c: the list as tables that other programs read: PRESTO's .singlepulse,
 * heimdall's .cand, and the columns of DSA-110's T2. Room: io/candidates. Knows these formats. Does
 * not know how candidates are found. */
#include "candidates.h"

static int64_t ratio_of(const ct_candidates *c, const ct_listed *one)
{
    return ct_candidates_ratio(c, one->peak.trial);
}

/* The sample of the time axis nearest to the boxcar's centre. */
static int64_t place_of(const ct_candidates *c, const ct_listed *one)
{
    return (one->peak.sample + one->peak.width / 2) * ratio_of(c, one);
}

/* Of 2 to which power the boxcar is, in samples of the time axis. */
static int power_of(const ct_candidates *c, const ct_listed *one)
{
    int power = 0;
    for (int64_t width = one->peak.width * ratio_of(c, one); width > 1; width /= 2)
        power++;
    return power;
}

/* single_pulse_search.py: candidate.__str__; samples are those of the trial's .dat file. */
static ct_status print_singlepulse(ct_candidates *c, ct_output *out, ct_error *err)
{
    ct_status status =
        ct_output_print(out, err, "# DM      Sigma      Time (s)     Sample    Downfact\n");
    for (int64_t i = 0; status == CT_OK && i < c->bins->listed; i++) {
        const ct_peak *peak = &c->list[i].peak;
        status = ct_output_print(
            out, err, "%7.2f %7.2f %13.6f %10lld     %3lld\n", ct_candidates_dm(c, peak->trial),
            peak->snr, ct_candidates_time(c, peak), (long long)(peak->sample + peak->width / 2),
            (long long)peak->width);
    }
    return status;
}

/* S/N, sample, time, filter, trial, DM, members, begin, end. */
static ct_status print_cand(ct_candidates *c, ct_output *out, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t i = 0; status == CT_OK && i < c->bins->listed; i++) {
        const ct_listed *one = &c->list[i];
        status = ct_output_print(out, err, "%.6g\t%lld\t%.6f\t%d\t%lld\t%.6g\t%lld\t%lld\t%lld\n",
                                 one->peak.snr, (long long)place_of(c, one),
                                 ct_candidates_time(c, &one->peak), power_of(c, one),
                                 (long long)one->peak.trial, ct_candidates_dm(c, one->peak.trial),
                                 (long long)one->members, (long long)one->from, (long long)one->to);
    }
    return status;
}

/* The column "if" is heimdall's number of the block, which is none here. */
static ct_status print_t2(ct_candidates *c, ct_output *out, ct_error *err)
{
    const double start_mjd = c->array.meta.start_mjd;
    ct_status status =
        ct_output_print(out, err, "snr,if,itime,mjds,ibox,idm,dm,ibeam,cl,cntc,cntb\n");
    for (int64_t i = 0; status == CT_OK && i < c->bins->listed; i++) {
        const ct_listed *one = &c->list[i];
        status = ct_output_print(
            out, err, "%.6g,0,%lld,%.12f,%d,%lld,%.6g,%lld,%lld,%lld,%lld\n", one->peak.snr,
            (long long)place_of(c, one), start_mjd + ct_candidates_time(c, &one->peak) / 86400,
            power_of(c, one), (long long)one->peak.trial, ct_candidates_dm(c, one->peak.trial),
            (long long)(one->plane / c->products), (long long)i, (long long)one->members,
            (long long)one->beams);
    }
    return status;
}

const ct_candidates_table ct_candidates_tables[CT_CANDIDATES_TABLES] = {
    {"csv", ct_candidates_print_csv},
    {"singlepulse", print_singlepulse},
    {"heimdall", print_cand},
    {"t2", print_t2}};
