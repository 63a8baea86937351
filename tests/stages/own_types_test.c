/* own_types_test.c: a page that says an output's type by the input's, and what a block is a
 * multiple of; each mistake there with its place. Room: tests. Knows only cornerturn.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cornerturn.h"

static char folder[64];

static void put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A page with these in it, and a pipeline of such samples; says: in an error or a warning; NULL
 * where all is right. */
static void check(const char *in, const char *out, const char *grain, const char *type, int block,
                  const char *says)
{
    char text[1024];
    ct_error err = {0};
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    snprintf(text, sizeof text,
             "{ \"cornerturn\": 1, \"stage\": \"half\", \"source\": \"half.cl\", \"entry\": "
             "\"half\",\n  \"ports\": {\n"
             "    \"X\": { \"is\": \"in\", \"dims\": \"T\", \"types\": %s },\n"
             "    \"Y\": { \"is\": \"out\", \"dims\": \"T\", \"types\": %s } },\n"
             "  \"parallel\": \"T\", \"grain\": %s }\n",
             in, out, grain);
    put("half.json", text);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"stages\": [\"half.json\"], \"nodes\": {"
             "\"in\": {\"stage\": \"source.raw\", \"file\": \"x\", \"dims\": \"T\", \"type\": "
             "\"%s\"}, \"h\": {\"stage\": \"half\", \"input\": \"in\"},"
             "\"out\": {\"stage\": \"sink.raw\", \"input\": \"h\", \"file\": \"y\"}}}",
             block, type);
    put("try.json", text);
    snprintf(text, sizeof text, "%s/try.json", folder);
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    const ct_status status = ct_graph_load(&graph, context, text, NULL, &err);
    if (!says && status != CT_OK) fail_msg("%s", err.text);
    const char *said = status == CT_OK ? ct_graph_warnings(graph) : err.text;
    if (says && !strstr(said, says)) fail_msg("\"%s\" does not say \"%s\"", said, says);
    ct_graph_free(graph);
    ct_context_free(context);
}

static void types_and_grains(void **state)
{
    static const char both[] = "\"cf32 f32\"", by[] = "{\"cf32\": \"ci8\", \"f32\": \"i8\"}";
    (void)state;
    check(both, by, "4", "f32", 12, NULL);
    check(both, by, "\"2 * 3\"", "cf32", 12, NULL);
    check(both, by, "8", "f32", 12, NULL); /* samples are gathered */
    check(both, by, "0", "f32", 12, "/grain");
    check(both, by, "\"2 *\"", "f32", 12, "/grain");
    check("\"cf32 f32 i16\"", by, "1", "i16", 12, "does not say which type Y has for i16");
    check(both, "{\"cf32\": \"c8\", \"f32\": \"i8\"}", "1", "f32", 12,
          "half.json:4:56: /ports/Y/types/cf32: expected a type, found \"c8\"");
    check(both, "{\"f31\": \"i8\"}", "1", "f32", 12, "expected a type, found \"f31\"");
    check(by, "\"f32\"", "1", "f32", 12, "only an output's type follows from that of port X");
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/own_types_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    put("half.cl", "kernel void half(CT_ARGS) { Y_SAVE(ID_T, X_LOAD(ID_T)); }\n");
    put("x", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
             "0123456789abcdef");
    return 0;
}

static int drop_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(types_and_grains)};
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
