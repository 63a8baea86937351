/* journal_test.c: a journal that is of another run, or damaged, is refused in one sentence, and
 * stays as it is. */
#include "resume.h"

#include <inttypes.h>

#include "checksum.h"

/* Whatever byte of the journal is another, or whatever is cut off: refused and left, or as ever. */
static void refused_or_right(contract *c, const bytes *journal, const char *name,
                             bytes whole[OUTPUTS])
{
    ct_error err;
    const ct_status status = go_on(c, &err);
    if (status == CT_OK) {
        compare(c, whole);
        some_blocks(c, 0, 3);
        return;
    }
    assert_int_equal(status, CT_DATA);
    assert_int_equal(err.count, 1);
    put(c, name, journal->data, journal->size);
}

static void damage_is_noticed(void **state)
{
    contract c;
    ct_error err;
    bytes whole[OUTPUTS];
    int count;
    (void)state;
    prepare(&c, whole);
    some_blocks(&c, 0, 3);
    char name[256];
    snprintf(name, sizeof name, "%s", hidden(&c, ".journal", &count));
    bytes journal = get(&c, name);
    for (size_t at = 0; at < journal.size; at += 61) {
        journal.data[at] ^= 4;
        put(&c, name, journal.data, journal.size);
        journal.data[at] ^= 4;
        refused_or_right(&c, &journal, name, whole);
        free(journal.data);
        journal = get(&c, name);
        put(&c, name, journal.data, at);
        refused_or_right(&c, &journal, name, whole);
        free(journal.data);
        journal = get(&c, name);
    }
    contract_must(go_on(&c, &err), &err);
    compare(&c, whole);
    free(journal.data);
    done(&c, whole);
}

/* Replaces a text in the journal's first line, whose checksum is right again. */
static void rewrite(const contract *c, const char *from, const char *to)
{
    int count;
    char name[256];
    snprintf(name, sizeof name, "%s", hidden(c, ".journal", &count));
    bytes journal = get(c, name);
    journal.data[journal.size] = 0;
    char *at = strstr(journal.data, from), *line = strchr(journal.data, '\n');
    assert_true(at && line && at < line);
    char *text = malloc(journal.size + 256);
    const int length =
        snprintf(text, journal.size + 256, "%.*s%s%.*s", (int)(at - journal.data) - 17,
                 journal.data + 17, to, (int)(line - at - (long)strlen(from)), at + strlen(from));
    FILE *out = fopen(in_folder(c, name), "w");
    fprintf(out, "%016" PRIx64 " %s%s", ct_checksum(text, (size_t)length), text, line);
    assert_int_equal(fclose(out), 0);
    free(text);
    free(journal.data);
}

static void what_is_another_is_said(void **state)
{
    static const char *const changes[][3] = {
        {"\"version\": \"", "\"version\": \"9", "another version of Cornerturn (9"},
        {"\"pipeline\": \"", "\"pipeline\": \"0", "another pipeline"},
        {"\"settings\": \"", "\"settings\": \"0", "other settings (--set, --dump)"},
        {"\"device\": \"", "\"device\": \"0", "another device"},
        {"\"block\": 1", "\"block\": 2", "another block"},
        {"\"plan\": \"", "\"plan\": \"0", "another plan"},
        {"\"bytes\": ", "\"bytes\": 1", "in.raw with another length or time of change"},
        {"\"changed\": \"", "\"changed\": \"1", "in.raw with another length or time of change"}};
    contract c;
    ct_error err;
    bytes whole[OUTPUTS];
    (void)state;
    prepare(&c, whole);
    some_blocks(&c, 0, 3);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        rewrite(&c, changes[i][0], changes[i][1]);
        assert_int_equal(go_on(&c, &err), CT_INVALID);
        assert_int_equal(err.count, 1);
        if (!strstr(err.text, changes[i][2])) fail_msg("%s: %s", changes[i][2], err.text);
        rewrite(&c, changes[i][1], changes[i][0]);
    }
    contract_must(go_on(&c, &err), &err);
    compare(&c, whole);
    done(&c, whole);
}

static void what_is_missing_is_said(void **state)
{
    static const char *const endings[] = {".held", ".state"};
    contract c;
    ct_error err;
    bytes whole[OUTPUTS];
    int count, after;
    (void)state;
    prepare(&c, whole);
    for (int i = 0; i < 2; i++) {
        some_blocks(&c, 0, 1);
        assert_int_equal(unlink(in_folder(&c, hidden(&c, endings[i], &count))), 0);
        assert_int_equal(go_on(&c, &err), CT_DATA);
        assert_int_equal(err.count, 1);
        (void)hidden(&c, "", &after);
        assert_int_equal(after, count - 1);
        assert_int_equal(unlink(in_folder(&c, hidden(&c, ".journal", &count))), 0);
    }
    done(&c, whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(what_is_another_is_said),
        cmocka_unit_test(what_is_missing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
