/* observation.c: "observation", member by member; see observation.h.
 * Room: core/graph. Knows the key's members. Does not know who takes them. */
#include "observation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "graph_nodes.h"
#include "suggest.h"
#include "text.h"

#define MOST_STATIONS 4096
#define LEAST_RADIUS_M 6.3e6 /* of places on the Earth, from its centre */
#define MOST_RADIUS_M 6.4e6

typedef struct reader {
    ct_graph *graph;
    const ct_value *root;
    ct_observation *out;
} reader;

static ct_status fail_at(const reader *r, const char *path, ct_error *err, const char *format, ...)
    CT_PRINTF(4, 5);
static ct_status fail_at(const reader *r, const char *path, ct_error *err, const char *format, ...)
{
    char sentence[512], pointer[128];
    va_list args;
    va_start(args, format);
    ct_number_print_args(sentence, sizeof sentence, format, args);
    va_end(args);
    snprintf(pointer, sizeof pointer, "/observation%s%s", *path ? "/" : "", path);
    return ct_graph_fail(r->graph, pointer, false, err, sentence);
}

static ct_status read_text(const reader *r, const char *key, const ct_value *value,
                           const char **out, ct_error *err)
{
    if (ct_value_kind(value) != CT_TEXT) return fail_at(r, key, err, "expected a text");
    *out = ct_arena_copy(r->graph->arena, ct_value_text(value, ""));
    return CT_OK;
}

static bool read_number(const ct_value *value, double *out)
{
    const ct_kind kind = ct_value_kind(value);
    *out = ct_value_real(value, 0);
    return kind == CT_INT || kind == CT_REAL;
}

static ct_status read_range(const reader *r, const char *key, const ct_value *value, double least,
                            double most, double *out, ct_error *err)
{
    if (!read_number(value, out))
        return fail_at(r, key, err, "expected a number from %g to %g", least, most);
    if (*out >= least && *out <= most) return CT_OK;
    return fail_at(r, key, err, "expected a number from %g to %g, found %g", least, most, *out);
}

static ct_status read_position(const reader *r, const char *key, const ct_value *value,
                               double out[3], ct_error *err)
{
    bool fine = ct_value_kind(value) == CT_LIST && ct_value_count(value) == 3;
    for (size_t k = 0; fine && k < 3; k++)
        fine = read_number(ct_value_at(value, k), &out[k]);
    if (!fine) return fail_at(r, key, err, "expected an ITRF position [x, y, z] in metres");
    const double radius = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    if (radius >= LEAST_RADIUS_M && radius <= MOST_RADIUS_M) return CT_OK;
    return fail_at(r, key, err,
                   "expected an ITRF position, which counts from the Earth's centre, found one %g "
                   "m from there",
                   radius);
}

/* ---- members */

static ct_status read_label(const reader *r, const char *key, const ct_value *value, ct_error *err)
{
    const bool telescope = strcmp(key, "telescope") == 0;
    return read_text(r, key, value, telescope ? &r->out->telescope : &r->out->source_name, err);
}

static ct_status read_site(const reader *r, const char *key, const ct_value *value, ct_error *err)
{
    double *site = ct_arena_get(r->graph->arena, 3 * sizeof *site);
    r->out->site = site;
    return site ? read_position(r, key, value, site, err) : CT_OK;
}

static ct_status read_names(const reader *r, const char *key, const ct_value *value, ct_error *err)
{
    const size_t count = ct_value_count(value);
    ct_status status = CT_OK;
    if (ct_value_kind(value) != CT_LIST || count == 0 || count > MOST_STATIONS)
        return fail_at(r, key, err, "expected a list of 1 to %d names", MOST_STATIONS);
    const char **names = ct_arena_get(r->graph->arena, (count + 1) * sizeof *names);
    r->out->names = names;
    for (size_t n = 0; names && n < count && status == CT_OK; n++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%zu", key, n);
        status = read_text(r, path, ct_value_at(value, n), &names[n], err);
    }
    return status;
}

