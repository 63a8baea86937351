/* choices_test.c: every word of every parameter's choices, of every stage but sinks: it is taken,
 * the kernel gives what the reference gives, and no two words give the same. Room: tests. A new
 * word of a new stage is found by itself; what it needs beside itself is said in `beside`, what a
 * source needs in `sources`. */
#include "capture.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "exhaustive.h"
#include "io_trial.h"
#include "step_inner.h"
#include "verify_inner.h"

enum { WORDS = 16 };

/* What must be given beside a word (%s: the test's folder), or in place of a case's parameters. */
static const struct {
    const char *stage, *param, *word, *more;
    bool alone;
} beside[] = {
    {"fir", "window", "file", "\"file\": \"%s/taps.npy\"", false},
    {"ppf", "window", "file", "\"file\": \"%s/taps.npy\"", false},
    {"beamformer", "mode", "incoherent", NULL, true},
    {"products", "feed", "linear", "\"products\": \"Q\", \"from\": \"AABBCRCI\"", true},
    {"products", "feed", "circular", "\"products\": \"Q\", \"from\": \"AABBCRCI\"", true},
    {"source.simulate", "type", "u8", "\"kind\": \"filterbank\"", false},
    {"source.simulate", "type", "u16", "\"kind\": \"filterbank\"", false},
    {"source.simulate", "type", "f32", "\"kind\": \"filterbank\"", false},
};

/* Sources have no reference: what they read is captured. */
static const struct {
    const char *stage, *params;
} sources[] = {
    {"source.simulate", "{\"samples\": 500, \"pulses\": [{\"time_s\": 1e-3, \"width_s\": 1e-4,"
                        " \"amplitude\": 5, \"dm\": 0}]}"},
    {"source.lofar", "{\"files\": [[\"%s/early.udp\"], [\"%s/late.udp\"]]}"},
    {"source.dada", "{\"files\": \"%s/three.dada\"}"},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- parameters with one word set */

/* Without what it says of the parameter itself. */
static void leave_out(char *given, const char *param)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": \"", param);
    char *at = strstr(given, key);
    if (!at) return;
    char *end = strchr(at + strlen(key), '"') + 1;
    end += strspn(end, ", ");
    memmove(at, end, strlen(end) + 1);
    if (*at == '}' && at > given + 1) memmove(at - 2, at, strlen(at) + 1); /* it was the last */
}

static void print_params(char *out, size_t size, const ct_stage *stage, const char *base,
                         const char *param, const char *word)
{
    char text[2048], more[512] = "", given[1024];
    snprintf(given, sizeof given, "%s", base ? base : "{}");
    leave_out(given, param);
    for (size_t i = 0; i < COUNT(beside); i++) {
        if (strcmp(beside[i].stage, stage->name) != 0 || strcmp(beside[i].param, param) != 0 ||
            strcmp(beside[i].word, word) != 0)
            continue;
        if (beside[i].alone) snprintf(given, sizeof given, "{}");
        if (beside[i].more) snprintf(more, sizeof more, ", %s", beside[i].more);
    }
    int length = (int)strlen(given) - 1; /* without the brace */
    snprintf(text, sizeof text, "%.*s%s\"%s\": \"%s\"%s}", length, given, length > 1 ? ", " : "",
             param, word, more);
    snprintf(out, size, "%s", "");
    for (const char *at = text; *at; at++) {
        size_t have = strlen(out);
        bool folder = at[0] == '%' && at[1] == 's';
        snprintf(out + have, size - have, "%.*s", folder ? 64 : 1, folder ? trial_folder : at);
        at += folder;
    }
}

static int split_words(char words[WORDS][32], const char *choices)
{
    int count = 0, length;
    for (; sscanf(choices, "%31s%n", words[count < WORDS ? count : 0], &length) == 1;
         choices += length)
        count++;
    assert_in_range(count, 1, WORDS);
    return count;
}

/* ---- stages with kernels: verify's cases */

typedef struct word_case {
    char word[32], params[4096];
    ct_stage stage; /* with this case and no other */
    ct_case cases[2];
    verify_case made;
} word_case;

static void free_words(word_case *words, int count)
{
    for (int w = 0; w < count; w++)
        ct_verify_case_free(&words[w].made);
}

