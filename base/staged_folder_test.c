/* staged_folder_test.c: folders in the making are as files are: nobody's business until they get
 * their names, with all that is in them. */
#include "cornerturn_stage.h"
#include "staged_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tree.h"

static char folder[64];

static const char *path(const char *name)
{
    static char paths[8][400];
    static unsigned next;
    char *out = paths[next++ % 8];
    snprintf(out, 400, "%s/%s", folder, name);
    return out;
}

static ct_staged *staged_new(void)
{
    ct_staged *staged = NULL;
    assert_int_equal(ct_staged_new(&staged, NULL), CT_OK);
    return staged;
}

/* Of all kinds, hidden ones too. */
static int entries(void)
{
    DIR *list = opendir(folder);
    int count = -2;
    while (readdir(list))
        count++;
    closedir(list);
    return count;
}

static void put(int at, const char *name, const char *text)
{
    const int handle = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(handle >= 0);
    assert_int_equal(write(handle, text, strlen(text)), strlen(text));
    assert_int_equal(close(handle), 0);
}

static void expect(const char *name, const char *text)
{
    char found[64] = "";
    const int handle = open(path(name), O_RDONLY);
    assert_true(handle >= 0);
    assert_true(read(handle, found, sizeof found - 1) >= 0);
    assert_int_equal(close(handle), 0);
    assert_string_equal(found, text);
}

/* A folder with a file, a folder with one in it, and a link that leads out of it. */
static void fill(int at, const char *text)
{
    put(at, "top", text);
    assert_int_equal(mkdirat(at, "sub", 0777), 0);
    assert_int_equal(symlinkat("../outside", at, "link"), 0);
    const int sub = openat(at, "sub", O_RDONLY | O_DIRECTORY);
    put(sub, "deep", text);
    assert_int_equal(close(sub), 0);
}

static ct_staged *begin(const char *name, const char *text)
{
    ct_error err = {0};
    ct_output_file made;
    ct_staged *staged = staged_new();
    assert_int_equal(ct_staged_add_folder(staged, path(name), &made, &err), CT_OK);
    fill(made.handle, text);
    assert_int_equal(close(made.handle), 0);
    return staged;
}

static ct_status finish(ct_staged *staged, ct_error *err)
{
    const ct_status status = ct_staged_settle(&staged, 1, err);
    return status == CT_OK ? ct_staged_publish(&staged, 1, err) : status;
}

static void it_gets_its_name_with_all_that_is_in_it(void **state)
{
    ct_error err = {0};
    struct stat about;
    (void)state;
    umask(022);
    ct_staged *staged = begin("a", "one");
    assert_int_equal(access(path("a"), F_OK), -1);
    assert_int_equal(finish(staged, &err), CT_OK);
    ct_staged_free(staged);
    expect("a/top", "one");
    expect("a/sub/deep", "one");
    assert_int_equal(stat(path("a"), &about), 0);
    assert_int_equal(about.st_mode & 07777, 0755);
    assert_int_equal(entries(), 1);
}

/* The one that had the name is gone, but not what its link leads to. */
static void it_replaces_one(void **state)
{
    ct_error err = {0};
    (void)state;
    put(AT_FDCWD, path("outside"), "stays");
    ct_staged *staged = begin("a", "old");
    assert_int_equal(finish(staged, &err), CT_OK);
    ct_staged_free(staged);
    put(AT_FDCWD, path("a/more"), "old");
    staged = begin("a", "new");
    expect("a/sub/deep", "old");
    assert_int_equal(finish(staged, &err), CT_OK);
    ct_staged_free(staged);
    expect("a/sub/deep", "new");
    assert_int_equal(access(path("a/more"), F_OK), -1);
    expect("outside", "stays");
    assert_int_equal(entries(), 2);
}

static void what_is_given_up_is_gone(void **state)
{
    (void)state;
    ct_staged_free(begin("a", "one"));
    assert_int_equal(entries(), 0);
}

