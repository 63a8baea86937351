/* lofar_files.c: see lofar_files.h. A text, a list of lanes, or a list of stations' lists; there a
 * lane may be a list itself, of files that follow each other.
 * Room: io/lofar. Knows parameters, files and lanes. Does not know what must agree. */
#include "lofar_files.h"
#include "lofar_sequential.h"
#include "lofar_udp_probe.h"
#include <string.h>

/* A lane's value: a text, or a list of them. */
static const ct_value *files_of(const ct_value *files, int64_t station, int64_t lane)
{
    const ct_value *one = ct_value_at(files, (size_t)station);
    if (ct_value_kind(files) == CT_TEXT) return files;
    return ct_value_kind(one) == CT_LIST ? ct_value_at(one, (size_t)lane)
                                         : ct_value_at(files, (size_t)lane);
}

static ct_status files_count(ct_step *step, ct_lofar_plan *plan, ct_error *err)
{
    const char *key = plan->listen ? "listen" : "files";
    const char *what = plan->listen ? "an address" : "a file";
    const ct_value *files = ct_step_value(step, key), *first = ct_value_at(files, 0);
    ct_kind kind = ct_value_kind(files);
    plan->stations = plan->lanes = 1;
    if (kind == CT_TEXT) return CT_OK;
    if (kind != CT_LIST || ct_value_count(files) == 0 ||
        (ct_value_kind(first) == CT_LIST && ct_value_count(first) == 0))
        return ct_step_fail(
            step, key, err,
            "expected %s, a list of lanes, or a list of one lane or more for each station", what);
    plan->lanes = (int64_t)ct_value_count(files);
    if (ct_value_kind(first) != CT_LIST) return CT_OK;
    plan->stations = plan->lanes;
    plan->lanes = (int64_t)ct_value_count(first);
    for (int64_t s = 0; s < plan->stations; s++) {
        const ct_value *station = ct_value_at(files, (size_t)s);
        if (ct_value_kind(station) != CT_LIST || (int64_t)ct_value_count(station) != plan->lanes)
            return ct_step_fail(step, key, err,
                                "expected a list of %lld lanes for each station, found another "
                                "number for station %lld",
                                (long long)plan->lanes, (long long)s);
    }
    return CT_OK;
}

static ct_status files_name(ct_step *step, ct_lofar_lane *lane, const ct_value *given,
                            ct_error *err)
{
    const bool list = ct_value_kind(given) == CT_LIST;
    lane->files = list ? (int64_t)ct_value_count(given) : 1;
    const char **name = ct_step_alloc(step, (size_t)lane->files * sizeof *name);
    if (!name) return CT_FAILED;
    for (int64_t i = 0; i < lane->files; i++) {
        const char *file = ct_value_text(list ? ct_value_at(given, (size_t)i) : given, NULL);
        if (!file || !*file) return ct_step_fail(step, "files", err, "expected names of files");
        name[i] = strcmp(file, "-") == 0 ? CT_BYTE_STREAM_STDIN : ct_step_resolve(step, file);
        ct_step_reads(step, "files", name[i]);
    }
    lane->name = name;
    lane->file = lane->files > 0 ? name[0] : NULL;
    return lane->file ? CT_OK : ct_step_fail(step, "files", err, "expected at least one file");
}

/* ---- what is read once */

static ct_status files_pull_nothing(void *of, uint8_t *to, size_t room, size_t *got, ct_error *err)
{
    (void)of, (void)to, (void)room, (void)err;
    *got = 0;
    return CT_OK;
}

/* What a pipe holds at present; nothing is taken out. */
static ct_status files_peek(ct_step *step, ct_lofar_lane *lane, ct_lane *probe, ct_error *err)
{
    const size_t least = 2 * CT_PACKET_HEADER, most = CT_LANE_SPANS * 16384;
    ct_lofar_input_open_pull(&probe->input, step, lane->file, files_pull_nothing, NULL);
    probe->input.buffer = lane->buffer;
    probe->input.room = CT_LOFAR_BUFFER;
    ct_status status = ct_byte_stream_peek_named(step, lane->file, lane->buffer, least, most,
                                                 &probe->input.have, &lane->handle[0], err);
    if (status == CT_OK) status = ct_lane_open_probe(probe, ct_step_real(step, "max_gap_s"), err);
    return status == CT_OK ? ct_probe_begin(probe, &lane->extent, err) : status;
}