/* False where the case does not take the word. */
static bool make_word(word_case *one, const ct_stage *stage, const ct_case *base, const char *param,
                      ct_device *device, ct_error *err)
{
    print_params(one->params, sizeof one->params, stage, base->params, param, one->word);
    one->stage = *stage;
    one->stage.name = "trial";
    one->stage.split = NULL; /* told of all cases together: tuner.verify's part */
    one->cases[0] = *base;
    one->cases[0].params = one->params;
    one->stage.verify.cases = one->cases;
    return ct_verify_case_new(&one->made, &one->stage, NULL, 1, true, device, err) == CT_OK;
}

/* Type, shape or numbers of an output. */
static bool outputs_differ(const verify_case *a, const verify_case *b)
{
    for (int i = 0; i < CT_PORTS && a->step->stage->ports[i].name; i++) {
        const ct_array *x = &a->port[i], *y = &b->port[i];
        if (a->step->stage->ports[i].direction != CT_OUT || x->type == CT_NONE) continue;
        if (a->step->port[i].type != b->step->port[i].type) return true;
        if (ct_array_bytes(x) != ct_array_bytes(y) || strcmp(x->dim, y->dim) != 0) return true;
        if (memcmp(x->data, y->data, ct_array_bytes(x)) != 0) return true;
    }
    return false;
}

static bool all_differ(const word_case *words, int count)
{
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            if (!outputs_differ(&words[a].made, &words[b].made)) return false;
    return true;
}

static const char *natural(const verify_case *made, ct_direction direction)
{
    for (int i = 0; i < CT_PORTS; i++)
        if (made->step->stage->ports[i].direction == direction) return made->step->port[i].dim;
    return NULL;
}

/* In natural layouts: all of them are tuner.verify's part. */
static void verify_word(const word_case *one, const ct_stage *stage, ct_device *device)
{
    ct_context *context = NULL;
    ct_verify_report report = {.size = sizeof report};
    const ct_verify_options some = {.size = sizeof some,
                                    .read = natural(&one->made, CT_IN),
                                    .write = natural(&one->made, CT_OUT),
                                    .most_tunables = 1,
                                    .parts = 8}; /* the first of eight */
    ct_error found = {0};
    assert_ok(ct_context_open(&context, err));
    assert_ok(ct_context_add_stage(context, &one->stage, err));
    if (ct_tune_verify(context, device, "trial", &some, &report, &found) != CT_OK)
        fail_msg("%s: %s: %s", stage->name, one->params, found.text);
    assert_true(report.layouts > 0 && report.wrong == 0);
    ct_context_free(context);
}

/* With this case: all words are taken, and differ. */
static bool try_case(word_case *words, const ct_stage *stage, const ct_case *base,
                     const ct_param *param, ct_device *device, ct_error *err)
{
    char word[WORDS][32];
    int count = split_words(word, param->choices), made = 0;
    bool fits = true;
    for (; made < count && fits; made += fits) {
        memcpy(words[made].word, word[made], sizeof word[made]);
        fits = make_word(&words[made], stage, base, param->name, device, err);
    }
    fits = fits && all_differ(words, count);
    for (int w = 0; w < count && fits; w++)
        verify_word(&words[w], stage, device);
    free_words(words, made);
    return fits;
}

static void check_kernel(const ct_stage *stage, const ct_param *param, ct_device *device)
{
    ct_error err = {0};
    word_case *words = calloc(WORDS, sizeof *words);
    bool fits = false;
    for (int c = 0; stage->verify.cases[c].extents && !fits; c++)
        fits = try_case(words, stage, &stage->verify.cases[c], param, device, &err);
    free(words);
    if (!fits)
        fail_msg("%s: %s: no case takes all of \"%s\" and tells them apart\n%s", stage->name,
                 param->name, param->choices, err.text);
}

/* ---- sources: what they read */

static void read_word(capture *out, const ct_stage *stage, const char *base, const char *param,
                      const char *word)
{
    static const char *const sinks[] = {"out", NULL};
    char params[4096], text[8192];
    ct_error err = {0};
    print_params(params, sizeof params, stage, base, param, word);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"%s\", %s, \"out\": {\"stage\": "
             "\"sink.npy\", \"input\": \"in\", \"file\": \"/tmp/none.npy\"}}}",
             stage->name, params + 1);
    if (capture_run(text, sinks, out, &err) != CT_OK) fail_msg("%s\n%s", text, err.text);
    bool silent = true;
    for (int64_t i = 0; i < 2 * out->samples * out->count; i++)
        silent = silent && out->value[i] == 0;
    assert_false(silent);
}

static bool captures_differ(const capture *a, const capture *b)
{
    if (a->each.type != b->each.type || a->samples != b->samples || a->count != b->count)
        return true;
    return memcmp(a->value, b->value, sizeof(double) * 2 * (size_t)(a->samples * a->count)) != 0;
}

