/* candidates_text.c: what was found, as JSON, and as a table with the columns of PRESTO's
 * single-pulse search.
 * Room: io/candidates. Knows both formats. Does not know how pulses are found. */
#include "candidates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ct_candidates_axis(const ct_candidates *c)
{
    const ct_product *first = ct_array_product(&c->array, 0);
    if (c->products < 2) return "";
    return first && strcmp(first->kind, "Stokes") == 0 ? "Stokes" : "Product";
}

void ct_candidates_product(char out[24], const ct_candidates *c, int64_t plane)
{
    const int64_t number = plane % c->products;
    const ct_product *product = ct_array_product(&c->array, number);
    out[0] = 0;
    if (c->products > 1 && product)
        snprintf(out, 24, "%s", product->name);
    else if (c->products > 1)
        snprintf(out, 24, "%lld", (long long)number);
}

/* `"stokes": "U", `, `"product": "AA", `, or its number where it has no name, or nothing. */
static void print_product(char out[64], const ct_candidates *c, int64_t plane)
{
    char product[24];
    const char *quote = ct_array_product(&c->array, 0) ? "\"" : "";
    ct_candidates_product(product, c, plane);
    out[0] = 0;
    if (c->products > 1)
        snprintf(out, 64, "\"%s\": %s%s%s, ",
                 ct_candidates_axis(c)[0] == 'S' ? "stokes" : "product", quote, product, quote);
}

/* `"beam": 1, "stokes": "U", `, then what was found there; null where there was nothing. */
static ct_status print_peak(ct_candidates *c, int64_t plane, const ct_peak *peak, const char *end,
                            ct_error *err)
{
    const double spacing = ct_candidates_spacing(c);
    const long long beam = plane / c->products;
    char product[64];
    print_product(product, c, plane);
    if (!(peak->snr > 0.0))
        return ct_output_print(&c->json, err,
                               "{\"beam\": %lld, %s\"dm\": null, \"time_s\": null, "
                               "\"width_s\": null, \"snr\": null}",
                               beam, product);
    return ct_output_print(
        &c->json, err,
        "{\"beam\": %lld, %s\"dm\": %.6g, \"time_s\": %.6f, \"width_s\": %.6g, "
        "\"snr\": %.2f%s",
        beam, product, ct_candidates_dm(c, peak->trial), ct_candidates_time(c, peak),
        spacing * (double)(peak->width * ct_candidates_ratio(c, peak->trial)), peak->snr, end);
}

static ct_status print_best(ct_candidates *c, int64_t plane, ct_error *err)
{
    return print_peak(c, plane, &c->best[plane], "}", err);
}

/* So many digits; `unknown` where there is no number. */
static const char *number_text(char out[32], int digits, double number, const char *unknown)
{
    if (!isfinite(number)) return unknown;
    ct_number_print(out, 32, "%.*g", digits, number);
    return out;
}

static double time_of(const ct_candidates *c, int64_t sample)
{
    return c->array.meta.start_s + ct_candidates_spacing(c) * ((double)sample - 0.5);
}

/* What its rows say together. */
static ct_status print_rows(ct_candidates *c, const ct_listed *one, ct_error *err)
{
    char sure[32], low[32], often[32];
    const char *mark = ct_list_mark(c, one), *quote = &"\""[!mark[0]];
    return ct_output_print(
        &c->json, err,
        ", \"dm_low\": %.6g, \"dm_high\": %.6g, \"dm_error\": %s, \"begin_s\": %.6f, "
        "\"end_s\": %.6f, \"members\": %lld, \"in_beams\": %lld, \"snr_lowest_dm\": %s, "
        "\"false_per_hour\": %s, \"mark\": %s%s%s}",
        one->dm_low, one->dm_high, number_text(sure, 3, ct_list_dm_error(c, one), "null"),
        time_of(c, one->from), time_of(c, one->to), (long long)one->members, (long long)one->beams,
        number_text(low, 5, one->snr_first > 0 ? one->snr_first : NAN, "null"),
        number_text(often, 3, ct_list_false_per_hour(c, one), "null"), quote,
        mark[0] ? mark : "null", quote);
}

