/* explain_cost.c: see explain_cost.h. Room: core/plan. Knows what plan_cost.c has worked out. */
#include "explain_cost.h"

#include <math.h>
#include <stdio.h>

#include "columns.h"
#include "exchange.h"
#include "json_text.h"
#include "plan_cost.h"
#include "text.h"

enum { STEP, SPLIT, SHARE, SECONDS, SENDS, LINK, TRAVELS, COLUMNS };

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

static void print_seconds(char out[32], double seconds)
{
    if (isnan(seconds))
        snprintf(out, 32, "unknown");
    else
        ct_number_print(out, 32, "%.3g ms", 1e3 * seconds);
}

static void cell_bytes(ct_columns *columns, int column, int64_t bytes)
{
    char text[32];
    ct_explain_bytes(text, (double)bytes);
    ct_columns_cell(columns, column, "%s", text);
}

static void cell_seconds(ct_columns *columns, int column, double seconds)
{
    char text[32];
    print_seconds(text, seconds);
    ct_columns_cell(columns, column, "%s", text);
}

static void cost_row(ct_columns *columns, const ct_plan *plan, int s)
{
    char text[CT_PARTITION_TEXT];
    const ct_plan_step *at = &plan->steps[s];
    const ct_step_cost *cost = &plan->cost->step[s];
    ct_columns_row(columns);
    ct_columns_cell(columns, STEP, "  %s", at->name);
    cell_seconds(columns, SECONDS, cost->seconds);
    if (at->node >= 0) {
        if (plan->partition)
            ct_columns_cell(columns, SPLIT, "%s",
                            ct_partition_print(text, &plan->partition[at->node]));
        ct_columns_cell(columns, SHARE, "%.3g %%", 100 * cost->share);
    } else if (ct_exchange_is(at->step)) {
        cell_bytes(columns, SENDS,
                   cost->moved.sent > cost->moved.received ? cost->moved.sent
                                                           : cost->moved.received);
        cell_bytes(columns, LINK, cost->moved.link);
        cell_seconds(columns, TRAVELS, cost->travel_s);
    }
}

/* Sources and sinks, where something is known of them. */
static bool is_told(const ct_plan *plan, int s)
{
    const ct_plan_step *at = &plan->steps[s];
    return at->node < 0 || ct_role_of(at->step) == CT_ROLE_KERNEL ||
           plan->cost->step[s].seconds > 0;
}

static void cost_table(ct_text *text, const ct_plan *plan)
{
    static const char *const titles[COLUMNS] = {"  step",  "split",    "share",  "device",
                                                "carries", "per link", "travels"};
    ct_columns columns = {.columns = COLUMNS, .right = "23456"};
    ct_columns_row(&columns);
    for (int c = 0; c < COLUMNS; c++)
        ct_columns_cell(&columns, c, "%s", titles[c]);
    for (int s = 0; s < plan->count; s++)
        if (is_told(plan, s)) cost_row(&columns, plan, s);
    ct_columns_print(text, &columns);
    ct_columns_free(&columns);
}

/* Of so many ranks' work, what is not spent on exchanges and uneven shares. */
static double efficiency(const ct_plan *plan)
{
    return plan->cost->one_s / plan->cost->block_s / ct_ranks_size(plan->graph->ranks);
}

static void cost_block(ct_text *text, const ct_plan *plan)
{
    char device[32], host[32], travel[32], block[32], apart[32];
    const ct_plan_cost *cost = plan->cost;
    print_seconds(device, cost->device_s);
    print_seconds(host, cost->host_s);
    print_seconds(travel, cost->travel_s);
    print_seconds(block, cost->block_s);
    print_seconds(apart, cost->apart_s);
    ct_text_add(text, "  block: %s on the device, ", device);
    if (cost->host_s > 0) ct_text_add(text, "%s of the host's, ", host);
    ct_text_add(text, "%s travelling", travel);
    if (isnan(cost->block_s)) {
        ct_text_add(text, "\n");
        return;
    }
    if (ct_plan_overlaps(plan))
        ct_text_add(text, " beside that: %s, or %s with --in-step\n", block, apart);
    else
        ct_text_add(text, ": %s\n", block);
    if (cost->io_s > 0 && cost->io_s >= cost->block_s)
        ct_text_add(text, "  that is what the slowest source or sink takes\n");
    ct_text_add(text, "  %.4g blocks/s, efficiency %.3g", 1 / cost->block_s, efficiency(plan));
    if (plan->graph->block_s > 0)
        ct_text_add(text, ", %.3g times real time", plan->graph->block_s / cost->block_s);
    ct_text_add(text, "\n");
}

