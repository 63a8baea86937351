/* tuner_test.c: what is the same work is measured once: within a batch, across batches, and after a
 * journal was read again; what failed by bad luck, and what another step's default is behind, is
 * measured for itself.
 * Room: tuner/search. */
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fusion_variant.h"
#include "journal_lines.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char pipeline[] =
    "{ \"cornerturn\": 1, \"nodes\": {"
    "  \"v\": { \"stage\": \"source.simulate\", \"stations\": 2, \"samples\": 1024 },"
    "  \"fir\": { \"stage\": \"fir\", \"input\": \"v\", \"channels\": 8, \"taps\": 4 },"
    "  \"fft\": { \"stage\": \"fft\", \"input\": \"fir\" },"
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"/dev/null\" } } }";

static const char head[] = "{\"cornerturn_journal\":1,\"key\":{},\"pipeline\":\"\"}";

/* A backend for which choices of one class are the same work, and the n-th measurement takes n. */
typedef struct fixture {
    ct_context *context;
    ct_graph *graph;
    ct_fusion_variant *variant;
    char journal[64];
    int asked;
    int watched, sets; /* measurements of this node with other tunables than the defaults */
    ct_end end;
} fixture;

enum { CLASSES = 3 };

static ct_status same(void *of, const ct_question *questions, int count,
                      char (*digests)[CT_BACKEND_DIGEST], ct_error *err)
{
    (void)of, (void)err;
    for (int i = 0; i < count; i++) {
        const int64_t place = questions[i].node < 0 ? questions[i].to : questions[i].choice;
        snprintf(digests[i], CT_BACKEND_DIGEST, "%s%d", questions[i].tunables ? "t" : "",
                 (int)(place % CLASSES));
    }
    return CT_OK;
}

static ct_status ask(void *of, const ct_question *questions, int count,
                     ct_status (*answered)(void *, const ct_question *, const ct_answer *,
                                           ct_error *),
                     void *to, ct_error *err)
{
    fixture *f = of;
    for (int i = 0; i < count; i++) {
        ct_answer answer = {.end = f->end, .build_s = 1};
        f->asked++;
        if (questions[i].tunables && questions[i].node == f->watched) {
            f->sets++;
            assert_string_equal(questions[i].tunables, "{\"A\":2,\"B\":3}");
        }
        for (int p = 0; f->end == CT_END_correct && p < 3; p++) {
            answer.seconds[p] = f->asked;
            answer.default_seconds[p] = 1;
            answer.count = p + 1;
        }
        assert_int_equal(answered(to, &questions[i], &answer, err), CT_OK);
    }
    return CT_OK;
}

static double now(void *of)
{
    (void)of;
    return 0;
}

static ct_tuner *open_fixture(fixture *f)
{
    ct_error err = {0};
    static const ct_tune options = {.size = sizeof options};
    *f = (fixture){.end = CT_END_correct, .watched = -1};
    snprintf(f->journal, sizeof f->journal, "/tmp/tuner_test.%ld.journal", (long)getpid());
    assert_int_equal(ct_context_open(&f->context, &err), CT_OK);
    assert_int_equal(ct_graph_parse(&f->graph, f->context, pipeline, "p.json", NULL, &err), CT_OK);
    assert_int_equal(ct_fusion_variant_new(&f->variant, f->graph, NULL, false, &err), CT_OK);
    f->variant->backend = (ct_backend){.of = f, .ask = ask, .digests = same, .now = now};
    assert_int_equal(ct_fusion_variant_ready(f->variant, &options, &err), CT_OK);
    ct_tuner *tuner = &f->variant->tuner;
    assert_int_equal(ct_tuning_journal_open(&tuner->journal, f->journal, head, false, &err), CT_OK);
    return tuner;
}

static void close_fixture(fixture *f)
{
    ct_tuning_journal_close(f->variant->tuner.journal);
    unlink(f->journal);
    ct_fusion_variant_free(f->variant);
    ct_graph_free(f->graph);
    ct_context_free(f->context);
}

static void ask_choices(ct_tuner *tuner, const char *node, int first, int count,
                        const char *tunables)
{
    ct_question questions[64];
    for (int i = 0; i < count; i++)
        questions[i] = (ct_question){
            .node = ct_space_find(tuner->space, node), .choice = first + i, .tunables = tunables};
    assert_int_equal(ct_tuner_ask(tuner, questions, count, false, NULL), CT_OK);
}

static double ratio(const ct_tuner *tuner, const char *node, int choice)
{
    const ct_question q = {.node = ct_space_find(tuner->space, node), .choice = choice};
    return ct_results_find(tuner->results, &q)->ratio;
}

static void one_stands_for_all_that_are_the_same(void **state)
{
    fixture f;
    (void)state;
    ct_tuner *tuner = open_fixture(&f);
    ask_choices(tuner, "fft", 0, 7, NULL);
    assert_int_equal(f.asked, CLASSES);
    assert_int_equal(tuner->results->measured, CLASSES);
    for (int choice = 0; choice < 7; choice++)
        assert_true(fabs(ratio(tuner, "fft", choice) - (choice % CLASSES + 1)) < 1e-9);
    ask_choices(tuner, "fft", 7, 30, NULL);
    assert_int_equal(f.asked, CLASSES);
    ask_choices(tuner, "fft", 0, 1, "{ \"WG\": 2 }"); /* other work */
    assert_int_equal(f.asked, CLASSES + 1);
    ask_choices(tuner, "fir", 0, 1, NULL); /* another default */
    assert_int_equal(f.asked, CLASSES + 2);
    close_fixture(&f);
}

