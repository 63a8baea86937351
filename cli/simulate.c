/* simulate.c: the verb simulate: a made-up observation in a file.
 * Room: cli. Knows which sink writes which file. Does not know what is made up (source.simulate).
 * It is a pipeline of two nodes, run to its end. */
#include "interrupt.h"
#include "observation_text.h"
#include "options.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CT_SIMULATE_LONGEST = 1024,
    CT_SIMULATE_NAMES = 4,
    CT_SIMULATE_SETTINGS = 65536,
    CT_SIMULATE_BLOCK = 16384 /* samples at a time of what is made while it is read */
};

/* What options say; each is a parameter of one of the two nodes. */
typedef struct ct_simulate_options {
    const char *to, *observation;
    int64_t stations, subbands, lanes;
    double seconds, lost, speed;
} ct_simulate_options;

typedef struct ct_simulate {
    ct_context *context;
    ct_device *device;
    ct_graph *graph;
    ct_plan *plan;
    ct_run *run;
    ct_simulate_options options;
    char *text;
    size_t length;
    char settings[CT_SIMULATE_SETTINGS]; /* one after another */
    size_t used;
} ct_simulate;

/* The sink by the file's ending; station packets have none of their own. */
static const char *simulate_sink(const char *file)
{
    static const char *const sinks[][2] = {{".npy", "sink.npy"},
                                           {".raw", "sink.raw"},
                                           {".fil", "sink.sigproc"},
                                           {".udp", "sink.lofar"}};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot != NULL && i < sizeof sinks / sizeof sinks[0]; i++)
        if (strcmp(dot, sinks[i][0]) == 0) return sinks[i][1];
    return NULL;
}

/* It stands in a JSON text as it is. */
static bool simulate_takes(const char *file)
{
    if (strlen(file) >= CT_SIMULATE_LONGEST) return false;
    for (; *file != 0; file++)
        if ((unsigned char)*file < 0x20 || *file == '"' || *file == '\\') return false;
    return true;
}

static ct_status simulate_check(const char *file, const char *sink, const char *to, ct_error *err)
{
    if (to && !simulate_takes(to))
        return ct_error_add(err, CT_USAGE, "cornerturn simulate: '%s' is no address to use", to);
    if (to) return CT_OK;
    if (sink == NULL)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn simulate: %s: expected a file that ends with .npy, .raw, "
                            ".fil (filterbank) or .udp (station packets)",
                            file);
    if (!simulate_takes(file))
        return ct_error_add(err, CT_USAGE, "cornerturn simulate: '%s' is no file name to use",
                            file);
    return CT_OK;
}

static void simulate_number(FILE *out, const char *key, double value)
{
    char number[CT_NUMBER_TEXT];
    if (!(value >= 0)) return; /* not given */
    fprintf(out, ", \"%s\": %s", key, ct_number_shortest(number, value, false));
}

static void simulate_nodes(FILE *out, const ct_simulate_options *o, const char *file,
                           const char *sink)
{
    const bool filterbank = strcmp(sink, "sink.sigproc") == 0, many = o->subbands > 0;
    fprintf(out, "\"nodes\": {\n\"observation\": {\"stage\": \"source.simulate\"");
    if (filterbank) fprintf(out, ", \"kind\": \"filterbank\"");
    if (strcmp(sink, "sink.lofar") == 0 && many) fprintf(out, ", \"layout\": \"SCTP\"");
    simulate_number(out, "stations", o->stations > 0 ? (double)o->stations : -1);
    simulate_number(out, "subbands", many ? (double)o->subbands : -1);
    simulate_number(out, "duration_s", o->seconds);
    fprintf(out, "},\n\"file\": {\"stage\": \"%s\", \"input\": \"observation\"", sink);
    fprintf(out, ", \"%s\": \"%s\"", o->to ? "to" : "file", o->to ? o->to : file);
    simulate_number(out, "lanes", o->lanes > 0 ? (double)o->lanes : -1);
    simulate_number(out, "lost", o->lost);
    simulate_number(out, "speed", o->speed);
    fprintf(out, "}}");
    if (many) fprintf(out, ", \"block\": {\"T\": %d}", CT_SIMULATE_BLOCK);
}

/* A pipeline of two nodes. */
static ct_status simulate_text(ct_simulate *s, const char *file, ct_error *err)
{
    const char *sink = s->options.to ? "sink.lofar" : simulate_sink(file);
    ct_status status = simulate_check(file, sink, s->options.to, err);
    if (status != CT_OK) return status;
    FILE *out = open_memstream(&s->text, &s->length);
    if (!out) return ct_error_add(err, CT_FAILED, "cornerturn simulate: out of memory");
    fprintf(out, "{\"cornerturn\": 1, ");
    if (s->options.observation) {
        fprintf(out, "\"observation\": ");
        status = ct_observation_text_print(out, s->options.observation, err);
        fprintf(out, ",\n");
    }
    simulate_nodes(out, &s->options, file, sink);
    fprintf(out, "}");
    if (fclose(out) != 0 && status == CT_OK)
        status = ct_error_add(err, CT_FAILED, "cornerturn simulate: out of memory");
    return status;
}