static void cost_unknown(ct_text *text, const ct_plan_known *known)
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

void ct_explain_cost(ct_text *text, const ct_plan *plan)
{
    const int ranks = ct_ranks_size(plan->graph->ranks);
    if (!plan->cost) return;
    ct_text_add(text, "\nforetold for %d rank%s", ranks, ranks == 1 ? "" : "s");
    if (plan->cost->known.measured) ct_text_add(text, ", from %s", plan->cost->known.measured);
    if (plan->cost->known.network)
        ct_text_add(text, ", each at %.6g Gb/s, %.6g us a message",
                    8e-9 * plan->cost->network.bandwidth, 1e6 * plan->cost->network.latency_s);
    ct_text_add(text, "%s\n", plan->cost->io_s > 0 ? "" : "; sources and sinks left out");
    cost_table(text, plan);
    cost_block(text, plan);
    cost_unknown(text, &plan->cost->known);
}

/* ---- for programs */

static void add_known(ct_text *json, const char *key, double value)
{
    if (!isnan(value)) ct_json_add_real(json, key, value);
}

void ct_explain_cost_step(ct_text *json, const ct_plan *plan, int s)
{
    ct_traffic moved;
    char text[CT_PARTITION_TEXT];
    const ct_plan_step *at = &plan->steps[s];
    const ct_step_cost *cost = plan->cost ? &plan->cost->step[s] : NULL;
    if (plan->partition && at->node >= 0)
        ct_json_add_text(json, "split", ct_partition_print(text, &plan->partition[at->node]));
    if (cost && at->node >= 0) ct_json_add_real(json, "share", cost->share);
    if (cost) add_known(json, "seconds", cost->seconds);
    if (!ct_exchange_is(at->step)) return;
    if (ct_plan_traffic(&moved, plan, at, NULL) != CT_OK) ct_text_lacks(json, 0);
    ct_json_open(json, "exchange", '{');
    ct_json_add_int(json, "sent", moved.sent);
    ct_json_add_int(json, "received", moved.received);
    ct_json_add_int(json, "link", moved.link);
    ct_json_add_int(json, "messages", moved.messages);
    if (cost) add_known(json, "travel_s", cost->travel_s);
    ct_json_close(json, '}');
}

void ct_explain_cost_json(ct_text *json, const ct_plan *plan)
{
    const ct_plan_cost *cost = plan->cost;
    if (plan->partition) ct_json_add_int(json, "ranks", ct_ranks_size(plan->graph->ranks));
    if (!cost) return;
    ct_json_open(json, "foretold", '{');
    if (cost->known.measured) ct_json_add_text(json, "measured", cost->known.measured);
    if (cost->known.network) {
        ct_json_add_real(json, "bandwidth", cost->network.bandwidth);
        ct_json_add_real(json, "latency_s", cost->network.latency_s);
    }
    add_known(json, "packing_rate", cost->known.rate);
    add_known(json, "one_s", cost->one_s);
    add_known(json, "device_s", cost->device_s);
    ct_json_add_real(json, "host_s", cost->host_s);
    ct_json_add_real(json, "io_s", cost->io_s);
    add_known(json, "travel_s", cost->travel_s);
    add_known(json, "block_s", cost->block_s);
    add_known(json, "apart_s", cost->apart_s);
    ct_json_add_bool(json, "hidden", ct_plan_overlaps(plan));
    if (!isnan(cost->block_s)) {
        add_known(json, "efficiency", efficiency(plan));
    }
    ct_json_close(json, '}');
}

void ct_explain_cost_dot(ct_text *text, const ct_plan *plan, int s)
{
    ct_traffic moved;
    char sent[32], link[32], seconds[32];
    const ct_plan_step *at = &plan->steps[s];
    const ct_step_cost *cost = plan->cost ? &plan->cost->step[s] : NULL;
    if (cost && is_told(plan, s)) {
        print_seconds(seconds, cost->seconds);
        ct_text_add(text, "\\n%s", seconds);
    }
    if (!ct_exchange_is(at->step)) return;
    if (ct_plan_traffic(&moved, plan, at, NULL) != CT_OK) ct_text_lacks(text, 0);
    ct_explain_bytes(sent, (double)(moved.sent > moved.received ? moved.sent : moved.received));
    ct_explain_bytes(link, (double)moved.link);
    ct_text_add(text, "\\n%s, %s per link", sent, link);
    if (!cost) return;
    print_seconds(seconds, cost->travel_s);
    ct_text_add(text, "\\ntravels %s", seconds);
}
