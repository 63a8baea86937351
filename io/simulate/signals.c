/* signals.c: pulses, a pulsar, tones and gains, as a pipeline gives them.
 * Room: io/simulate. Knows their keys. Does not know how voltages and power are made of them. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "simulate.h"

typedef struct sim_key {
    const char *name;
    size_t place; /* of the double within the object */
    double otherwise, least, most;
} sim_key;

#define PULSE(member) offsetof(sim_pulse, member)
#define TONE(member) offsetof(sim_tone, member)

/* Of a pulse, and with a period of a pulsar. */
/* clang-format off */
#define PULSE_KEYS \
    {"dm", PULSE(dm), 0, 0, 1e9}, \
    {"time_s", PULSE(time_s), 0, -1e9, 1e9}, \
    {"width_s", PULSE(width_s), 1e-3, 1e-12, 1e9}, \
    {"amplitude", PULSE(amplitude), 1, -1e9, 1e9}, \
    {"az", PULSE(aim.az), 0, -360, 360}, \
    {"el", PULSE(aim.el), 90, -90, 90}, \
    {"ra_deg", PULSE(aim.radec[0][0]), NAN, 0, 360}, \
    {"dec_deg", PULSE(aim.radec[0][1]), NAN, -90, 90}
/* clang-format on */

static const sim_key pulse_keys[] = {PULSE_KEYS, {0}};

static const sim_key pulsar_keys[] = {
    PULSE_KEYS, {"period_s", PULSE(period_s), 0.1, 1e-12, 1e9}, {0}};

#define SOURCE(member) offsetof(sim_source, member)

static const sim_key source_keys[] = {{"amplitude", SOURCE(amplitude), 1, -1e9, 1e9},
                                      {"az", SOURCE(aim.az), 0, -360, 360},
                                      {"el", SOURCE(aim.el), 90, -90, 90},
                                      {"ra_deg", SOURCE(aim.radec[0][0]), NAN, 0, 360},
                                      {"dec_deg", SOURCE(aim.radec[0][1]), NAN, -90, 90},
                                      {0}};

static const sim_key tone_keys[] = {{"frequency_hz", TONE(frequency_hz), 0, -1e15, 1e15},
                                    {"amplitude", TONE(amplitude), 1, -1e9, 1e9},
                                    {"az", TONE(aim.az), 0, -360, 360},
                                    {"el", TONE(aim.el), 90, -90, 90},
                                    {"ra_deg", TONE(aim.radec[0][0]), NAN, 0, 360},
                                    {"dec_deg", TONE(aim.radec[0][1]), NAN, -90, 90},
                                    {0}};

/* In a filterbank. */
static const sim_key power_tone_keys[] = {{"frequency_hz", TONE(frequency_hz), 0, -1e15, 1e15},
                                          {"width_hz", TONE(width_hz), 0, 0, 1e15},
                                          {"amplitude", TONE(amplitude), 1, -1e9, 1e9},
                                          {"time_s", TONE(time_s), 0, -1e9, 1e9},
                                          {"period_s", TONE(period_s), 0, 0, 1e9},
                                          {"on_s", TONE(on_s), 0, 0, 1e9},
                                          {"jitter", TONE(jitter), 0, 0, 1},
                                          {0}};

#define GAIN(member) offsetof(sim_gain, member)

static const sim_key gain_keys[] = {{"amplitude", GAIN(amplitude), 0.01, -1e3, 1e3},
                                    {"time_s", GAIN(time_s), 0, -1e9, 1e9},
                                    {"period_s", GAIN(period_s), 0, 0, 1e9},
                                    {0}};

static const sim_key *find_key(const sim_key *keys, const char *name)
{
    for (; keys->name; keys++)
        if (strcmp(keys->name, name) == 0) return keys;
    return NULL;
}

/* "dm, time_s, width_s" */
static void list_keys(const sim_key *keys, char *out, size_t size)
{
    out[0] = '\0';
    for (const sim_key *key = keys; key->name; key++) {
        if (key != keys) strncat(out, ", ", size - strlen(out) - 1);
        strncat(out, key->name, size - strlen(out) - 1);
    }
}