/* "samples=64" becomes the setting "observation.samples=64". */
static ct_status simulate_setting(ct_simulate *s, const char *given, const char **out,
                                  ct_error *err)
{
    const char *equal = strchr(given, '=');
    if (equal == NULL || equal == given)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn simulate: expected PARAM=VALUE, found '%s'; "
                            "'cornerturn info stage source.simulate' lists them",
                            given);
    const size_t room = sizeof s->settings - s->used;
    const int length = snprintf(s->settings + s->used, room, "observation.%s", given);
    if (length < 0 || (size_t)length >= room)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn simulate: %.*s: the parameters take more than %zu bytes; a "
                            "pipeline with the stage source.simulate takes any number",
                            (int)(equal - given), given, sizeof s->settings);
    *out = s->settings + s->used;
    s->used += (size_t)length + 1;
    return CT_OK;
}

static ct_status simulate_settings(ct_simulate *s, const ct_arguments *args,
                                   const char *settings[CT_OPTION_TIMES + 1], ct_error *err)
{
    ct_status status = CT_OK;
    const int first = s->options.to ? 0 : 1;
    for (int i = first; i < args->count && status == CT_OK; i++)
        status = simulate_setting(s, args->plain[i], &settings[i - first], err);
    return status;
}

static ct_status simulate_run(ct_simulate *s, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_run_new(&s->run, s->plan, s->device, err));
    ct_interrupt_cancels(s->run);
    while (status == CT_OK)
        status = ct_run_block(s->run, err);
    status = status == CT_EOF ? ct_run_finish(s->run, err) : status;
out:
    return status;
}

/* A name may move the cursor: what reaches the terminal are letters, as in sentences. */
static void simulate_name(const char *before, const char *file)
{
    ct_error name = {0};
    (void)ct_error_add(&name, CT_OK, "%s", file);
    printf("%s%s", before, name.text);
}

/* All names where they are few: "wrote a.npy and a.npy.json"; else the first and the last. */
static void simulate_say(const ct_run *run)
{
    size_t count = 0;
    while (ct_run_file(run, count) != NULL)
        count++;
    if (count > CT_SIMULATE_NAMES) {
        printf("wrote %zu files, ", count);
        simulate_name("", ct_run_file(run, 0));
        simulate_name(" to ", ct_run_file(run, count - 1));
    }
    for (size_t i = 0; i < count && count <= CT_SIMULATE_NAMES; i++)
        simulate_name(i == 0 ? "wrote " : i + 1 < count ? ", " : " and ", ct_run_file(run, i));
    printf("\n");
}

static void simulate_free(ct_simulate *s)
{
    ct_interrupt_cancels(NULL);
    ct_run_free(s->run);
    ct_plan_free(s->plan);
    ct_graph_free(s->graph);
    ct_device_free(s->device);
    ct_context_free(s->context);
    free(s->text);
}

static ct_status simulate_make(ct_simulate *s, const ct_arguments *args, ct_error *err)
{
    ct_status status = CT_OK;
    const char *settings[CT_OPTION_TIMES + 1] = {NULL};
    ct_interrupt_catch();
    if (args->count == 0 && !s->options.to)
        CT_TRY(
            ct_error_add(err, CT_USAGE, "cornerturn simulate: expected a file to write, or --to"));
    CT_TRY(simulate_text(s, args->plain[0], err));
    CT_TRY(simulate_settings(s, args, settings, err));
    CT_TRY(ct_context_open(&s->context, err));
    CT_TRY(ct_graph_parse(&s->graph, s->context, s->text, "simulate", settings, err));
    ct_interrupt_defer();
    CT_TRY(ct_device_open(&s->device, NULL, err));
    CT_TRY(ct_plan_default(&s->plan, s->graph, s->device, err));
    CT_TRY(simulate_run(s, err));
    if (!s->options.to) simulate_say(s->run);
out:
    return status;
}

ct_status ct_verb_simulate(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_simulate s = {.options = {.seconds = -1, .lost = -1, .speed = -1}};
    const ct_option options[] = {
        {"to", CT_OPTION_TEXT, &s.options.to, "HOST:PORT",
         "send station packets there instead: of station i and lane j to PORT + lanes i + j"},
        {"speed", CT_OPTION_REAL, &s.options.speed, "N",
         "with --to: so many times as fast as real time (1; 0: as fast as possible)"},
        {"subbands", CT_OPTION_INT, &s.options.subbands, "N",
         "so many subbands, made while they are written"},
        {"stations", CT_OPTION_INT, &s.options.stations, "N", "so many stations, on a ring"},
        {"seconds", CT_OPTION_REAL, &s.options.seconds, "S", "for how long"},
        {"lanes", CT_OPTION_INT, &s.options.lanes, "N",
         "of station packets: a file or a port for each of so many lanes of a station"},
        {"lost", CT_OPTION_REAL, &s.options.lost, "FRACTION", "of station packets, left out"},
        {"observation", CT_OPTION_TEXT, &s.options.observation, "PIPELINE",
         "stations, site and phase centre as this pipeline's \"observation\" says"},
        {0}};
    const ct_usage usage = {
        "simulate FILE|--to HOST:PORT [options] [PARAM=VALUE ...]",
        "Makes an observation up and writes it: voltages of stations (.npy, .raw, .udp station\n"
        "packets) or a filterbank (.fil), with pulses, pulsars, steady sources, tones and noise;\n"
        "or sends station packets.",
        options,
        0,
        CT_OPTION_TIMES,
        "Parameters are those of the stage source.simulate ('cornerturn info stage "
        "source.simulate').",
        "simulate sky.npy --stations 8 --seconds 0.5\n"
        "simulate pulse.fil duration_s=2 'pulses=[{\"dm\": 30, \"time_s\": 0.5}]'"};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    status = simulate_make(&s, &args, err);
out:
    simulate_free(&s);
    return status;
}
