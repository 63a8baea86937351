/* fuzz_stage.c: the input is a stage's descriptor, a row of it a line, fields parted by '|', '-'
 * for NULL: it is added, a node of it is made, its shapes are inferred as the input says, and its
 * tunables and layouts are looked for.
 *
 *     n|NAME            p|X|DIRECTION|FLAGS|DIMS|TYPES|LAYOUT|PREFER   w|WHERE   l|PARALLEL f|FUSES
 *     a|PARAM|KIND|DEFAULT|CHOICES|LEAST|MOST   t|TUNABLE|VALUES|CPU|GPU   m|TERM|VALUE
 *     i|TILE|PORT|ORDER|EXTENTS|PADDING|TYPE|WHEN    c|PARAMS|EXTENTS|TYPE|TUNABLES
 *     j|JSON of the node   e|LETTER|EXTENT of the input   k|TYPE of the input
 *     x|PORT|LETTER|EXTENT   d|DECIMATE|OVERLAP|GRAIN|KIND   r (infer fails): what infer does
 *
 * Room: tests/fuzz. Knows core/step/step.h. */
#include "fuzz_step.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, FIELDS = 9, DOES = 8 };

typedef struct descriptor {
    ct_stage stage;
    ct_param params[ROWS + 1];
    ct_tunable tunables[ROWS + 1];
    ct_tile tiles[ROWS + 1];
    ct_term terms[ROWS + 1];
    ct_case cases[ROWS + 1];
    int ports, param, tunable, tile, term, cases_count, does;
    ct_array input;
    const char *json;
    struct {
        const char *port;
        char letter;
        int64_t extent;
    } set[DOES];
    int64_t decimate, overlap, grain, kind;
    bool fails;
} descriptor;

static int64_t number_of(const char *text)
{
    return text ? strtoll(text, NULL, 10) : 0;
}

static char letter_of(const char *text)
{
    return text && text[0] ? text[0] : 'T';
}

static void take_port(descriptor *d, char *const f[])
{
    if (d->ports == CT_PORTS) return;
    d->stage.ports[d->ports++] = (ct_port){f[1],
                                           (ct_direction)(number_of(f[2]) & 3),
                                           (unsigned)number_of(f[3]) & 15u,
                                           f[4],
                                           f[5],
                                           f[6],
                                           f[7],
                                           ""};
}

static void take_param(descriptor *d, char *const f[])
{
    if (d->param == ROWS) return;
    d->params[d->param++] = (ct_param){
        f[1], (ct_param_kind)((uint64_t)number_of(f[2]) % 6), f[3],
        f[4], f[5] ? ct_number_read(f[5], NULL) : 0,          f[6] ? ct_number_read(f[6], NULL) : 0,
        ""};
}

static void take_tunable(descriptor *d, char *const f[])
{
    if (d->tunable < ROWS) d->tunables[d->tunable++] = (ct_tunable){f[1], f[2], f[3], f[4], ""};
}

static void take_tile(descriptor *d, char *const f[])
{
    if (d->tile < ROWS) d->tiles[d->tile++] = (ct_tile){f[1], f[2], f[3], f[4], f[5], f[6], f[7]};
}

static void take_term(descriptor *d, char *const f[])
{
    if (d->term < ROWS) d->terms[d->term++] = (ct_term){f[1], f[2], ""};
}

static void take_case(descriptor *d, char *const f[])
{
    if (d->cases_count < ROWS) d->cases[d->cases_count++] = (ct_case){f[1], f[2], f[3], f[4]};
}

static void take_text(descriptor *d, char *const f[])
{
    switch (f[0][0]) {
    case 'n':
        d->stage.name = f[1];
        break;
    case 'w':
        d->stage.tuning.where = f[1];
        break;
    case 'l':
        d->stage.kernel.parallel = f[1];
        break;
    case 'f':
        d->stage.fuses = f[1];
        break;
    default:
        d->json = f[1];
    }
}

