/* simulate_source.c: the data sheet of source.simulate, an observation made up from a few numbers.
 * Room: io/simulate. Knows cornerturn.h. Does not know files, graphs or OpenCL. */
#include "format.h"
#include "simulate.h"

#include <math.h>
#include <string.h>

#define MOST_BYTES 16e9
#define LEAST_HZ 1.0 /* the squares of inverses of lower ones are beyond what numbers hold */

/* ---- parameters */

/* clang-format off */
/* Whether it is powers of channels, or voltages of stations. */
#define KINDS(ROW) ROW(voltages, false) ROW(filterbank, true)
/* Whether signals appear in the first polarization, and in the second. */
#define POLARIZATIONS(ROW) ROW(both, true, true) ROW(x, true, false) ROW(y, false, true)
/* Counts for a unit of voltage or power. The first complex and the first real one are defaults. */
#define TYPES(ROW)                                                     \
    ROW(ci8, CT_CI8, 16) ROW(ci16, CT_CI16, 1024) ROW(cf32, CT_CF32, 1) \
    ROW(u8, CT_U8, 8) ROW(u16, CT_U16, 256) ROW(f32, CT_F32, 1)
/* clang-format on */

static const struct {
    const char *name;
    bool filterbank;
} kinds[] = {KINDS(CT_ROW)};

static const struct {
    const char *name;
    bool first, second;
} polarizations[] = {POLARIZATIONS(CT_ROW)};

static const struct {
    const char *name;
    ct_type type;
    double scale;
} types[] = {TYPES(CT_ROW)};

/* The given type's place, else that of the first that holds what the kind needs. */
static int find_type(const ct_step *step, const simulation *sim)
{
    int place = ct_step_choice(step, "type");
    if (place >= 0) return place;
    for (place = 0; ct_type_complex(types[place].type) == sim->filterbank;)
        place++;
    return place;
}

static ct_status read_type(const ct_step *step, simulation *sim, ct_error *err)
{
    int place = find_type(step, sim);
    sim->type = types[place].type;
    sim->scale = types[place].scale;
    sim->bits = (int)ct_step_int(step, "bits");
    if (sim->bits < 8 && sim->type != CT_U8)
        return ct_step_fail(step, "bits", err, "%d bits of %s, expected of u8", sim->bits,
                            types[place].name);
    if (ct_type_complex(sim->type) == !sim->filterbank) return CT_OK;
    return ct_step_fail(step, "type", err, "%s cannot hold %s, expected %s", types[place].name,
                        sim->filterbank ? "power" : "voltages",
                        sim->filterbank ? "u8, u16 or f32" : "ci8, ci16 or cf32");
}

static ct_status read_length(const ct_step *step, simulation *sim, ct_error *err)
{
    double seconds = ct_step_real(step, "duration_s");
    sim->total = ct_step_int(step, "samples");
    if (sim->total > 0 && seconds > 0)
        return ct_step_fail(step, "duration_s", err,
                            "samples and duration_s are both given, expected one of them");
    if (seconds > 0 && seconds / sim->sample_time_s < 1e15)
        sim->total = (int64_t)floor(seconds / sim->sample_time_s + 0.5);
    if (sim->total >= 1) return CT_OK;
    return ct_step_fail(step, NULL, err, "expected \"samples\" or \"duration_s\"");
}

static void read_band(const ct_step *step, simulation *sim)
{
    double width = ct_step_real(step, "clock_hz") / 1024;
    double number = (double)(ct_step_int(step, "sb") + 512 * ct_step_int(step, "zone"));
    double dt = ct_step_real(step, "sample_time_s"), band = ct_step_real(step, "bandwidth_hz");
    sim->centre_hz = ct_step_real(step, "frequency_hz");
    if (!(sim->centre_hz > 0)) sim->centre_hz = number * width;
    const int64_t subbands = ct_step_int(step, "subbands");
    sim->subbands = !sim->filterbank && subbands > 0;
    sim->channels = sim->filterbank ? ct_step_int(step, "channels") : sim->subbands ? subbands : 1;
    if (sim->subbands && !(ct_step_real(step, "frequency_hz") > 0))
        sim->centre_hz += 0.5 * (double)(subbands - 1) * width;
    sim->bandwidth_hz = (double)sim->channels * width;
    if (sim->filterbank && band > 0) sim->bandwidth_hz = band;
    sim->sample_time_s = 1 / width;
    if (sim->filterbank) sim->sample_time_s = dt > 0 ? dt : 1e-3;
}

