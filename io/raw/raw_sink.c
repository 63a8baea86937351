/* raw_sink.c: sink.raw: only the numbers of an array, in the sink's layout, and a JSON file beside
 * them that says what they are.
 * Room: io/raw. Does not know graphs. */
#include "array_sink.h"
#include "params.h"

static const ct_param sink_params[] = {
    {"file", CT_PARAM_FILE, "!", ".json", 0, 0,
     "the file to write; name.raw.json is written too; \"-\": standard output"},
    CT_ARRAY_SINK_GATHER,
    {0}};

static ct_status raw_open(ct_step *step, void **state, ct_error *err)
{
    return ct_array_sink_open(step, NULL, state, err);
}

const ct_stage ct_stage_sink_raw = {
    .api = CT_API,
    .version = 1,
    .name = "sink.raw",
    .summary = "writes an array's numbers without a header, with a JSON file beside them",
    .ports = {{"X", CT_IN, 0, "*", CT_TYPES_ARRAY, "*", NULL, "any array"}},
    .params = sink_params,
    .split = "*",
    .infer = ct_array_sink_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_MENDS,
    .io = CT_ARRAY_SINK_IO(raw_open),
};
