/* lofar_udp_probe.c: see lofar_udp_probe.h. Who listens knows the time from the packets only, and
 * when the stream begins from the pipeline, or a while after the first packet, while kernels are
 * built.
 * Room: io/lofar. Knows parameters, addresses and lanes. Does not know what must agree. */
#include "lofar_udp_probe.h"
#include "calendar.h"
#include "lofar_receiver.h"
#include <math.h>

ct_status ct_probe_address(ct_step *step, ct_lofar_lane *lane, const ct_value *given, ct_error *err)
{
    const char *address = ct_value_text(given, NULL);
    const char **name = ct_step_alloc(step, sizeof *name);
    if (!address || !*address)
        return ct_step_fail(step, "listen", err,
                            "expected addresses and ports, as \"0.0.0.0:16130\"");
    lane->buffer = ct_step_alloc(step, CT_LOFAR_BUFFER);
    if (!name || !lane->buffer) return CT_FAILED;
    *name = address;
    lane->file = address;
    lane->name = name;
    lane->files = 1;
    lane->sequential = true;
    return CT_OK;
}

static void probe_warn(ct_step *step, const ct_lofar_lane *lane, int64_t got)
{
    if (got >= CT_RECEIVER_ASKED) return;
    ct_step_warn(step,
                 "%s: the system keeps %lld bytes of packets, expected %d: some may be dropped; "
                 "`sysctl -w net.core.rmem_max=%d` gives more",
                 lane->file, (long long)got, CT_RECEIVER_ASKED, CT_RECEIVER_ASKED);
}

static ct_status probe_lane(ct_step *step, ct_lofar_lane *lane, void *of, ct_error *err)
{
    ct_lane *probe = ct_step_alloc(step, sizeof *probe);
    if (!probe) return CT_FAILED;
    ct_lofar_input_open_pull(&probe->input, step, lane->file, ct_receiver_pull, of);
    probe->input.buffer = lane->buffer;
    probe->input.room = CT_LOFAR_BUFFER;
    const ct_status status = ct_lane_open_probe(probe, ct_step_real(step, "max_gap_s"), err);
    return status == CT_OK ? ct_probe_begin(probe, &lane->extent, err) : status;
}

/* Those of the stations that this rank is to hear. */
static ct_status probe_lanes(ct_step *step, ct_lofar_plan *plan, int64_t first, int64_t stations,
                             ct_error *err)
{
    ct_receiver *receiver = NULL;
    const int64_t lanes = plan->stations * plan->lanes;
    const int64_t from = first * plan->lanes, to = from + stations * plan->lanes;
    const char **address = ct_step_alloc(step, (size_t)lanes * sizeof *address);
    if (!address || !plan->probed) return CT_FAILED;
    for (int64_t i = 0; i < lanes; i++)
        address[i] = i >= from && i < to ? plan->lane[i].file : "";
    ct_status status = ct_receiver_open(&receiver, step, address, lanes, err);
    if (status == CT_OK) status = ct_receiver_start(receiver, err);
    for (int64_t i = from; status == CT_OK && i < to; i++) {
        probe_warn(step, &plan->lane[i], ct_receiver_count(receiver, i).buffer);
        status = probe_lane(step, &plan->lane[i], ct_receiver_lane(receiver, i), err);
        plan->probed[i] = plan->lane[i].extent;
    }
    if (status == CT_OK) plan->heard = ct_live_heard(receiver, from, to);
    ct_receiver_close(receiver);
    return status;
}

/* Once: shapes may be inferred several times. */
static ct_status probe_all(ct_step *step, ct_lofar_plan *plan, ct_error *err)
{
    const size_t lanes = (size_t)(plan->stations * plan->lanes);
    int64_t first, stations;
    ct_step_probe_range(step, 'S', plan->stations, &first, &stations);
    if (plan->probed) return CT_OK;
    plan->probed = ct_step_alloc(step, lanes * sizeof *plan->probed);
    const ct_status status = probe_lanes(step, plan, first, stations, err);
    return ct_step_probe_allgather(step, status, plan->probed,
                                   (size_t)plan->lanes * sizeof *plan->probed, err);
}

ct_status ct_probe_forms(ct_step *step, ct_lofar_plan *plan, ct_error *err)
{
    const ct_status status = probe_all(step, plan, err);
    for (int64_t i = 0; status == CT_OK && i < plan->stations * plan->lanes; i++)
        plan->lane[i].extent = plan->probed[i];
    if (status != CT_OK) plan->probed = NULL;
    return status;
}

/* Whole seconds from 1970, which packets count, and the rest. */
static bool probe_instant(const char *text, int64_t *second, double *rest)
{
    int64_t minutes;
    double left;
    if (!ct_calendar_read(text, 'T', &minutes, &left)) return false;
    *second = (minutes - ct_calendar_day(1970, 1, 1) * 1440) * 60 + (int64_t)floor(left);
    *rest = left - floor(left);
    return *second >= 0 && *second <= UINT32_MAX;
}

ct_status ct_probe_check(ct_step *step, ct_error *err)
{
    const char *text = ct_step_text(step, "start_utc");
    int64_t second;
    double rest;
    if (!text || probe_instant(text, &second, &rest)) return CT_OK;
    return ct_step_fail(step, "start_utc", err,
                        "expected an instant as \"2026-11-22T17:00:00\", found \"%s\"", text);
}

ct_status ct_probe_skip(ct_step *step, const ct_lofar_plan *plan, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t i = 0; status == CT_OK && i < plan->stations * plan->lanes; i++)
        status = ct_receiver_check(plan->lane[i].file, err);
    if (status != CT_OK) return status;
    ct_step_warn(step,
                 "%s is heard by a run: what comes is not known, so neither this node's array nor "
                 "what follows from it is checked",
                 plan->lane[0].file);
    return CT_EOF;
}

static void probe_start(ct_step *step, ct_lofar_plan *plan, int64_t *out)
{
    const char *text = ct_step_text(step, "start_utc");
    const double rate = ct_packet_clock(&plan->lane[0].extent.form) / 1024;
    int64_t latest = INT64_MIN, second = 0;
    double rest = 0;
    for (int64_t i = 0; i < plan->stations * plan->lanes; i++)
        if (plan->lane[i].extent.first > latest) latest = plan->lane[i].extent.first;
    *out = latest + llround(ct_step_real(step, "start_after_s") * rate);
    if (!text) return;
    (void)probe_instant(text, &second, &rest);
    ct_packet packet = plan->lane[0].extent.form;
    packet.timestamp = (uint32_t)second;
    packet.sequence = 0;
    *out = ct_packet_sample(&packet) + (int64_t)ceil(rest * rate);
}

void ct_probe_times(ct_step *step, ct_lofar_plan *plan)
{
    int64_t start;
    const double rate = ct_packet_clock(&plan->lane[0].extent.form) / 1024;
    probe_start(step, plan, &start);
    const bool heard = plan->heard.rate > 0; /* else other ranks hear all lanes */
    ct_step_live(step,
                 heard ? ct_live_left_s(&plan->heard, start) : ct_step_real(step, "start_after_s"),
                 ct_step_text(step, "start_utc") == NULL);
    for (int64_t i = 0; i < plan->stations * plan->lanes; i++) {
        plan->lane[i].extent.first = start;
        plan->lane[i].extent.end = start + llround(ct_step_real(step, "duration_s") * rate);
    }
}