static ct_status read_member(const ct_step *step, const char *param, const ct_value *value,
                             const sim_key *key, char *object, ct_error *err)
{
    ct_kind kind = ct_value_kind(value);
    if (kind != CT_INT && kind != CT_REAL)
        return ct_step_fail(step, param, err, "%s must be a number", key->name);
    double number = ct_value_real(value, 0);
    if (!(number >= key->least && number <= key->most))
        return ct_step_fail(step, param, err, "%s is %g, expected %g to %g", key->name, number,
                            key->least, key->most);
    memcpy(object + key->place, &number, sizeof number);
    return CT_OK;
}

/* Fills an object's doubles from a JSON object; absent keys keep their defaults. */
static ct_status read_object(const ct_step *step, const char *param, const ct_value *value,
                             const sim_key *keys, void *object, ct_error *err)
{
    ct_status status = CT_OK;
    char expected[192];
    list_keys(keys, expected, sizeof expected);
    if (ct_value_kind(value) != CT_OBJECT)
        return ct_step_fail(step, param, err, "expected an object with %s", expected);
    for (const sim_key *key = keys; key->name; key++)
        memcpy((char *)object + key->place, &key->otherwise, sizeof key->otherwise);
    for (size_t k = 0; k < ct_value_count(value) && status == CT_OK; k++) {
        const sim_key *key = find_key(keys, ct_value_key(value, k));
        if (key == NULL)
            return ct_step_fail(step, param, err, "unknown key \"%s\", expected %s",
                                ct_value_key(value, k), expected);
        status = read_member(step, param, ct_value_at(value, k), key, object, err);
    }
    return status;
}

/* Once all of the object is known: both or none of ra_deg and dec_deg, and then neither az nor el.
 */
static ct_status read_aim(ct_step *step, const simulation *sim, const char *param,
                          const ct_value *value, sim_aim *aim, ct_error *err)
{
    const bool ra = !isnan(aim->radec[0][0]), dec = !isnan(aim->radec[0][1]);
    if (ra != dec)
        return ct_step_fail(step, param, err, "%s needs %s, too", ra ? "ra_deg" : "dec_deg",
                            ra ? "dec_deg" : "ra_deg");
    if (ra && (ct_value_get(value, "az") || ct_value_get(value, "el")))
        return ct_step_fail(step, param, err,
                            "expected either az and el or ra_deg and dec_deg, found both");
    return ct_aim_check(step, sim, aim, err);
}

static ct_status read_pulse(ct_step *step, const simulation *sim, const char *param,
                            const ct_value *value, const sim_key *keys, sim_pulse *pulse,
                            ct_error *err)
{
    const ct_status status = read_object(step, param, value, keys, pulse, err);
    return status == CT_OK ? read_aim(step, sim, param, value, &pulse->aim, err) : status;
}

static ct_status read_pulses(ct_step *step, simulation *sim, ct_error *err)
{
    const ct_value *list = ct_step_value(step, "pulses"), *pulsar = ct_step_value(step, "pulsar");
    size_t count = ct_value_count(list);
    ct_status status = CT_OK;

    if (list != NULL && ct_value_kind(list) != CT_LIST)
        return ct_step_fail(step, "pulses", err, "expected a list of pulses");
    sim->pulses = (int64_t)count + (pulsar != NULL);
    sim->pulse = ct_step_alloc(step, (count + 1) * sizeof *sim->pulse);
    if (!sim->pulse) return CT_FAILED;
    for (size_t k = 0; k < count && status == CT_OK; k++)
        status =
            read_pulse(step, sim, "pulses", ct_value_at(list, k), pulse_keys, &sim->pulse[k], err);
    if (status == CT_OK && pulsar != NULL)
        status = read_pulse(step, sim, "pulsar", pulsar, pulsar_keys, &sim->pulse[count], err);
    if (status == CT_OK && pulsar != NULL && sim->pulse[count].period_s < sim->sample_time_s)
        return ct_step_fail(step, "pulsar", err, "period_s is %g, expected at least a sample, %g",
                            sim->pulse[count].period_s, sim->sample_time_s);
    return status;
}