static void transposes_of_all_arrays_are_one(void **state)
{
    fixture f;
    (void)state;
    ct_tuner *tuner = open_fixture(&f);
    const ct_question questions[] = {{.node = -1, .edge = 0, .to = 1},
                                     {.node = -1, .edge = 1, .to = 1},
                                     {.node = -1, .edge = 1, .to = 4},
                                     {.node = -1, .edge = 1, .to = 2}};
    assert_int_equal(ct_tuner_ask(tuner, questions, 4, false, NULL), CT_OK);
    assert_int_equal(f.asked, 2);
    close_fixture(&f);
}

static void bad_luck_stands_for_nothing(void **state)
{
    fixture f;
    (void)state;
    ct_tuner *tuner = open_fixture(&f);
    f.end = CT_END_timeout;
    ask_choices(tuner, "fft", 0, 2 * CLASSES, NULL);
    assert_int_equal(f.asked, 2 * CLASSES);
    f.end = CT_END_compile;
    ask_choices(tuner, "fft", 2 * CLASSES, 2 * CLASSES, NULL);
    assert_int_equal(f.asked, 3 * CLASSES);
    close_fixture(&f);
}

/* Further pairs are not shared with others of the same work: they distinguish candidates. */
static void further_pairs_are_measured(void **state)
{
    fixture f;
    (void)state;
    ct_tuner *tuner = open_fixture(&f);
    ask_choices(tuner, "fft", 0, 2 * CLASSES, NULL);
    const ct_question again = {.node = ct_space_find(tuner->space, "fft"), .choice = CLASSES};
    assert_int_equal(ct_tuner_ask(tuner, &again, 1, true, NULL), CT_OK);
    assert_int_equal(f.asked, CLASSES + 1);
    close_fixture(&f);
}

/* The journal's lines say which ones were taken, and what the others stand for. */
static void a_journal_keeps_what_stands_for_what(void **state)
{
    fixture f;
    int taken = 0, measured = 0;
    (void)state;
    ct_tuner *tuner = open_fixture(&f);
    ask_choices(tuner, "fft", 0, 7, NULL);
    ct_tuning_journal_close(tuner->journal);
    assert_int_equal(ct_tuning_journal_open(&tuner->journal, f.journal, head, true, NULL), CT_OK);
    ct_dedup read = {NULL};
    for (size_t n = 1; n < ct_tuning_journal_count(tuner->journal); n++) {
        ct_question q;
        ct_answer answer;
        assert_int_equal(ct_journal_lines_read(ct_tuning_journal_line(tuner->journal, n),
                                               tuner->space, &q, &answer, tuner->arena, NULL),
                         CT_OK);
        *(answer.taken ? &taken : &measured) += 1;
        if (!answer.taken) ct_dedup_keep(&read, q.node, q.same, &answer, tuner->arena);
    }
    assert_int_equal(measured, CLASSES);
    assert_int_equal(taken, 7 - CLASSES);
    for (int c = 0; c < CLASSES; c++) {
        const char digest[] = {(char)('0' + c), '\0'};
        const ct_answer *own = ct_dedup_find(&read, ct_space_find(tuner->space, "fft"), digest);
        assert_non_null(own);
        assert_true(fabs(own->seconds[0] - (c + 1)) < 1e-9);
    }
    close_fixture(&f);
}

/* Two values that can only come with each other. */
static ct_status tunables(void *of, const char *verb, const char *step, const char *text,
                          ct_value **out, ct_error *err)
{
    (void)of, (void)verb, (void)step, (void)text;
    return ct_value_parse(
        out,
        "{\"tunables\": [{\"name\": \"B\", \"value\": 1, \"values\": [{\"value\": 1, \"legal\": "
        "true}, {\"value\": 3, \"legal\": false, \"with\": {\"A\": 2}}]},"
        "{\"name\": \"A\", \"value\": 1, \"values\": [{\"value\": 1, \"legal\": true},"
        "{\"value\": 2, \"legal\": false, \"with\": {\"B\": 3}}]}]}",
        "tunables", err);
}

static void a_set_of_tunables_is_one_in_any_order(void **state)
{
    fixture f;
    (void)state;
    ct_tuner *tuner = open_fixture(&f);
    f.variant->backend.digests = NULL;
    f.variant->backend.about = tunables;
    f.watched = ct_space_find(tuner->space, "fft");
    ask_choices(tuner, "fir", 0, 1, NULL);
    ask_choices(tuner, "fft", 0, 1, NULL);
    assert_int_equal(ct_tunables_search_run(tuner, 1, NULL), CT_OK);
    assert_int_equal(f.sets, 1);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_stands_for_all_that_are_the_same),
                                       cmocka_unit_test(transposes_of_all_arrays_are_one),
                                       cmocka_unit_test(bad_luck_stands_for_nothing),
                                       cmocka_unit_test(further_pairs_are_measured),
                                       cmocka_unit_test(a_set_of_tunables_is_one_in_any_order),
                                       cmocka_unit_test(a_journal_keeps_what_stands_for_what)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
