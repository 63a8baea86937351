/* resume_test.c: "Going on": what a run leaves that was cancelled, another one takes up, and writes
 * what an undisturbed one writes; and what is kept of a run that failed says so. */
#include "resume.h"

#include "journal.h"

static void one_goes_on_where_another_ended(void **state)
{
    contract c;
    ct_error err;
    bytes whole[OUTPUTS];
    (void)state;
    prepare(&c, whole);
    for (int first = 1; first < 7; first++) {
        some_blocks(&c, 0, first);
        if (first > 3) some_blocks(&c, first, 1);
        contract_must(go_on(&c, &err), &err);
        compare(&c, whole);
    }
    done(&c, whole);
}

static void without_a_block_nothing_is_left(void **state)
{
    contract c;
    ct_error err = {0};
    bytes whole[OUTPUTS];
    int count;
    (void)state;
    prepare(&c, whole);
    begin(&c);
    contract_must(ct_run_resume(c.run, 0, NULL, &err), &err);
    end(&c);
    (void)hidden(&c, "", &count);
    assert_int_equal(count, 0);
    done(&c, whole);
}

/* It begins anew, and what was left goes. */
static void without_a_journal_what_was_left_is_removed(void **state)
{
    contract c;
    ct_error err = {0};
    bytes whole[OUTPUTS];
    (void)state;
    prepare(&c, whole);
    some_blocks(&c, 0, 3);
    begin(&c);
    ct_status status = CT_OK;
    while (status == CT_OK)
        status = ct_run_block(c.run, &err);
    contract_must(ct_run_finish(c.run, &err), &err);
    end(&c);
    compare(&c, whole);
    done(&c, whole);
}

static void one_at_a_time(void **state)
{
    contract c;
    ct_error err = {0};
    bytes whole[OUTPUTS];
    ct_run *other = NULL;
    (void)state;
    prepare(&c, whole);
    begin(&c);
    contract_must(ct_run_resume(c.run, 0, NULL, &err), &err);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_new(&other, c.plan, c.device, &err), &err);
    assert_int_equal(ct_run_resume(other, 0, NULL, &err), CT_DATA);
    assert_non_null(strstr(err.text, "another run is writing this journal"));
    ct_run_free(other);
    end(&c);
    contract_must(go_on(&c, &err), &err);
    compare(&c, whole);
    done(&c, whole);
}

/* Between two names: the last line says that all is whole. */
static void names_are_given_later(void **state)
{
    contract c;
    ct_error err = {0};
    bytes whole[OUTPUTS];
    ct_journal *journal = NULL;
    int count;
    (void)state;
    prepare(&c, whole);
    some_blocks(&c, 0, 3);
    contract_must(ct_journal_open(&journal, in_folder(&c, "a.npy"), &err), &err);
    contract_must(ct_journal_add(journal, "{\"sealed\": true}", &err), &err);
    ct_journal_close(journal, false);
    assert_int_equal(unlink(in_folder(&c, hidden(&c, ".held", &count))), 0); /* as if renamed */
    assert_int_equal(go_on(&c, &err), CT_EOF);
    (void)hidden(&c, "", &count);
    assert_int_equal(count, 0);
    assert_int_equal(contract_files(&c), 1 + OUTPUTS); /* in.raw, and all names but one */
    done(&c, whole);
}

static void who_cannot_is_named(void **state)
{
    contract c;
    ct_error err = {0};
    bytes whole[OUTPUTS];
    contract_end sink = {0};
    (void)state;
    prepare(&c, whole);
    begin(&c);
    contract_bind(c.run, "c", &sink);
    assert_int_equal(ct_run_resume(c.run, 0, NULL, &err), CT_USAGE);
    assert_non_null(
        strstr(err.text, "node \"c\": what ct_run_bind gave it cannot be taken up again"));
    end(&c);
    done(&c, whole);
}

static void what_was_finished_is_kept(void **state)
{
    contract c;
    ct_error err = {0};
    bytes whole[OUTPUTS];
    int count;
    (void)state;
    prepare(&c, whole);
    begin(&c);
    contract_must(ct_run_keep(c.run, &err), &err);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_block(c.run, &err), &err);
    ct_run_cancel(c.run);
    assert_int_equal(ct_run_block(c.run, &err), CT_INTERRUPTED);
    assert_int_equal(ct_run_finish(c.run, NULL), CT_INTERRUPTED);
    assert_non_null(ct_run_file(c.run, OUTPUTS));
    end(&c);
    bytes raw = get(&c, "c.raw"), about = get(&c, "c.raw.json");
    assert_int_equal(raw.size, 300 * 4);
    assert_memory_equal(raw.data, whole[3].data, raw.size);
    about.data[about.size] = 0;
    assert_non_null(strstr(about.data, "\"incomplete\": \"stopped after block 2 of 7\""));
    (void)hidden(&c, "", &count);
    assert_int_equal(count, 0);
    free(raw.data);
    free(about.data);
    done(&c, whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_goes_on_where_another_ended),
        cmocka_unit_test(without_a_block_nothing_is_left),
        cmocka_unit_test(without_a_journal_what_was_left_is_removed),
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(names_are_given_later),
        cmocka_unit_test(who_cannot_is_named),
        cmocka_unit_test(what_was_finished_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