static ct_status check_tone(const ct_step *step, const simulation *sim, const sim_tone *tone,
                            ct_error *err)
{
    double half = 0.5 * sim->bandwidth_hz;
    if (tone->period_s > 0 && tone->period_s < sim->sample_time_s)
        return ct_step_fail(step, "tones", err, "period_s is %g, expected at least a sample, %g",
                            tone->period_s, sim->sample_time_s);
    if (tone->period_s > 0 ? !(tone->on_s > 0 && tone->on_s <= tone->period_s)
                           : tone->on_s > 0 || tone->jitter > 0)
        return ct_step_fail(step, "tones", err,
                            "a tone that is on for %g s of every %g, expected a part of a period_s",
                            tone->on_s, tone->period_s);
    if (tone->frequency_hz >= -half && tone->frequency_hz <= half) return CT_OK;
    return ct_step_fail(step, "tones", err,
                        "a tone %g Hz from the band's centre, expected within %g and %g",
                        tone->frequency_hz, -half, half);
}

static ct_status read_tones(ct_step *step, simulation *sim, ct_error *err)
{
    const ct_value *list = ct_step_value(step, "tones");
    size_t count = ct_value_count(list);
    ct_status status = CT_OK;

    if (list != NULL && ct_value_kind(list) != CT_LIST)
        return ct_step_fail(step, "tones", err, "expected a list of tones");
    sim->tones = (int64_t)count;
    sim->tone = ct_step_alloc(step, (count + 1) * sizeof *sim->tone);
    if (!sim->tone) return CT_FAILED;
    for (size_t k = 0; k < count && status == CT_OK; k++) {
        sim_tone *tone = &sim->tone[k];
        status = read_object(step, "tones", ct_value_at(list, k),
                             sim->filterbank ? power_tone_keys : tone_keys, tone, err);
        if (status == CT_OK) status = check_tone(step, sim, tone, err);
        if (status == CT_OK && !sim->filterbank)
            status = read_aim(step, sim, "tones", ct_value_at(list, k), &tone->aim, err);
    }
    return status;
}

static ct_status read_sources(ct_step *step, simulation *sim, ct_error *err)
{
    const ct_value *list = ct_step_value(step, "sources");
    ct_status status = CT_OK;
    if (list != NULL && ct_value_kind(list) != CT_LIST)
        return ct_step_fail(step, "sources", err, "expected a list of sources");
    sim->sources = (int64_t)ct_value_count(list);
    sim->source = ct_step_alloc(step, (size_t)(sim->sources + 1) * sizeof *sim->source);
    if (!sim->source) return CT_FAILED;
    for (int64_t k = 0; k < sim->sources && status == CT_OK; k++) {
        const ct_value *one = ct_value_at(list, (size_t)k);
        status = read_object(step, "sources", one, source_keys, &sim->source[k], err);
        if (status == CT_OK) status = read_aim(step, sim, "sources", one, &sim->source[k].aim, err);
    }
    return status;
}

static ct_status read_gains(ct_step *step, simulation *sim, ct_error *err)
{
    const ct_value *list = ct_step_value(step, "gains");
    ct_status status = CT_OK;
    if (list != NULL && ct_value_kind(list) != CT_LIST)
        return ct_step_fail(step, "gains", err, "expected a list of gains");
    sim->gains = (int64_t)ct_value_count(list);
    sim->gain = ct_step_alloc(step, (size_t)(sim->gains + 1) * sizeof *sim->gain);
    if (!sim->gain) return CT_FAILED;
    for (int64_t k = 0; k < sim->gains && status == CT_OK; k++)
        status =
            read_object(step, "gains", ct_value_at(list, (size_t)k), gain_keys, &sim->gain[k], err);
    return status;
}

ct_status ct_signals_read(ct_step *step, simulation *sim, ct_error *err)
{
    ct_status status = read_pulses(step, sim, err);
    if (status == CT_OK) status = read_sources(step, sim, err);
    if (status == CT_OK) status = read_gains(step, sim, err);
    return status == CT_OK ? read_tones(step, sim, err) : status;
}
