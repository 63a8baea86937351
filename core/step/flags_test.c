/* flags_test.c: which ports may take and give flags, and of which stations: each mistake is a
 * sentence. Room: tests of core/step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "step.h"

static const ct_stage sound = {.api = CT_API,
                               .name = "find",
                               .ports = {{"X", CT_IN, 0, "[BS]?TC", "f32", "*", NULL, ""},
                                         {"M", CT_IN, CT_PORT_FLAGS, "ST", "u8", "*", NULL, ""},
                                         {"F", CT_OUT, CT_PORT_FLAGS, "S?T", "u8", "*", NULL, ""},
                                         {"Y", CT_OUT, 0, "[BS]?TC", "f32", "*", NULL, ""}}};

static void add(const ct_stage *stage, const char *says)
{
    ct_context *context;
    ct_error err = {0};
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    assert_int_equal(ct_context_add_stage(context, stage, &err), says ? CT_INVALID : CT_OK);
    if (says && !strstr(err.text, says)) fail_msg("\"%s\" does not say \"%s\"", err.text, says);
    ct_context_free(context);
}

static void descriptors(void **state)
{
    static const struct {
        int port;
        ct_direction direction;
        unsigned flags;
        const char *dims, *types, *says;
    } rows[] = {
        {2, CT_OUT, CT_PORT_FLAGS, "T", "u8", NULL},
        {2, CT_OUT, CT_PORT_FLAGS, "TS", "u8", NULL},
        {2, CT_OUT, CT_PORT_FLAGS, "ST", "u8 i8",
         "port F: flags that a stage gives have the type u8"},
        {2, CT_OUT, CT_PORT_FLAGS, "[BS]T", "u8",
         "port F: flags that a stage gives have the dims ST"},
        {2, CT_OUT, CT_PORT_FLAGS, "STC", "u8", NULL},
        {2, CT_OUT, CT_PORT_FLAGS, "S?TC?", "u8", NULL},
        {2, CT_OUT, CT_PORT_FLAGS, "STD", "u8", "dims ST"},
        {2, CT_OUT, CT_PORT_FLAGS, "S", "u8", "dims ST"},
        {2, CT_TABLE, CT_PORT_FLAGS, "ST", "u8", "port F: flags are an input or an output"},
        {2, CT_IN, CT_PORT_FLAGS, "ST", "u8", "port F: another port has the flags"},
        {3, CT_OUT, CT_PORT_FLAGS, "ST", "u8", "port Y: another port has the flags"},
        {3, CT_OUT, CT_PORT_ACCUMULATE, "T", "f32", "port F: where another output gathers"},
        {0, CT_IN, CT_PORT_FLAGS, "ST", "u8", "port X: flags stand beside the data"},
    };
    (void)state;
    add(&sound, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_stage stage = sound;
        ct_port *port = &stage.ports[rows[i].port];
        port->direction = rows[i].direction;
        port->flags = rows[i].flags;
        port->dims = rows[i].dims;
        port->types = rows[i].types;
        add(&stage, rows[i].says);
    }
    ct_stage source = {.api = CT_API,
                       .name = "source",
                       .ports = {{"Y", CT_OUT, CT_PORT_FLAGS, "ST", "u8", "*", NULL, ""}}};
    add(&source, "port Y: a source says in its read()");
}

/* Of such data (`dims`, 3 of all but T); what F is then, or what is said. */
static void shape(const ct_stage *stage, const char *dims, const char *gives, const char *says)
{
    ct_step *step;
    ct_error err = {0};
    assert_int_equal(ct_step_new(&step, stage, "find", NULL, NULL, NULL, &err), CT_OK);
    step->port[0].type = CT_F32;
    for (const char *dim = dims; *dim; dim++)
        ct_array_add(&step->port[0], *dim, *dim == 'T' ? 7 : 3);
    assert_int_equal(ct_step_infer(step, &err), says ? CT_INVALID : CT_OK);
    if (says && !strstr(err.text, says)) fail_msg("\"%s\" does not say \"%s\"", err.text, says);
    if (gives) assert_string_equal(step->port[2].dim, gives);
    ct_step_free(step);
}

static ct_status sum_stations(ct_step *step, ct_error *err)
{
    (void)err;
    ct_array *y = ct_step_port(step, "Y");
    y->rank = 0;
    ct_array_add(y, 'T', 0);
    ct_array_add(y, 'C', 3);
    return CT_OK;
}

static void shapes(void **state)
{
    ct_stage stage = sound;
    (void)state;
    shape(&stage, "STC", "ST", NULL);
    shape(&stage, "BTC", "T", NULL);
    shape(&stage, "TC", "T", NULL);
    stage.ports[2].dims = "T";
    shape(&stage, "STC", "T", NULL);
    stage.ports[2].dims = "ST";
    shape(&stage, "STC", "ST", NULL);
    shape(&stage, "BTC", NULL,
          "port F flags samples of stations, and the data have none (dimensions BTC); a stage that "
          "flags any data declares S?T");
    stage.infer = sum_stations;
    shape(&stage, "STC", NULL,
          "port F flags 3 stations, port Y has 1 (dimensions TC): expected as many, or flags "
          "without S");
    stage.ports[2].dims = "T";
    shape(&stage, "STC", "T", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(descriptors), cmocka_unit_test(shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