static size_t count_names(const reader *r)
{
    size_t count = 0;
    while (r->out->names && r->out->names[count])
        count++;
    return count;
}

static ct_status read_list(const reader *r, const char *key, const ct_value *list, ct_error *err)
{
    const size_t count = ct_value_count(list), names = count_names(r);
    ct_status status = CT_OK;
    if (count == 0 || count > MOST_STATIONS)
        return fail_at(r, key, err, "expected 1 to %d positions, found %zu", MOST_STATIONS, count);
    if (r->out->names && names != count)
        return fail_at(r, "names", err, "expected a name for each of the %zu stations, found %zu",
                       count, names);
    double(*station)[3] = ct_arena_get(r->graph->arena, count * sizeof *station);
    r->out->station = (const double(*)[3])station;
    r->out->stations = station ? (int64_t)count : 0;
    for (size_t n = 0; station && n < count && status == CT_OK; n++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%zu", key, n);
        status = read_position(r, path, ct_value_at(list, n), station[n], err);
    }
    return status;
}

/* The stations of the set that "names" names, in that order. */
static ct_status pick_stations(const reader *r, const ct_parset *set, const char *file,
                               ct_error *err)
{
    const size_t count = count_names(r);
    double(*station)[3] = ct_arena_get(r->graph->arena, count * sizeof *station);
    r->out->station = (const double(*)[3])station;
    r->out->stations = station ? (int64_t)count : 0;
    for (size_t n = 0; station && n < count; n++) {
        char path[64], near[CT_SUGGEST_SAY];
        int64_t k = 0;
        while (k < set->count && strcmp(set->names[k], r->out->names[n]) != 0)
            k++;
        snprintf(path, sizeof path, "names/%zu", n);
        if (k == set->count)
            return fail_at(r, path, err, "%s has no field \"%s\"%s", file, r->out->names[n],
                           ct_suggest_say(near, r->out->names[n], set->names));
        memcpy(station[n], set->positions[k], sizeof *station);
    }
    return CT_OK;
}

static ct_status read_set(const reader *r, const char *key, const ct_value *value, ct_error *err)
{
    const char *given = ct_value_text(value, ""), *folder = r->graph->folder;
    const char *file = *given == '/' || !folder
                           ? ct_arena_copy(r->graph->arena, given)
                           : ct_arena_print(r->graph->arena, "%s/%s", folder, given);
    ct_parset set;
    ct_error why = {0};
    const ct_status status = ct_parset_read(&set, file, r->graph->arena, &why);
    if (status == CT_FAILED) return ct_error_pass(err, status, &why);
    if (status != CT_OK) return fail_at(r, key, err, "%s", why.text);
    if (!r->out->names)
        return fail_at(r, key, err,
                       "a parameter set has %lld fields: expected \"names\" of those that are the "
                       "stations, such as [\"%s\"]",
                       (long long)set.count, set.names[0]);
    return pick_stations(r, &set, file, err);
}

static ct_status read_stations(const reader *r, const char *key, const ct_value *value,
                               ct_error *err)
{
    if (ct_value_kind(value) == CT_LIST) return read_list(r, key, value, err);
    if (ct_value_kind(value) == CT_TEXT) return read_set(r, key, value, err);
    return fail_at(r, key, err,
                   "expected a list of ITRF positions [x, y, z] in metres, or the file of a "
                   "parameter set");
}

static ct_status read_angle(const reader *r, const char *key, const ct_value *value, double least,
                            double most, int place, ct_error *err)
{
    double *radec = (double *)r->out->radec;
    if (!radec) r->out->radec = radec = ct_arena_get(r->graph->arena, 2 * sizeof *radec);
    return radec ? read_range(r, key, value, least, most, &radec[place], err) : CT_OK;
}

static ct_status read_ra(const reader *r, const char *key, const ct_value *value, ct_error *err)
{
    if (!ct_value_get(r->root, "dec_deg"))
        return fail_at(r, key, err, "a right ascension needs \"dec_deg\", too");
    return read_angle(r, key, value, 0, 360, 0, err);
}