static void read_numbers(const ct_step *step, simulation *sim)
{
    int pols = ct_step_choice(step, "polarization");
    double scale = ct_step_real(step, "scale");
    sim->dm_constant = ct_step_real(step, "dm_constant");
    sim->start_mjd = ct_step_real(step, "start_mjd");
    sim->start_s = 0.5 * sim->sample_time_s;
    sim->noise = ct_step_real(step, "noise");
    sim->level = ct_step_real(step, "level");
    sim->seed = (uint64_t)ct_step_int(step, "seed");
    if (scale > 0) sim->scale = scale;
    sim->offset = ct_step_real(step, "offset");
    sim->signal_in[0] = polarizations[pols].first;
    sim->signal_in[1] = polarizations[pols].second;
}

static ct_status check_subbands(const ct_step *step, const simulation *sim, ct_error *err)
{
    const int64_t last = ct_step_int(step, "sb") + ct_step_int(step, "subbands") - 1;
    if (!sim->subbands || ct_step_real(step, "frequency_hz") > 0 || last < 512) return CT_OK;
    return ct_step_fail(
        step, "subbands", err, "%lld subbands from %lld on end at %lld, expected at most 511",
        (long long)sim->channels, (long long)ct_step_int(step, "sb"), (long long)last);
}

static ct_status check_band(const ct_step *step, const simulation *sim, ct_error *err)
{
    double bottom = sim->centre_hz - 0.5 * sim->bandwidth_hz;
    if (bottom >= LEAST_HZ) return CT_OK;
    if (bottom > 0)
        return ct_step_fail(
            step, "frequency_hz", err,
            "a band of %g Hz about %g Hz reaches down to %g Hz, expected at least %g",
            sim->bandwidth_hz, sim->centre_hz, bottom, LEAST_HZ);
    return ct_step_fail(step, "frequency_hz", err,
                        "a band of %g MHz about %g MHz reaches down to %g MHz, expected above 0",
                        sim->bandwidth_hz * 1e-6, sim->centre_hz * 1e-6, bottom * 1e-6);
}

static ct_status check_memory(ct_step *step, const simulation *sim, ct_error *err)
{
    if (sim->subbands) return ct_subbands_check(step, sim, err);
    double numbers = (double)sim->total * (double)sim->channels * (double)sim->stations *
                     (sim->filterbank ? 1 : 2) * ct_type_bits(sim->type) / 8.0;
    double beside = sim->filterbank ? (double)sim->total * sizeof(double) : ct_voltages_room(sim);
    if (numbers + beside <= MOST_BYTES) return CT_OK;
    return ct_step_fail(step, NULL, err,
                        "%lld samples would take %.3g GB, and making them %.3g GB (the longest "
                        "sweep included); expected at most %.3g in all",
                        (long long)sim->total, numbers * 1e-9, beside * 1e-9, MOST_BYTES * 1e-9);
}

static void name_channels(ct_step *step, simulation *sim)
{
    double width = sim->bandwidth_hz / (double)sim->channels;
    sim->channel_hz = ct_step_alloc(step, (size_t)sim->channels * sizeof *sim->channel_hz);
    for (int64_t c = 0; sim->channel_hz && c < sim->channels; c++)
        sim->channel_hz[c] =
            sim->centre_hz + ((double)c - 0.5 * (double)(sim->channels - 1)) * width;
}

