/* embed.c: a program with Cornerturn inside: a source and a sink of its own, settings from the
 * command line, new weights for a beam while it runs, cancelled by Ctrl-C. docs/embedding.md
 * explains it.
 *
 *     embed examples/embed.json radio.samples=65536 [NODE.PARAM=VALUE ...] */
#include <cornerturn_stage.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHANNELS = 4096, STATIONS = 4 };

#define TWO_PI 6.283185307179586

/* Where samples come from: here a tone of 24414 Hz, 8 channels of the example above the centre. It
 * goes on until somebody stops it, or for as many samples as radio.samples says. */
typedef struct radio {
    int64_t sent; /* along T */
} radio;

/* Where powers go to: the sum of each channel. */
typedef struct meter {
    double power[CHANNELS];
    int64_t channels;
} meter;

/* Fills one block of stations, polarizations, times, in whatever layout the plan has chosen. */
static ct_status radio_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                            ct_error *err)
{
    radio *r = state;
    const int64_t ts = ct_array_stride(block, 'T'), all = ct_array_extent(block, 'T');
    (void)flags, (void)err; /* no sample is missing, and nothing can fail */
    *got = all;
    for (int64_t s = 0; s < ct_array_extent(block, 'S'); s++)
        for (int64_t p = 0; p < ct_array_extent(block, 'P'); p++) {
            int64_t at =
                block->offset + s * ct_array_stride(block, 'S') + p * ct_array_stride(block, 'P');
            for (int64_t t = 0; t < *got; t++, at += ts) {
                const double turns = 0.125 * (double)((r->sent + t) % 8);
                ct_array_save(block, at, 40 * cos(TWO_PI * turns), 40 * sin(TWO_PI * turns));
            }
        }
    r->sent += *got;
    return CT_OK;
}

static ct_status meter_write(void *state, const ct_array *block, int64_t first, int64_t count,
                             ct_error *err)
{
    meter *m = state;
    m->channels = ct_array_extent(block, 'C');
    if (m->channels > CHANNELS)
        return ct_error_add(err, CT_FAILED, "the meter has room for %d channels, found %lld",
                            CHANNELS, (long long)m->channels);
    for (int64_t t = first; t < first + count; t++)
        for (int64_t b = 0; b < ct_array_extent(block, 'B'); b++)
            for (int64_t c = 0; c < m->channels; c++)
                m->power[c] +=
                    ct_array_load(block, block->offset + t * ct_array_stride(block, 'T') +
                                             b * ct_array_stride(block, 'B') +
                                             c * ct_array_stride(block, 'C'))
                        .re;
    return CT_OK;
}

static void meter_print(const meter *m)
{
    int64_t best = 0;
    for (int64_t c = 1; c < m->channels; c++)
        if (m->power[c] > m->power[best]) best = c;
    printf("brightest channel: %lld of %lld\n", (long long)best, (long long)m->channels);
}

/* A signal handler has no other way to the run; set while one may be cancelled. */
static ct_run *running;

static void on_signal(int number)
{
    (void)number;
    ct_run_cancel(running);
}

static ct_status bind(ct_run *run, radio *source, meter *sink, ct_error *err)
{
    const ct_io from = {.size = sizeof from, .state = source, .read = radio_read};
    const ct_io to = {.size = sizeof to, .state = sink, .write = meter_write};
    const ct_status status = ct_run_bind(run, "radio", &from, err);
    return status == CT_OK ? ct_run_bind(run, "meter", &to, err) : status;
}