static ct_status read_dec(const reader *r, const char *key, const ct_value *value, ct_error *err)
{
    if (!ct_value_get(r->root, "ra_deg"))
        return fail_at(r, key, err, "a declination needs \"ra_deg\", too");
    return read_angle(r, key, value, -90, 90, 1, err);
}

static ct_status read_dut1(const reader *r, const char *key, const ct_value *value, ct_error *err)
{
    double *dut1 = ct_arena_get(r->graph->arena, sizeof *dut1);
    r->out->dut1_s = dut1;
    return dut1 ? read_range(r, key, value, -1, 1, dut1, err) : CT_OK;
}

/* Names come before the stations that they name. */
static const struct {
    const char *key;
    ct_status (*read)(const reader *, const char *, const ct_value *, ct_error *);
} members[] = {{"telescope", read_label},   {"site", read_site},   {"names", read_names},
               {"stations", read_stations}, {"ra_deg", read_ra},   {"dec_deg", read_dec},
               {"source_name", read_label}, {"dut1_s", read_dut1}, {"comment", NULL}};

enum { MEMBERS = sizeof members / sizeof *members };

static ct_status check_keys(const reader *r, ct_error *err)
{
    const char *keys[MEMBERS + 1] = {NULL};
    ct_status status = CT_OK;
    for (int m = 0; m < MEMBERS; m++)
        keys[m] = members[m].key;
    for (size_t i = 0; i < ct_value_count(r->root); i++)
        if (ct_graph_check_key(r->graph, "/observation", ct_value_key(r->root, i), keys, err))
            status = CT_INVALID;
    return status;
}

/* The default of the site is the middle of the stations. */
static void take_mean(const reader *r)
{
    double *mean = ct_arena_get(r->graph->arena, 3 * sizeof *mean);
    for (int64_t s = 0; mean && s < r->out->stations; s++)
        for (int k = 0; k < 3; k++)
            mean[k] += r->out->station[s][k] / (double)r->out->stations;
    r->out->site = mean;
}

ct_status ct_observation_read(ct_graph *graph, ct_error *err)
{
    reader r = {.graph = graph, .root = ct_value_get(graph->root, "observation")};
    if (!r.root) return CT_OK;
    if (ct_value_kind(r.root) != CT_OBJECT)
        return fail_at(&r, "", err, "expected an object with members such as \"stations\"");
    r.out = ct_arena_get(graph->arena, sizeof *r.out);
    ct_status status = ct_arena_check(graph->arena, err);
    if (status != CT_OK) return status;
    status = check_keys(&r, err);
    for (int m = 0; m < MEMBERS; m++) {
        const ct_value *value = ct_value_get(r.root, members[m].key);
        if (!value || !members[m].read) continue;
        const ct_status one = members[m].read(&r, members[m].key, value, err);
        if (one == CT_FAILED) return one;
        if (one != CT_OK) status = one;
    }
    if (status == CT_OK && !r.out->site && r.out->stations > 0) take_mean(&r);
    if (status == CT_OK) graph->observation = r.out;
    const ct_status memory = ct_arena_check(graph->arena, err);
    return memory != CT_OK ? memory : status;
}

/* SIGPROC's way to write an angle: 123456.7 is 12 h (or degrees) 34 min 56.7 s. */
static double sexagesimal(double value)
{
    const double size = fabs(value), whole = floor(size), minutes = floor((size - whole) * 60);
    const double seconds = ((size - whole) * 60 - minutes) * 60;
    return copysign(whole * 10000 + minutes * 100 + seconds, value);
}

void ct_observation_describe(const ct_graph *graph, ct_meta *meta)
{
    const ct_observation *said = graph->observation;
    if (!said) return;
    if (!meta->telescope) meta->telescope = said->telescope;
    if (!meta->source_name) meta->source_name = said->source_name;
    if (!said->radec || meta->src_raj != 0 || meta->src_dej != 0) return;
    meta->src_raj = sexagesimal(said->radec[0] / 15);
    meta->src_dej = sexagesimal(said->radec[1]);
}