/* Parameters that would have no effect are refused. */
static ct_status check_useless(const ct_step *step, ct_error *err)
{
    static const char *const of_kind[][2] = {
        {"stations", "voltages"},        {"radius_m", "voltages"}, {"select", "voltages"},
        {"polarization", "voltages"},    {"subbands", "voltages"}, {"sources", "voltages"},
        {"channels", "filterbank"},      {"level", "filterbank"},  {"bandwidth_hz", "filterbank"},
        {"sample_time_s", "filterbank"}, {"gains", "filterbank"},  {"offset", "filterbank"},
        {"bits", "filterbank"}};
    const char *kind = ct_step_text(step, "kind");
    for (size_t i = 0; i < sizeof of_kind / sizeof *of_kind; i++)
        if (ct_step_value(step, of_kind[i][0]) && strcmp(of_kind[i][1], kind) != 0)
            return ct_step_fail(step, of_kind[i][0], err,
                                "only the kind \"%s\" has this parameter, but the kind is \"%s\"",
                                of_kind[i][1], kind);
    if (ct_step_value(step, "sources") && !ct_step_value(step, "subbands"))
        return ct_step_fail(step, "sources", err,
                            "only voltages that are made while they are read have this parameter: "
                            "expected \"subbands\", too (1 or more)");
    static const char *const of_band[] = {"sb", "zone"};
    for (size_t i = 0; i < 2 && ct_step_real(step, "frequency_hz") > 0; i++)
        if (ct_step_value(step, of_band[i]))
            return ct_step_fail(step, of_band[i], err,
                                "frequency_hz gives the band already, expected one of them");
    return CT_OK;
}

ct_status ct_simulate_read(ct_step *step, simulation **out, ct_error *err)
{
    simulation *sim = *out = ct_step_alloc(step, sizeof *sim);
    if (!sim) return CT_FAILED;
    sim->filterbank = kinds[ct_step_choice(step, "kind")].filterbank;
    read_band(step, sim);
    ct_status status = check_useless(step, err);
    if (status == CT_OK) status = read_type(step, sim, err);
    if (status == CT_OK) status = read_length(step, sim, err);
    if (status != CT_OK) return status;
    read_numbers(step, sim);
    sim->stations = 1;
    if (!sim->filterbank) status = ct_stations_read(step, sim, err);
    if (status == CT_OK) status = check_subbands(step, sim, err);
    if (status == CT_OK) status = check_band(step, sim, err);
    if (status == CT_OK) status = ct_signals_read(step, sim, err);
    if (status == CT_OK) name_channels(step, sim);
    if (status == CT_OK && !sim->channel_hz) return CT_FAILED;
    return status == CT_OK ? check_memory(step, sim, err) : status;
}

/* ---- the stage */

static ct_status infer(ct_step *step, ct_error *err)
{
    simulation *sim;
    ct_array *y = &step->port[0];
    const ct_observation *said = ct_step_observation(step);
    ct_status status = ct_simulate_read(step, &sim, err);
    if (status != CT_OK) return status;
    y->rank = 0;
    y->type = sim->type;
    if (!sim->filterbank) {
        ct_array_add(y, 'S', sim->stations);
        ct_array_add(y, 'P', 2);
    }
    ct_array_add(y, 'T', sim->total);
    if (sim->filterbank || sim->subbands) ct_array_add(y, 'C', sim->channels);
    ct_array_dense(y, NULL);
    y->meta = (ct_meta){.sample_time_s = sim->sample_time_s,
                        .start_mjd = ct_step_real(step, "start_mjd"),
                        .start_s = 0.5 * sim->sample_time_s,
                        .total = sim->total,
                        .frequency_hz = sim->channel_hz,
                        .frequencies = sim->channels,
                        .channel_width_hz = sim->bandwidth_hz / (double)sim->channels,
                        .source_name = said->source_name ? said->source_name : "simulated"};
    step->state = sim;
    return CT_OK;
}