static ct_status files_unpack(ct_step *step, ct_lofar_lane *lane, ct_lane *probe, ct_error *err)
{
    ct_sequential stream;
    ct_sequential_open(&stream, step, lane->name, lane->files, NULL, -1);
    ct_lofar_input_open_pull(&probe->input, step, lane->file, ct_sequential_pull, &stream);
    probe->input.buffer = lane->buffer;
    probe->input.room = CT_LOFAR_BUFFER;
    ct_status status = ct_lane_open_probe(probe, ct_step_real(step, "max_gap_s"), err);
    if (status == CT_OK) status = ct_probe_begin(probe, &lane->extent, err);
    ct_sequential_close(&stream);
    return status;
}

static ct_status files_probe_sequential(ct_step *step, ct_lofar_lane *lane, ct_error *err)
{
    ct_lane *probe = ct_step_alloc(step, sizeof *probe);
    lane->buffer = ct_step_alloc(step, CT_LOFAR_BUFFER);
    lane->handle = ct_step_alloc(step, (size_t)lane->files * sizeof *lane->handle);
    if (!probe || !lane->buffer || !lane->handle) return CT_FAILED;
    for (int64_t i = 0; i < lane->files; i++)
        lane->handle[i] = -1;
    return ct_byte_stream_streams(lane->file) ? files_peek(step, lane, probe, err)
                                              : files_unpack(step, lane, probe, err);
}

static ct_status files_probe(ct_step *step, const ct_lofar_plan *plan, ct_lofar_lane *lane,
                             ct_error *err)
{
    lane->sequential = plan->follow_s >= 0 || ct_sequential_needed(lane->name, lane->files);
    if (ct_byte_stream_waits(lane->file) && !ct_step_may_wait(step))
        return ct_byte_stream_leave(step, lane->file);
    if (lane->sequential) return files_probe_sequential(step, lane, err);
    return ct_probe_files(&lane->extent, step, lane->name, lane->files,
                          ct_step_real(step, "max_gap_s"), err);
}

/* Either files or addresses; what is not given has no value. */
static ct_status files_choose(ct_step *step, ct_lofar_plan *plan, ct_error *err)
{
    const bool files = ct_step_value(step, "files") != NULL;
    plan->listen = ct_step_value(step, "listen") != NULL;
    if (files && plan->listen)
        return ct_step_fail(step, "listen", err, "expected either \"files\" or \"listen\"");
    if (!files && !plan->listen)
        return ct_step_fail(step, NULL, err, "expected \"files\" or \"listen\"");
    if (plan->listen && !ct_step_value(step, "duration_s"))
        return ct_step_fail(step, "duration_s", err, "expected for how long to listen");
    return files_count(step, plan, err);
}

ct_status ct_files_find(ct_step *step, ct_lofar_plan *plan, ct_error *err)
{
    ct_status status = files_choose(step, plan, err);
    if (status != CT_OK) return status;
    const ct_value *files = ct_step_value(step, plan->listen ? "listen" : "files");
    plan->follow_s = ct_byte_stream_follow(step);
    plan->lane = ct_step_alloc(step, (size_t)(plan->stations * plan->lanes) * sizeof *plan->lane);
    if (!plan->lane) return CT_FAILED;
    for (int64_t i = 0; status == CT_OK && i < plan->stations * plan->lanes; i++) {
        ct_lofar_lane *lane = &plan->lane[i];
        const ct_value *given = files_of(files, i / plan->lanes, i % plan->lanes);
        status = plan->listen ? ct_probe_address(step, lane, given, err)
                              : files_name(step, lane, given, err);
        if (status == CT_OK && !plan->listen) status = files_probe(step, plan, lane, err);
    }
    if (status != CT_OK || !plan->listen) return status;
    status = ct_probe_check(step, err);
    if (status != CT_OK) return status;
    return ct_step_may_wait(step) ? ct_probe_forms(step, plan, err)
                                  : ct_probe_skip(step, plan, err);
}