/* Points the beam to this azimuth, 80 degrees high, from the next block on. */
static ct_status steer(ct_run *run, const ct_plan *plan, double azimuth, ct_error *err)
{
    static const double east[STATIONS] = {0, 31, -12, 55}, north[STATIONS] = {0, -7, 40, 23};
    float weights[STATIONS * CHANNELS * 2]; /* real and imaginary part */
    const ct_array *spectra = NULL, *table = NULL;
    ct_status status = ct_plan_find(&spectra, plan, "beam.X", err);
    if (status == CT_OK) status = ct_plan_find(&table, plan, "beam.W", err);
    if (status != CT_OK) return status;
    ct_array fill = *table; /* its dimensions: one beam, stations, channels */
    if (ct_array_count(&fill) > STATIONS * CHANNELS || ct_array_extent(&fill, 'S') != STATIONS)
        return ct_error_add(err, CT_FAILED, "expected one beam of %d stations", STATIONS);
    ct_array_dense(&fill, NULL); /* lying like this: B,S,C */
    fill.data = weights;
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t c = 0; c < ct_array_extent(&fill, 'C'); c++) {
            const double metres = cos(TWO_PI * 80 / 360) * (east[s] * sin(TWO_PI * azimuth / 360) +
                                                            north[s] * cos(TWO_PI * azimuth / 360));
            const double turns = -metres / 299792458.0 * spectra->meta.frequency_hz[c];
            ct_array_save(&fill, s * ct_array_stride(&fill, 'S') + c, cos(TWO_PI * turns),
                          sin(TWO_PI * turns));
        }
    return ct_run_table(run, "beam", "W", &fill, err);
}

/* All blocks, the beam turning with them; then the end: only now files stand under their names. */
static ct_status run_blocks(ct_run *run, const ct_plan *plan, ct_error *err)
{
    ct_status status = CT_OK;
    running = run;
    signal(SIGINT, on_signal);
    for (double azimuth = 0; status == CT_OK; azimuth += 0.1) {
        status = steer(run, plan, azimuth, err);
        if (status == CT_OK) status = ct_run_block(run, err);
    }
    signal(SIGINT, SIG_DFL);
    running = NULL;
    return status == CT_EOF ? ct_run_finish(run, err) : status;
}

static void print_end(const ct_run *run)
{
    ct_progress all = {.size = sizeof all};
    if (ct_run_progress(run, &all, NULL) == CT_OK)
        printf("%lld blocks, %.3g s of signal\n", (long long)all.block, all.signal_s);
    for (size_t n = 0; ct_run_file(run, n) != NULL; n++)
        printf("wrote %s\n", ct_run_file(run, n));
    fputs(ct_run_warnings(run), stderr);
}

/* What explain prints, of the plan that will run. */
static ct_status print_plan(const ct_plan *plan, ct_error *err)
{
    char *text = NULL;
    const ct_status status = ct_explain_plan(&text, plan, CT_FORM_TEXT, err);
    if (status == CT_OK) fputs(text, stdout);
    free(text);
    return status;
}

static ct_status process(const char *file, const char *const *settings, ct_error *err)
{
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    ct_device *device = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    radio source = {.sent = 0};
    meter sink = {.channels = 0};
    ct_status status = ct_context_open(&context, err);
    if (status == CT_OK) status = ct_graph_load(&graph, context, file, settings, err);
    if (status == CT_OK) status = ct_device_open(&device, NULL, err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, err);
    if (status == CT_OK) status = print_plan(plan, err);
    if (status == CT_OK) status = ct_run_new(&run, plan, device, err);
    if (status == CT_OK) status = bind(run, &source, &sink, err);
    if (status == CT_OK) status = run_blocks(run, plan, err);
    if (status == CT_OK) print_end(run);
    if (status == CT_OK) meter_print(&sink);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_device_free(device);
    ct_graph_free(graph);
    ct_context_free(context);
    return status;
}

int main(int argc, char **argv)
{
    ct_error err = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: embed PIPELINE [NODE.PARAM=VALUE ...]\n");
        return CT_USAGE;
    }
    const ct_status status = process(argv[1], (const char *const *)argv + 2, &err);
    if (status != CT_OK) fprintf(stderr, "%s\n", err.text);
    return status;
}
