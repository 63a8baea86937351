/* file_test.c: what was written comes back; a failure leaves nothing in its place. */
#include "file.h"
#include "memory.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int entries(const char *folder)
{
    DIR *list = opendir(folder);
    int count = 0;
    while (readdir(list) != NULL)
        count++;
    closedir(list);
    return count - 2; /* without . and .. */
}

static void writes_and_reads(void **state)
{
    char file[200], *back = NULL;
    size_t length = 0, size = 300007;
    snprintf(file, sizeof file, "%s/plan.json", (char *)*state);
    char *data = ct_memory_get(size);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)(i * 2654435761u >> 13);
    for (size_t part = 0; part <= size; part += part < 3 ? 1 : 65533) {
        ct_error err = {0};
        assert_int_equal(ct_file_write(file, data, part, &err), CT_OK);
        assert_int_equal(ct_file_read(&back, &length, file, &err), CT_OK);
        assert_int_equal(length, part);
        assert_memory_equal(back, data, part);
        assert_int_equal(back[length], 0);
        ct_memory_free(back);
    }
    assert_int_equal(entries(*state), 1);
    unlink(file);
    ct_memory_free(data);
}

static void a_failure_leaves_nothing(void **state)
{
    char folder[200], file[300];
    ct_error err = {0};
    snprintf(file, sizeof file, "%s/absent/plan.json", (char *)*state);
    assert_int_equal(ct_file_write(file, "x", 1, &err), CT_DATA);
    snprintf(folder, sizeof folder, "%s/taken", (char *)*state);
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(file, sizeof file, "%s/inside", folder);
    assert_int_equal(ct_file_write(file, "x", 1, &err), CT_OK);
    assert_int_equal(ct_file_write(folder, "x", 1, &err), CT_DATA); /* a folder has that name */
    assert_int_equal(entries(*state), 1);
    assert_int_equal(entries(folder), 1);
    assert_int_equal(err.count, 2);
    unlink(file);
    rmdir(folder);
}

static void a_full_disk_is_said(void **state)
{
    (void)state;
    ct_error err = {0};
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(ct_file_write("/dev/full", "x", 1, &err), CT_DATA);
    assert_string_equal(err.text, "/dev/full: cannot be written: No space left on device");
    assert_int_equal(access("/dev/full", W_OK), 0); /* devices are neither replaced nor removed */
}

static void unreadable(void **state)
{
    char *back = (char *)*state; /* any pointer: it must become NULL */
    size_t length = 5;
    ct_error err = {0};
    assert_int_equal(ct_file_read(&back, &length, *state, &err), CT_DATA); /* a folder */
    assert_null(back);
    assert_int_equal(ct_file_read(&back, &length, "/no/such/file", &err), CT_DATA);
    assert_non_null(strstr(err.text, "\n/no/such/file: cannot be read: No such file or directory"));
}

static bool same(const char *a, const char *b)
{
    ct_file_id one, other;
    ct_arena *arena = ct_arena_new();
    ct_file_identify(&one, a, arena);
    ct_file_identify(&other, b, arena);
    const bool found = one.any && other.any && ct_file_id_compare(&one, &other) == 0;
    ct_arena_free(arena);
    return found;
}

static void one_file_has_many_names(void **state)
{
    char there[2][256], not_yet[2][256];
    ct_error err = {0};
    for (int i = 0; i < 2; i++) {
        snprintf(there[i], sizeof there[i], "%s/%sa", (char *)*state, i ? "./" : "");
        snprintf(not_yet[i], sizeof not_yet[i], "%s/%sb", (char *)*state, i ? ".//" : "");
    }
    assert_int_equal(ct_file_write(there[0], "x", 1, &err), CT_OK);
    assert_true(same(there[0], there[1]));
    assert_true(same(not_yet[0], not_yet[1]));
    assert_true(same("no such file", "./no such file"));
    assert_false(same(there[0], not_yet[0]));
    assert_false(same("no such file", not_yet[0]));
    assert_false(same("/dev/null", "/dev/null"));
    assert_int_equal(unlink(there[0]), 0);
}

static int make_folder(void **state)
{
    static char folder[] = "/tmp/ct_file_XXXXXX";
    *state = mkdtemp(folder);
    return *state == NULL;
}

static int remove_folder(void **state)
{
    return rmdir(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_and_reads), cmocka_unit_test(a_failure_leaves_nothing),
        cmocka_unit_test(a_full_disk_is_said), cmocka_unit_test(unreadable),
        cmocka_unit_test(one_file_has_many_names)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