/* Nobody has looked whether that one may be replaced. */
static void one_that_came_meanwhile_stays(void **state)
{
    ct_error err = {0};
    (void)state;
    ct_staged *staged = begin("a", "new");
    assert_int_equal(mkdir(path("a"), 0777), 0);
    put(AT_FDCWD, path("a/theirs"), "precious");
    assert_int_equal(finish(staged, &err), CT_DATA);
    assert_non_null(strstr(err.text, "File exists"));
    ct_staged_free(staged);
    expect("a/theirs", "precious");
    assert_int_equal(entries(), 1);
}

static void files_and_folders_do_not_replace_each_other(void **state)
{
    ct_error err = {0};
    ct_output_file made;
    (void)state;
    put(AT_FDCWD, path("file"), "stays");
    assert_int_equal(mkdir(path("folder"), 0777), 0);
    ct_staged *staged = staged_new();
    assert_int_equal(ct_staged_add_folder(staged, path("file"), &made, &err), CT_DATA);
    assert_non_null(strstr(err.text, "Not a directory"));
    err = (ct_error){0};
    assert_int_equal(ct_staged_add(staged, path("folder"), NULL, NULL, &made, &err), CT_DATA);
    assert_non_null(strstr(err.text, "Is a directory"));
    ct_staged_free(staged);
    expect("file", "stays");
    assert_int_equal(entries(), 2);
}

/* The next maker of the name removes it. */
static void a_dead_maker_is_tidied_up_after(void **state)
{
    ct_error err = {0};
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        (void)begin("a", "dead");
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(entries(), 2); /* and the lock */
    ct_staged *staged = begin("a", "alive");
    assert_int_equal(finish(staged, &err), CT_OK);
    ct_staged_free(staged);
    expect("a/top", "alive");
    assert_int_equal(entries(), 1);
}

static void one_that_is_resumable_is_found_again(void **state)
{
    ct_error err = {0};
    ct_output_file made;
    ct_resumable held;
    char part[300], file[500];
    (void)state;
    ct_staged *staged = staged_new();
    ct_staged_set_resumable(staged, true);
    assert_int_equal(ct_staged_add_folder(staged, path("a"), &made, &err), CT_OK);
    fill(made.handle, "begun");
    assert_int_equal(close(made.handle), 0);
    assert_int_equal(ct_staged_sync(staged, &err), CT_OK);
    assert_true(ct_staged_resumable(staged, 0, &held));
    assert_int_equal(held.bytes, 0);
    snprintf(part, sizeof part, "%s", held.part);
    snprintf(file, sizeof file, "%s", held.file);
    ct_staged_free(staged);
    assert_int_equal(entries(), 1);

    const ct_resumable again = {.file = file, .part = part};
    staged = staged_new();
    ct_staged_resume(staged, &again, 1);
    assert_int_equal(ct_staged_add_folder(staged, path("a"), &made, &err), CT_OK);
    assert_int_equal(ct_staged_cut(staged, &err), CT_OK);
    put(made.handle, "more", "gone on");
    assert_int_equal(close(made.handle), 0);
    assert_int_equal(finish(staged, &err), CT_OK);
    ct_staged_free(staged);
    expect("a/sub/deep", "begun");
    expect("a/more", "gone on");
    assert_int_equal(entries(), 1);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ct_staged_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return ct_tree_remove(AT_FDCWD, folder);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(it_gets_its_name_with_all_that_is_in_it),
        IN_A_FOLDER(it_replaces_one),
        IN_A_FOLDER(what_is_given_up_is_gone),
        IN_A_FOLDER(one_that_came_meanwhile_stays),
        IN_A_FOLDER(files_and_folders_do_not_replace_each_other),
        IN_A_FOLDER(a_dead_maker_is_tidied_up_after),
        IN_A_FOLDER(one_that_is_resumable_is_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
