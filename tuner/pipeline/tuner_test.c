/* tuner_test.c: what is the same work is measured once: within a batch, across batches, and after a
 * journal was read again; what failed by bad luck, and what another step's default is behind, is
 * measured for itself. Room: tuner/pipeline. */
#include "lines.h"
#include "variant.h"

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

/* A meter for which cells of one class are the same work, and the n-th measurement takes n. */
typedef struct fixture {
    ct_context *context;
    ct_graph *graph;
    ct_variant *variant;
    char journal[64];
    int asked;
    int watched, sets; /* measurements of this site with other tunables than the defaults */
    ct_end end;
} fixture;

enum { CLASSES = 3 };

static ct_status same(void *of, const ct_question *questions, int count,
                      char (*digests)[CT_METER_SAME], ct_error *err)
{
    (void)of, (void)err;
    for (int i = 0; i < count; i++) {
        const int64_t place = questions[i].site < 0 ? questions[i].to : questions[i].cell;
        snprintf(digests[i], CT_METER_SAME, "%s%d", questions[i].tunables ? "t" : "",
                 (int)(place % CLASSES));
    }
    return CT_OK;
}

static ct_status ask(void *of, const ct_question *questions, int count,
                     ct_status (*told)(void *, const ct_question *, const ct_answer *, ct_error *),
                     void *to, ct_error *err)
{
    fixture *f = of;
    for (int i = 0; i < count; i++) {
        ct_answer answer = {.end = f->end, .build_s = 1};
        f->asked++;
        if (questions[i].tunables && questions[i].site == f->watched) {
            f->sets++;
            assert_string_equal(questions[i].tunables, "{\"A\":2,\"B\":3}");
        }
        for (int p = 0; f->end == CT_END_correct && p < 3; p++) {
            answer.seconds[p] = f->asked;
            answer.usual[p] = 1;
            answer.count = p + 1;
        }
        assert_int_equal(told(to, &questions[i], &answer, err), CT_OK);
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
    assert_int_equal(ct_variant_new(&f->variant, f->graph, NULL, &err), CT_OK);
    f->variant->meter = (ct_meter){.of = f, .ask = ask, .same = same, .now = now};
    assert_int_equal(ct_variant_ready(f->variant, &options, &err), CT_OK);
    ct_tuner *tuner = &f->variant->tuner;
    assert_int_equal(ct_record_open(&tuner->record, f->journal, head, false, &err), CT_OK);
    return tuner;
}

static void close_fixture(fixture *f)
{
    ct_record_close(f->variant->tuner.record);
    unlink(f->journal);
    ct_variant_free(f->variant);
    ct_graph_free(f->graph);
    ct_context_free(f->context);
}

static void ask_cells(ct_tuner *tuner, const char *node, int first, int count, const char *tunables)
{
    ct_question questions[64];
    for (int i = 0; i < count; i++)
        questions[i] = (ct_question){
            .site = ct_space_find(tuner->space, node), .cell = first + i, .tunables = tunables};
    assert_int_equal(ct_tuner_ask(tuner, questions, count, false, NULL), CT_OK);
}

static double ratio(const ct_tuner *tuner, const char *node, int cell)
{
    const ct_question q = {.site = ct_space_find(tuner->space, node), .cell = cell};
    return ct_book_entry(tuner->book, &q)->ratio;
}

static void one_stands_for_all_that_are_the_same(void **state)
{
    fixture f;
    (void)state;
    ct_tuner *tuner = open_fixture(&f);
    ask_cells(tuner, "fft", 0, 7, NULL);
    assert_int_equal(f.asked, CLASSES);
    assert_int_equal(tuner->book->measured, CLASSES);
    for (int cell = 0; cell < 7; cell++)
        assert_true(fabs(ratio(tuner, "fft", cell) - (cell % CLASSES + 1)) < 1e-9);
    ask_cells(tuner, "fft", 7, 30, NULL);
    assert_int_equal(f.asked, CLASSES);
    ask_cells(tuner, "fft", 0, 1, "{ \"WG\": 2 }"); /* other work */
    assert_int_equal(f.asked, CLASSES + 1);
    ask_cells(tuner, "fir", 0, 1, NULL); /* another default */
    assert_int_equal(f.asked, CLASSES + 2);
    close_fixture(&f);
}

static void transposes_of_all_arrays_are_one(void **state)
{
    fixture f;
    (void)state;
    ct_tuner *tuner = open_fixture(&f);
    const ct_question questions[] = {{.site = -1, .spot = 0, .to = 1},
                                     {.site = -1, .spot = 1, .to = 1},
                                     {.site = -1, .spot = 1, .to = 4},
                                     {.site = -1, .spot = 1, .to = 2}};
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
    ask_cells(tuner, "fft", 0, 2 * CLASSES, NULL);
    assert_int_equal(f.asked, 2 * CLASSES);
    f.end = CT_END_compile;
    ask_cells(tuner, "fft", 2 * CLASSES, 2 * CLASSES, NULL);
    assert_int_equal(f.asked, 3 * CLASSES);
    close_fixture(&f);
}

/* Further pairs of what stands for others are not shared: contenders are told apart by them. */
static void further_pairs_are_measured(void **state)
{
    fixture f;
    (void)state;
    ct_tuner *tuner = open_fixture(&f);
    ask_cells(tuner, "fft", 0, 2 * CLASSES, NULL);
    const ct_question again = {.site = ct_space_find(tuner->space, "fft"), .cell = CLASSES};
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
    ask_cells(tuner, "fft", 0, 7, NULL);
    ct_record_close(tuner->record);
    assert_int_equal(ct_record_open(&tuner->record, f.journal, head, true, NULL), CT_OK);
    ct_same read = {NULL};
    for (size_t n = 1; n < ct_record_count(tuner->record); n++) {
        ct_question q;
        ct_answer answer;
        assert_int_equal(ct_lines_read(ct_record_line(tuner->record, n), tuner->space, &q, &answer,
                                       tuner->arena, NULL),
                         CT_OK);
        *(answer.taken ? &taken : &measured) += 1;
        if (!answer.taken) ct_same_keep(&read, q.site, q.same, &answer, tuner->arena);
    }
    assert_int_equal(measured, CLASSES);
    assert_int_equal(taken, 7 - CLASSES);
    for (int c = 0; c < CLASSES; c++) {
        const char digest[] = {(char)('0' + c), '\0'};
        const ct_answer *own = ct_same_find(&read, ct_space_find(tuner->space, "fft"), digest);
        assert_non_null(own);
        assert_true(fabs(own->seconds[0] - (c + 1)) < 1e-9);
    }
    close_fixture(&f);
}

/* Two values that can only come with each other. */
static ct_status tunables(void *of, const char *step, const char *text, ct_value **out,
                          ct_error *err)
{
    (void)of, (void)step, (void)text;
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
    f.variant->meter.same = NULL;
    f.variant->meter.tunables = tunables;
    f.watched = ct_space_find(tuner->space, "fft");
    ask_cells(tuner, "fir", 0, 1, NULL);
    ask_cells(tuner, "fft", 0, 1, NULL);
    assert_int_equal(ct_values_run(tuner, 1, NULL), CT_OK);
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
