/* ms_keep_test.c: a folder has what it had, whatever was done in it since. */
#include "io_trial.h"
#include "ms_keep.h"
#include "tree.h"
#include <errno.h>
#include <fcntl.h>

extern const ct_stage ct_stage_source_raw;

static void put(const char *name, const char *text)
{
    trial_write(trial_path(name), text, strlen(text));
}

static void expect(const char *name, const char *text)
{
    size_t bytes;
    uint8_t *found = trial_read(trial_path(name), &bytes);
    assert_string_equal(found, text);
    free(found);
}

static void fill(void)
{
    assert_int_equal(mkdir(trial_path("ms"), 0777), 0);
    assert_int_equal(mkdir(trial_path("ms/HISTORY"), 0777), 0);
    put("ms/table.dat", "three rows");
    put("ms/table.f1_TSM0", "tiles");
    put("ms/HISTORY/table.dat", "");
    put("ms/" CT_MS_RESERVE, "nothing");
}

static ct_ms_keep begin(trial *t)
{
    ct_error err = {0};
    assert_int_equal(trial_make(t, &ct_stage_source_raw, &err, "{'file': 'x'}"), CT_OK);
    const int folder = open(trial_path("ms"), O_RDONLY | O_DIRECTORY);
    assert_true(folder >= 0);
    return (ct_ms_keep){.step = t->step, .file = "v.ms", .folder = folder};
}

static void end(trial *t, const ct_ms_keep *keep)
{
    close(keep->folder);
    trial_free(t);
    assert_int_equal(ct_tree_remove(AT_FDCWD, trial_path("ms")), 0);
}

static void a_folder_has_what_it_had(void **unused)
{
    (void)unused;
    trial t;
    fill();
    ct_ms_keep keep = begin(&t);
    assert_ok(ct_ms_keep_take(&keep, err));
    uint8_t *copy = malloc(keep.bytes);
    const size_t bytes = keep.bytes;
    memcpy(copy, keep.image, bytes);
    put("ms/table.dat", "more rows than that, in a longer file");
    put("ms/table.f1_TSM0", "tiles and more tiles");
    put("ms/HISTORY/table.dat", "ended");
    put("ms/table.dat_tmp", "torn");
    put("ms/HISTORY/table.f0", "new");
    assert_int_equal(unlink(trial_path("ms/table.dat")), 0);
    assert_ok(ct_ms_keep_restore(&keep, copy, bytes, err));
    expect("ms/table.dat", "three rows");
    expect("ms/table.f1_TSM0", "tiles");
    expect("ms/HISTORY/table.dat", "");
    expect("ms/" CT_MS_RESERVE, "nothing");
    assert_int_equal(access(trial_path("ms/table.dat_tmp"), F_OK), -1);
    assert_int_equal(access(trial_path("ms/HISTORY/table.f0"), F_OK), -1);
    assert_ok(ct_ms_keep_take(&keep, err));
    assert_int_equal(keep.bytes, bytes);
    free(copy);
    end(&t, &keep);
}

/* Every beginning of an image, and tiles that are not there any more. */
static void what_is_not_whole_is_refused(void **unused)
{
    (void)unused;
    trial t;
    fill();
    ct_ms_keep keep = begin(&t);
    assert_ok(ct_ms_keep_take(&keep, err));
    uint8_t *copy = malloc(keep.bytes);
    const size_t bytes = keep.bytes;
    memcpy(copy, keep.image, bytes);
    size_t whole = 0; /* cut between two files */
    for (size_t cut = 0; cut < bytes; cut++) {
        ct_error err = {0};
        const ct_status status = ct_ms_keep_restore(&keep, copy, cut, &err);
        whole += status == CT_OK;
        if (status != CT_OK) assert_non_null(strstr(err.text, "is not whole"));
        put("ms/table.f1_TSM0", "tiles");
    }
    assert_int_equal(whole, 2); /* of three files */
    assert_int_equal(truncate(trial_path("ms/table.f1_TSM0"), 3), 0);
    assert_fails(ct_ms_keep_restore(&keep, copy, bytes, err), CT_DATA,
                 "v.ms: table.f1_TSM0 in it is shorter than the journal says");
    free(copy);
    end(&t, &keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_has_what_it_had),
        cmocka_unit_test(what_is_not_whole_is_refused),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
