/* explain_forecast.c: what exchanges send, and what forecast.c predicts, in all forms.
 * Room: tuner/explain. Knows forecasts. */
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "explain_inner.h"

#include <math.h>
#include <stdio.h>

#include "exchange.h"
#include "forecast.h"
#include "json_text.h"
#include "text.h"

enum { STEP, SPLIT, FRACTION, SECONDS, SENDS, LINK, TRANSFER, COLUMNS };

void ct_explain_bytes(char out[32], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (bytes >= 1024.0 && unit < 4) {
        bytes /= 1024.0;
        unit++;
    }
    ct_number_print(out, 32, unit > 0 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

/* What the busiest rank sends, or gets. */
static double most_of(const ct_traffic *traffic)
{
    return fmax((double)traffic->sent, (double)traffic->received);
}

static void print_seconds(char out[32], double seconds)
{
    if (isnan(seconds))
        snprintf(out, 32, "unknown");
    else
        ct_number_print(out, 32, "%.3g ms", 1e3 * seconds);
}

void ct_explain_bytes_cell(ct_columns *columns, int column, double bytes)
{
    char text[32];
    ct_explain_bytes(text, bytes);
    ct_columns_cell(columns, column, "%s", text);
}

static void cell_seconds(ct_columns *columns, int column, double seconds)
{
    char text[32];
    print_seconds(text, seconds);
    ct_columns_cell(columns, column, "%s", text);
}

static void forecast_row(ct_columns *columns, const ct_plan *plan, int s)
{
    char text[CT_PARTITION_TEXT];
    const ct_plan_step *at = &plan->steps[s];
    const ct_forecast_step *forecast = &plan->forecast->step[s];
    ct_columns_row(columns);
    ct_columns_cell(columns, STEP, "  %s", at->name);
    cell_seconds(columns, SECONDS, forecast->seconds);
    if (at->node >= 0) {
        if (plan->partition)
            ct_columns_cell(columns, SPLIT, "%s",
                            ct_partition_print(text, &plan->partition[at->node]));
        ct_columns_cell(columns, FRACTION, "%.3g %%", 100 * forecast->fraction);
    } else if (ct_exchange_is(at->step)) {
        ct_explain_bytes_cell(columns, SENDS, most_of(&forecast->traffic));
        ct_explain_bytes_cell(columns, LINK, (double)forecast->traffic.link);
        cell_seconds(columns, TRANSFER, forecast->transfer_s);
    }
}

/* Sources and sinks, where something is known of them. */
static bool is_shown(const ct_plan *plan, int s)
{
    const ct_plan_step *at = &plan->steps[s];
    return at->node < 0 || ct_role_of(at->step) == CT_ROLE_KERNEL ||
           plan->forecast->step[s].seconds > 0;
}

static void forecast_table(ct_text *text, const ct_plan *plan)
{
    static const char *const titles[COLUMNS] = {"  step",  "split",    "share",  "device",
                                                "carries", "per link", "travels"};
    ct_columns columns = {.columns = COLUMNS, .right = "23456"};
    ct_columns_row(&columns);
    for (int c = 0; c < COLUMNS; c++)
        ct_columns_cell(&columns, c, "%s", titles[c]);
    for (int s = 0; s < plan->count; s++)
        if (is_shown(plan, s)) forecast_row(&columns, plan, s);
    ct_columns_print(text, &columns);
    ct_columns_free(&columns);
}

/* Of so many ranks' work, what is not spent on exchanges and uneven ranges. */
static double efficiency(const ct_plan *plan)
{
    return plan->forecast->one_s / plan->forecast->block_s / ct_ranks_size(plan->graph->ranks);
}

static void forecast_block(ct_text *text, const ct_plan *plan)
{
    char device[32], host[32], transfer[32], block[32], serial[32];
    const ct_forecast *forecast = plan->forecast;
    print_seconds(device, forecast->device_s);
    print_seconds(host, forecast->host_s);
    print_seconds(transfer, forecast->transfer_s);
    print_seconds(block, forecast->block_s);
    print_seconds(serial, forecast->serial_s);
    ct_text_add(text, "  block: %s on the device, ", device);
    if (forecast->host_s > 0) ct_text_add(text, "%s of the host's, ", host);
    ct_text_add(text, "%s travelling", transfer);
    if (isnan(forecast->block_s)) {
        ct_text_add(text, "\n");
        return;
    }
    if (ct_plan_overlaps(plan))
        ct_text_add(text, " beside that: %s, or %s with --in-step\n", block, serial);
    else
        ct_text_add(text, ": %s\n", block);
    if (forecast->io_s > 0 && forecast->io_s >= forecast->block_s)
        ct_text_add(text, "  that is what the slowest source or sink takes\n");
    ct_text_add(text, "  %.4g blocks/s, efficiency %.3g", 1 / forecast->block_s, efficiency(plan));
    if (plan->graph->block_s > 0)
        ct_text_add(text, ", %.3g times real time", plan->graph->block_s / forecast->block_s);
    ct_text_add(text, "\n");
}

static void forecast_unknown(ct_text *text, const ct_forecast_known *known)
{
    if (!known->measured)
        ct_text_add(text,
                    "  what steps take is unknown: --journal FILE, measured on one machine\n");
    else if (isnan(known->rate))
        ct_text_add(text, "  what packing takes is unknown: %s has no transpose\n",
                    known->measured);
    if (!known->network)
        ct_text_add(text, "  what travelling takes is unknown: --network, such as 100Gb/s,2us\n");
}

void ct_explain_forecast(ct_text *text, const ct_plan *plan)
{
    const int ranks = ct_ranks_size(plan->graph->ranks);
    if (!plan->forecast) return;
    ct_text_add(text, "\nforetold for %d rank%s", ranks, ranks == 1 ? "" : "s");
    if (plan->forecast->known.measured)
        ct_text_add(text, ", from %s", plan->forecast->known.measured);
    if (plan->forecast->known.network)
        ct_text_add(text, ", each at %.6g Gb/s, %.6g us a message",
                    8e-9 * plan->forecast->network.bandwidth,
                    1e6 * plan->forecast->network.latency_s);
    ct_text_add(text, "%s\n", plan->forecast->io_s > 0 ? "" : "; sources and sinks left out");
    forecast_table(text, plan);
    forecast_block(text, plan);
    forecast_unknown(text, &plan->forecast->known);
}

/* ---- for programs */

static void add_known(ct_text *json, const char *key, double value)
{
    if (!isnan(value)) ct_json_add_real(json, key, value);
}

void ct_explain_forecast_step(ct_text *json, const ct_plan *plan, int s)
{
    ct_traffic traffic;
    char text[CT_PARTITION_TEXT];
    const ct_plan_step *at = &plan->steps[s];
    const ct_forecast_step *forecast = plan->forecast ? &plan->forecast->step[s] : NULL;
    if (plan->partition && at->node >= 0)
        ct_json_add_text(json, "split", ct_partition_print(text, &plan->partition[at->node]));
    if (forecast && at->node >= 0) ct_json_add_real(json, "share", forecast->fraction);
    if (forecast) add_known(json, "seconds", forecast->seconds);
    if (!ct_exchange_is(at->step)) return;
    if (ct_forecast_traffic(&traffic, plan, at, NULL) != CT_OK) ct_text_lacks(json, 0);
    ct_json_open(json, "exchange", '{');
    ct_json_add_int(json, "sent", traffic.sent);
    ct_json_add_int(json, "received", traffic.received);
    ct_json_add_int(json, "link", traffic.link);
    ct_json_add_int(json, "messages", traffic.messages);
    if (forecast) add_known(json, "travel_s", forecast->transfer_s);
    ct_json_close(json, '}');
}

void ct_explain_forecast_json(ct_text *json, const ct_plan *plan)
{
    const ct_forecast *forecast = plan->forecast;
    if (plan->partition) ct_json_add_int(json, "ranks", ct_ranks_size(plan->graph->ranks));
    if (!forecast) return;
    ct_json_open(json, "foretold", '{');
    if (forecast->known.measured) ct_json_add_text(json, "measured", forecast->known.measured);
    if (forecast->known.network) {
        ct_json_add_real(json, "bandwidth", forecast->network.bandwidth);
        ct_json_add_real(json, "latency_s", forecast->network.latency_s);
    }
    add_known(json, "packing_rate", forecast->known.rate);
    add_known(json, "one_s", forecast->one_s);
    add_known(json, "device_s", forecast->device_s);
    ct_json_add_real(json, "host_s", forecast->host_s);
    ct_json_add_real(json, "io_s", forecast->io_s);
    add_known(json, "travel_s", forecast->transfer_s);
    add_known(json, "block_s", forecast->block_s);
    add_known(json, "apart_s", forecast->serial_s);
    ct_json_add_bool(json, "hidden", ct_plan_overlaps(plan));
    if (!isnan(forecast->block_s)) {
        add_known(json, "efficiency", efficiency(plan));
    }
    ct_json_close(json, '}');
}

void ct_explain_forecast_dot(ct_text *text, const ct_plan *plan, int s)
{
    ct_traffic traffic;
    char sent[32], link[32], seconds[32];
    const ct_plan_step *at = &plan->steps[s];
    const ct_forecast_step *forecast = plan->forecast ? &plan->forecast->step[s] : NULL;
    if (forecast && is_shown(plan, s)) {
        print_seconds(seconds, forecast->seconds);
        ct_text_add(text, "\\n%s", seconds);
    }
    if (!ct_exchange_is(at->step)) return;
    if (ct_forecast_traffic(&traffic, plan, at, NULL) != CT_OK) ct_text_lacks(text, 0);
    ct_explain_bytes(sent, most_of(&traffic));
    ct_explain_bytes(link, (double)traffic.link);
    ct_text_add(text, "\\n%s, %s per link", sent, link);
    if (!forecast) return;
    print_seconds(seconds, forecast->transfer_s);
    ct_text_add(text, "\\ntravels %s", seconds);
}