static void take_input(descriptor *d, char *const f[])
{
    if (f[0][0] == 'k')
        d->input.type = f[1] ? ct_type_parse(f[1]) : CT_NONE;
    else if (letter_of(f[1]) >= 'A' && letter_of(f[1]) <= 'Z' && number_of(f[2]) > 0)
        ct_array_add(&d->input, letter_of(f[1]), number_of(f[2]));
}

static void take_infer(descriptor *d, char *const f[])
{
    d->fails = d->fails || f[0][0] == 'r';
    if (f[0][0] == 'd') {
        d->decimate = number_of(f[1]);
        d->overlap = number_of(f[2]);
        d->grain = number_of(f[3]);
        d->kind = number_of(f[4]) & 1;
    } else if (f[0][0] == 'x' && d->does < DOES && f[1]) {
        d->set[d->does].port = f[1];
        d->set[d->does].letter = letter_of(f[2]);
        d->set[d->does++].extent = number_of(f[3]);
    }
}

static const struct {
    const char *letters;
    void (*take)(descriptor *, char *const[]);
} kinds[] = {{"p", take_port},     {"a", take_param},  {"t", take_tunable},
             {"i", take_tile},     {"m", take_term},   {"c", take_case},
             {"nwlfj", take_text}, {"ek", take_input}, {"xdr", take_infer}};

/* Cuts the line, whose text stays as it is. */
static void take_line(descriptor *d, char *line)
{
    char *fields[FIELDS] = {NULL};
    for (int i = 0; i < FIELDS && line; i++) {
        char *next = strchr(line, '|');
        if (next) *next++ = 0;
        fields[i] = strcmp(line, "-") ? line : NULL;
        line = next;
    }
    for (size_t i = 0; fields[0] && fields[0][0] && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strchr(kinds[i].letters, fields[0][0])) kinds[i].take(d, fields);
}

static ct_status infer(ct_step *step, ct_error *err)
{
    const descriptor *d = step->stage->of;
    (void)err;
    if (d->fails) return CT_INVALID;
    for (int i = 0; i < d->does; i++) {
        ct_array *array = ct_step_port(step, d->set[i].port);
        if (array) ct_array_set(array, d->set[i].letter, d->set[i].extent);
    }
    step->decimate = d->decimate;
    step->overlap = d->overlap;
    step->grain = d->grain;
    step->overlap_kind = d->kind ? CT_VALID : CT_HISTORY;
    return CT_OK;
}

static void begin(descriptor *d)
{
    memset(d, 0, sizeof *d);
    d->stage = (ct_stage){.api = CT_API, .version = 1, .name = "mine", .summary = ""};
    d->stage.infer = infer;
    d->stage.of = d;
    d->input.type = CT_CI8;
    d->decimate = d->grain = 1;
}

static void try_stage(const descriptor *d, const ct_stage *stage)
{
    ct_value *given = NULL;
    ct_step *step = NULL;
    ct_error err = {0};
    if (ct_value_parse(&given, d->json ? d->json : "{}", "node", NULL) != CT_OK) return;
    ct_status status = ct_step_new(&step, stage, "node", given, NULL, NULL, &err);
    if (status == CT_OK && stage->ports[0].direction == CT_IN) step->port[0] = d->input;
    if (status == CT_OK) status = ct_step_infer(step, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) fuzz_step_look(step);
    ct_step_free(step);
    ct_value_free(given);
}

void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    descriptor *d = malloc(sizeof *d);
    ct_context *context = NULL;
    ct_error err = {0};
    begin(d);
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        take_line(d, line);
    }
    d->stage.params = d->params;
    d->stage.tuning.tunables = d->tunables;
    d->stage.kernel.tiles = d->tiles;
    d->stage.tuning.terms = d->terms;
    d->stage.verify.cases = d->cases;
    if (ct_context_open(&context, &err) != CT_OK) fuzz_fail(err.text);
    const ct_status status = ct_context_add_stage(context, &d->stage, &err);
    fuzz_said(status, &err);
    if (status == CT_OK) try_stage(d, ct_context_stage(context, d->stage.name));
    ct_context_free(context);
    free(d);
    free(text);
}