static void check_source(const ct_stage *stage, const ct_param *param)
{
    char word[WORDS][32];
    const char *base = NULL;
    /* It names what is read: tests/io/products_test.sh. */
    if (!strcmp(param->name, "feed")) return;
    capture *read = calloc(WORDS, sizeof *read);
    int count = split_words(word, param->choices);
    for (size_t i = 0; i < COUNT(sources); i++)
        if (!strcmp(sources[i].stage, stage->name)) base = sources[i].params;
    if (!base) fail_msg("%s has choices: say in `sources` how it is read", stage->name);
    for (int w = 0; w < count; w++)
        read_word(&read[w], stage, base, param->name, word[w]);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            if (!captures_differ(&read[a], &read[b]))
                fail_msg("%s: %s: \"%s\" and \"%s\" give the same", stage->name, param->name,
                         word[a], word[b]);
    for (int w = 0; w < count; w++)
        capture_free(&read[w]);
    free(read);
}

/* ---- all of them */

static void write_file(const char *name, const char *sink, const char *subbands,
                       const char *start_mjd)
{
    char text[1024];
    ct_error err = {0};
    const char *const none[] = {NULL};
    snprintf(
        text, sizeof text,
        "{\"cornerturn\": 1, \"nodes\": {\"sky\": {\"stage\": \"source.simulate\", \"stations\": "
        "1, \"samples\": 4096, %s\"start_mjd\": %s}, \"out\": {\"stage\": \"%s\", "
        "\"input\": \"sky\", \"file\": \"%s/%s\"}}}",
        subbands, start_mjd, sink, trial_folder, name);
    if (capture_run(text, none, NULL, &err) != CT_OK) fail_msg("%s", err.text);
}

static void every_word_works_and_differs(void **state)
{
    ct_context *context = NULL;
    ct_device *device = NULL;
    const ct_stage *stage;
    float taps[14 * 4];
    int checked = 0;
    (void)state;
    for (int i = 0; i < 14 * 4; i++)
        taps[i] = (float)(1 + i % 5);
    trial_npy(trial_path("taps.npy"), "{'descr': '<f4', 'fortran_order': False, 'shape': (56,)}\n",
              taps, sizeof taps);
    write_file("early.udp", "sink.lofar", "", "60000");
    write_file("late.udp", "sink.lofar", "", "60000.0000001");
    write_file("three.dada", "sink.dada", "\"subbands\": 3, ", "60000");
    assert_ok(ct_context_open(&context, err));
    assert_ok(ct_device_open(&device, NULL, err));
    for (size_t i = 0; (stage = ct_context_stage_at(context, i)); i++)
        for (const ct_param *p = stage->params; p && p->name; p++) {
            if (p->kind != CT_PARAM_TEXT || !p->choices) continue;
            if (ct_role_of_stage(stage) == CT_ROLE_SINK) continue; /* files: tests.io.fill */
            if (checked++ % few_or_all(3, 1) != 0) continue;
            if (stage->verify.reference)
                check_kernel(stage, p, device);
            else
                check_source(stage, p);
        }
    assert_true(checked >= 12);
    ct_device_free(device);
    ct_context_free(context);
}

/* What is said here is of stages, parameters and words that there are. */
static void every_word_beside_is_a_choice(void **state)
{
    ct_context *context = NULL;
    (void)state;
    assert_ok(ct_context_open(&context, err));
    for (size_t i = 0; i < COUNT(beside); i++) {
        const ct_stage *stage = ct_context_stage(context, beside[i].stage);
        assert_non_null(stage);
        const ct_param *found = ct_param_find(stage, beside[i].param, NULL);
        assert_non_null(found);
        assert_non_null(strstr(found->choices, beside[i].word));
    }
    ct_context_free(context);
}

static void a_default_is_a_choice(void **state)
{
    ct_context *context = NULL;
    const ct_param params[] = {{"mode", CT_PARAM_TEXT, "fats", "fast slow", 0, 0, "of the test"},
                               {0}};
    (void)state;
    assert_ok(ct_context_open(&context, err));
    ct_stage stage = *ct_context_stage(context, "detect");
    stage.name = "trial";
    stage.params = params;
    assert_fails(ct_context_add_stage(context, &stage, err), CT_INVALID,
                 "parameter \"mode\": the default \"fats\" is not among the choices: fast slow");
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_word_works_and_differs),
                                       cmocka_unit_test(every_word_beside_is_a_choice),
                                       cmocka_unit_test(a_default_is_a_choice)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
