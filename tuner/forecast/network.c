/* network.c: a network as a person says it: "100Gb/s,2us". Room: tuner/forecast. */
#include <string.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include "fail.h"
#include "network.h"
#include "text.h"

typedef struct unit {
    const char *name;
    double value;
} unit;

static const unit bandwidths[] = {
    {"Gb/s", 1e9 / 8}, {"Mb/s", 1e6 / 8}, {"GB/s", 1e9}, {"MB/s", 1e6}, {NULL, 0}};
static const unit latencies[] = {{"us", 1e-6}, {"ms", 1e-3}, {"ns", 1e-9}, {"s", 1}, {NULL, 0}};

/* "100Gb/s" up to `end`; 0: it is no such number. */
static double read_quantity(const char *text, const char *end, const unit *units)
{
    char *after;
    const double value = ct_number_read(text, &after);
    if (after == text || !(value > 0) || !(value < 1e15)) return 0;
    for (; units->name; units++)
        if ((size_t)(end - after) == strlen(units->name) &&
            strncmp(after, units->name, (size_t)(end - after)) == 0)
            return value * units->value;
    return 0;
}

ct_status ct_network_parse(ct_network *out, const char *text, ct_error *err)
{
    const char *comma = text + strcspn(text, ","), *end = text + strlen(text);
    *out = (ct_network){0};
    if (!*comma)
        return ct_error_add(err, CT_USAGE,
                            "--network: expected a bandwidth and a latency, such as 100Gb/s,2us, "
                            "found '%s'",
                            text);
    out->bandwidth = read_quantity(text, comma, bandwidths);
    if (out->bandwidth == 0)
        return ct_error_add(err, CT_USAGE,
                            "--network: expected a bandwidth in Gb/s, Mb/s, GB/s or MB/s, found "
                            "'%.*s'",
                            (int)(comma - text), text);
    out->latency_s = read_quantity(comma + 1, end, latencies);
    if (out->latency_s > 0) return CT_OK;
    return ct_error_add(err, CT_USAGE, "--network: expected a latency in us, ms or ns, found '%s'",
                        comma + 1);
}

ct_status ct_tune_measure_network(char out[CT_NETWORK_TEXT], const ct_ranks *ranks, ct_error *err)
{
    CT_GIVEN(err, out);
    ct_network network;
    const ct_status status = ct_network_measure(ranks, &network, err);
    out[0] = 0;
    if (status == CT_OK && network.bandwidth > 0)
        ct_number_print(out, CT_NETWORK_TEXT, "%.4gGb/s,%.4gus", 8e-9 * network.bandwidth,
                        1e6 * network.latency_s);
    return status;
}

ct_status ct_tune_network(const char *network, ct_error *err)
{
    CT_GIVEN(err, network);
    ct_network parsed;
    return ct_network_parse(&parsed, network, err);
}