typedef struct sim_tape {
    const simulation *sim;
    const char *numbers;    /* [S][P][T] or [T][C] */
    sim_subbands *subbands; /* NULL: `numbers` are all there are */
    int64_t next;           /* sample to be read next */
} sim_tape;

static ct_status open_tape(ct_step *step, void **state, ct_error *err)
{
    sim_tape *tape = ct_step_alloc(step, sizeof *tape);
    if (!tape) return CT_FAILED;
    const simulation *sim = step->state;
    void *numbers = NULL;
    ct_status status = sim->subbands     ? ct_subbands_open(step, sim, &tape->subbands, err)
                       : sim->filterbank ? ct_power_make(step, sim, &numbers, err)
                                         : ct_voltages_make(step, sim, &numbers, err);
    tape->sim = sim;
    tape->numbers = numbers;
    *state = tape;
    return status;
}

/* Copies `count` elements a stride of one apart to elements `stride` apart. */
static void spread(char *to, int64_t stride, const char *from, int64_t count, size_t size)
{
    if (stride == 1) {
        memcpy(to, from, (size_t)count * size);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        memcpy(to + (size_t)(k * stride) * size, from + (size_t)k * size, size);
}

static void copy_voltages(const sim_tape *tape, ct_array *block, int64_t count, size_t size)
{
    const simulation *sim = tape->sim;
    for (int64_t row = 0; row < ct_array_extent(block, 'S') * 2; row++) {
        int64_t to = block->offset + row / 2 * ct_array_stride(block, 'S') +
                     row % 2 * ct_array_stride(block, 'P');
        spread((char *)block->data + (size_t)to * size, ct_array_stride(block, 'T'),
               tape->numbers + (size_t)(row * sim->total + tape->next) * size, count, size);
    }
}

static void copy_filterbank(const sim_tape *tape, ct_array *block, int64_t count, size_t size)
{
    int64_t channels = tape->sim->channels;
    for (int64_t t = 0; t < count; t++) {
        int64_t to = block->offset + t * ct_array_stride(block, 'T');
        spread((char *)block->data + (size_t)to * size, ct_array_stride(block, 'C'),
               tape->numbers + (size_t)((tape->next + t) * channels) * size, channels, size);
    }
}

static ct_status read_tape(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                           ct_error *err)
{
    sim_tape *tape = state;
    int64_t wanted = ct_array_extent(block, 'T'), left = tape->sim->total - tape->next;
    int64_t count = left < wanted ? left : wanted;
    size_t size = ct_type_bits(block->type) / 8;
    ct_status status = CT_OK;
    if (tape->subbands)
        status = ct_subbands_read(tape->subbands, block, tape->next, count, err);
    else if (tape->sim->filterbank)
        copy_filterbank(tape, block, count, size);
    else
        copy_voltages(tape, block, count, size);
    if (flags != NULL) memset(flags, 0, (size_t)(ct_array_extent(block, 'S') * wanted));
    tape->next += count;
    *got = count;
    return status;
}

static ct_status seek_tape(void *state, int64_t position, ct_error *err)
{
    (void)err;
    ((sim_tape *)state)->next = position;
    return CT_OK;
}

static ct_status close_tape(void *state, bool complete, ct_error *err)
{
    (void)state; /* all memory is the step's */
    (void)complete;
    (void)err;
    return CT_OK;
}

static const ct_param params[] = {
    {"kind", CT_PARAM_TEXT, "voltages", CT_WORDS(KINDS), 0, 0,
     "stations' voltages S,P,T or power T,C"},
    {"type", CT_PARAM_TEXT, NULL, CT_WORDS(TYPES), 0, 0,
     "voltages: ci8 (default), ci16, cf32; filterbank: u8 (default), u16, f32"},
    {"samples", CT_PARAM_INT, "0", NULL, 0, 1e15, "length"},
    {"duration_s", CT_PARAM_REAL, "0", NULL, 0, 1e9, "length, instead of samples"},
    {"sb", CT_PARAM_INT, "256", NULL, 0, 511, "subband: its centre is (sb + 512 zone) clock/1024"},
    {"zone", CT_PARAM_INT, "1", NULL, 0, 2, "Nyquist zone"},
    {"clock_hz", CT_PARAM_REAL, "200e6", NULL, 1, 1e12, "sampling clock; a subband is 1/1024"},
    {"frequency_hz", CT_PARAM_REAL, "0", NULL, 0, 1e12, "the band's centre, instead of sb, zone"},
    {"subbands", CT_PARAM_INT, "0", NULL, 0, 512,
     "so many subbands from sb on (frequency_hz: about it), S,P,T,C, made while they are read; "
     "default: one, S,P,T, made before"},
    {"stations", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "how many (on a ring), a list of [east, north, up] in metres, or a parameter set; default: "
     "the observation's, else 1"},
    {"radius_m", CT_PARAM_REAL, "50", NULL, 0, 1e7, "of the ring"},
    {"select", CT_PARAM_TEXT, NULL, NULL, 0, 0, "how names in the parameter set begin: \"CS00\""},
    {"channels", CT_PARAM_INT, "256", NULL, 1, 1e7, "of a filterbank"},
    {"bandwidth_hz", CT_PARAM_REAL, "0", NULL, 0, 1e12, "of a filterbank; default: subbands"},
    {"sample_time_s", CT_PARAM_REAL, "0", NULL, 0, 1e6, "of a filterbank; default 1e-3"},
    {"level", CT_PARAM_REAL, "8", NULL, 0, 1e9, "mean power of a filterbank's channels"},
    {"noise", CT_PARAM_REAL, "1", NULL, 0, 1e9, "rms, of voltages or of power"},
    {"scale", CT_PARAM_REAL, "0", NULL, 0, 1e9,
     "counts per unit; default ci8 16, ci16 1024, u8 8, u16 256, floats 1"},
    {"offset", CT_PARAM_REAL, "0", NULL, -1e9, 1e9, "counts added to a filterbank's scaled power"},
    {"bits", CT_PARAM_INT, "8", NULL, 1, 8, "of u8 that are used: 2 end at 3"},
    {"seed", CT_PARAM_INT, "1", NULL, 0, 9e15, "of the random numbers"},
    {"polarization", CT_PARAM_TEXT, "both", CT_WORDS(POLARIZATIONS), 0, 0, "where signals appear"},
    {"pulses", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "a list of {dm, time_s, width_s, amplitude, and az, el or ra_deg, dec_deg}"},
    {"pulsar", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "{dm, period_s, time_s, width_s, amplitude, and az, el or ra_deg, dec_deg}"},
    {"sources", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "steady noise, with subbands: a list of {amplitude (rms), and az, el or ra_deg, dec_deg}"},
    {"tones", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "a list of {frequency_hz, amplitude, and az, el or ra_deg, dec_deg}; of a filterbank "
     "{frequency_hz, width_hz, amplitude, time_s, period_s, on_s, jitter}"},
    {"gains", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "of a filterbank: a list of {amplitude, time_s, period_s}: sines, steps without a period"},
    {"dm_constant", CT_PARAM_REAL, "4.148808e3", NULL, 1, 1e6, "MHz^2 pc^-1 cm^3 s"},
    {"start_mjd", CT_PARAM_REAL, "60000", NULL, 0, 1e6, "start of the observation, MJD"},
    {0}};

const ct_stage ct_stage_simulate = {
    .api = CT_API,
    .version = 1,
    .name = "source.simulate",
    .summary = "a made-up observation: pulses, tones and noise at stations or in a filterbank",
    .ports = {{"Y", CT_OUT, 0, "S?P?TC?", CT_WORDS(TYPES), "*", NULL, "the observation"}},
    .params = params,
    .infer = infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_GAPLESS,
    .split = "S",
    .io = {.open = open_tape, .read = read_tape, .close = close_tape, .seek = seek_tape},
};

const ct_format ct_format_simulate = {.source = &ct_stage_simulate};