/* All candidates: what was above the threshold, where that was told from the rest. */
static ct_status print_pulses(ct_candidates *c, ct_error *err)
{
    ct_status status = ct_output_print(&c->json, err, ",\n\"pulses\": [");
    for (int64_t i = 0; status == CT_OK && i < c->bins->listed; i++) {
        status = ct_output_print(&c->json, err, "%s\n  ", i > 0 ? "," : "");
        if (status == CT_OK) status = print_peak(c, c->list[i].plane, &c->list[i].peak, "", err);
        if (status == CT_OK) status = print_rows(c, &c->list[i], err);
    }
    if (status != CT_OK) return status;
    return ct_output_print(&c->json, err,
                           "],\n\"crowded\": %lld, \"merged\": %lld, \"dropped\": %lld, "
                           "\"unlisted\": %lld",
                           (long long)c->bins->crowded, (long long)c->friends.kept->merged,
                           (long long)c->bins->dropped, (long long)c->bins->unlisted);
}

/* What was searched, over all series. */
static ct_status print_counts(ct_candidates *c, ct_error *err)
{
    int64_t samples = 0, left_out = 0, no_noise = 0;
    for (int64_t row = 0; row < c->search.count; row++) {
        samples += c->search.series[row].samples;
        left_out += c->search.series[row].left_out;
        no_noise += c->search.series[row].no_noise;
    }
    return ct_output_print(&c->json, err,
                           ",\n\"samples\": %lld, \"left_out\": %lld, \"no_noise\": %lld",
                           (long long)samples, (long long)left_out, (long long)no_noise);
}

ct_status ct_candidates_print_json(ct_candidates *c, ct_error *err)
{
    ct_status status = ct_output_print(&c->json, err, "{\n\"best\": ");
    if (status == CT_OK) status = print_best(c, ct_candidates_best(c), err);
    if (status == CT_OK) status = ct_output_print(&c->json, err, ",\n\"beams\": [");
    for (int64_t plane = 0; status == CT_OK && plane < c->planes; plane++) {
        status = ct_output_print(&c->json, err, "%s\n  ", plane > 0 ? "," : "");
        if (status == CT_OK) status = print_best(c, plane, err);
    }
    if (status == CT_OK) status = ct_output_print(&c->json, err, "]");
    if (status == CT_OK && c->bins) status = print_pulses(c, err);
    if (status == CT_OK) status = print_counts(c, err);
    const char *incomplete = ct_step_incomplete(c->step);
    if (status == CT_OK && incomplete)
        status = ct_output_print(&c->json, err, ",\n\"incomplete\": \"%s\"", incomplete);
    if (status == CT_OK) status = ct_output_print(&c->json, err, "\n}\n");
    return status;
}

/* ---- CSV */

#define MORE "DM_low,DM_high,DM_error,Begin,End,Members,Beams,Sigma_lowest_DM,False_per_hour,Mark"

static ct_status print_more(ct_candidates *c, ct_output *out, const ct_listed *one, ct_error *err)
{
    char sure[32], low[32], often[32];
    return ct_output_print(
        out, err, ",%.6g,%.6g,%s,%.6f,%.6f,%lld,%lld,%s,%s,%s\n", one->dm_low, one->dm_high,
        number_text(sure, 3, ct_list_dm_error(c, one), ""), time_of(c, one->from),
        time_of(c, one->to), (long long)one->members, (long long)one->beams,
        number_text(low, 5, one->snr_first > 0 ? one->snr_first : NAN, ""),
        number_text(often, 3, ct_list_false_per_hour(c, one), ""), ct_list_mark(c, one));
}

/* The sample nearest to the boxcar's centre, at the trial's own rate. */
static ct_status print_row(ct_candidates *c, ct_output *out, const ct_listed *one, ct_error *err)
{
    char product[24];
    const ct_peak *peak = &one->peak;
    ct_candidates_product(product, c, one->plane);
    const ct_status status = ct_output_print(
        out, err, "%.6g,%.2f,%.6f,%lld,%lld,%lld%s%s", ct_candidates_dm(c, peak->trial), peak->snr,
        ct_candidates_time(c, peak), (long long)(peak->sample + peak->width / 2),
        (long long)peak->width, (long long)(one->plane / c->products), &","[!product[0]], product);
    return status == CT_OK ? print_more(c, out, one, err) : status;
}

ct_status ct_candidates_print_csv(ct_candidates *c, ct_output *out, ct_error *err)
{
    const char *axis = ct_candidates_axis(c);
    ct_status status = ct_output_print(
        out, err, "DM,Sigma,Time,Sample,Downfact,Beam%s%s," MORE "\n", axis[0] ? "," : "", axis);
    for (int64_t i = 0; status == CT_OK && i < c->bins->listed; i++)
        status = print_row(c, out, &c->list[i], err);
    return status;
}
