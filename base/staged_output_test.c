/* staged_output_test.c: files being written are nobody's business until all of them get their
 * names. */
#include "cornerturn_stage.h"
#include "memory.h"
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

#include "folder.h"

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

static void put(const char *name, const char *text)
{
    FILE *to = fopen(path(name), "wb");
    assert_non_null(to);
    assert_true(fputs(text, to) >= 0);
    assert_int_equal(fclose(to), 0);
}

static void expect(const char *name, const char *text)
{
    char found[256] = "";
    FILE *from = fopen(path(name), "rb");
    assert_non_null(from);
    found[fread(found, 1, sizeof found - 1, from)] = 0;
    fclose(from);
    assert_string_equal(found, text);
}

static ct_status add(ct_staged *staged, const char *name, const char *text, ct_error *err)
{
    ct_output_file made;
    ct_status status = ct_staged_add(staged, path(name), NULL, NULL, &made, err);
    if (status != CT_OK) return status;
    assert_int_equal(write(made.handle, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(made.handle), 0);
    return CT_OK;
}

static ct_status publish(ct_staged **all, size_t count, ct_error *err)
{
    ct_status status = ct_staged_settle(all, count, err);
    return status == CT_OK ? ct_staged_publish(all, count, err) : status;
}

static void all_get_their_names(void **state)
{
    ct_error err = {0};
    ct_staged *all[3] = {staged_new(), NULL, staged_new()};
    (void)state;
    put("a", "old");
    assert_int_equal(add(all[0], "a", "new a", &err), CT_OK);
    assert_int_equal(add(all[0], "b", "new b", &err), CT_OK);
    assert_int_equal(add(all[2], "c", "new c", &err), CT_OK);
    expect("a", "old");
    assert_int_equal(access(path("b"), F_OK), -1);
    assert_null(ct_staged_file(all[0], 0));
    assert_int_equal(publish(all, 3, &err), CT_OK);
    expect("a", "new a");
    expect("b", "new b");
    expect("c", "new c");
    assert_string_equal(ct_staged_file(all[0], 1), path("b"));
    assert_int_equal(entries(), 3);
    ct_staged_free(all[0]);
    ct_staged_free(all[2]);
    assert_int_equal(entries(), 3);
}

/* The third one's name is taken by a folder when it comes to renaming. */
static void or_none_does(void **state)
{
    ct_error err = {0};
    ct_staged *all[2] = {staged_new(), staged_new()};
    (void)state;
    put("a", "old");
    assert_int_equal(add(all[0], "a", "new a", &err), CT_OK);
    assert_int_equal(add(all[0], "b", "new b", &err), CT_OK);
    assert_int_equal(add(all[1], "c", "new c", &err), CT_OK);
    assert_int_equal(mkdir(path("c"), 0700), 0);
    assert_int_equal(publish(all, 2, &err), CT_DATA);
    assert_non_null(strstr(err.text, "c: cannot be put in place"));
    expect("a", "old");
    ct_staged_discard(all[1]);
    assert_int_equal(publish(all, 1, &err), CT_OK); /* by itself one may be tried again */
    expect("a", "new a");
    expect("b", "new b");
    assert_int_equal(entries(), 3);
    ct_staged_free(all[0]);
    ct_staged_free(all[1]);
    assert_int_equal(rmdir(path("c")), 0);
}

static void what_is_given_up_is_gone(void **state)
{
    ct_error err = {0};
    ct_staged *staged = staged_new();
    (void)state;
    put("a", "old");
    assert_int_equal(add(staged, "a", "new a", &err), CT_OK);
    assert_int_equal(add(staged, "b", "new b", &err), CT_OK);
    ct_staged_free(staged);
    expect("a", "old");
    assert_int_equal(entries(), 1);
}

static void modes_are_kept(void **state)
{
    ct_error err = {0};
    struct stat about;
    ct_staged *staged = staged_new();
    const mode_t mask = umask(027);
    (void)state;
    put("a", "old");
    assert_int_equal(chmod(path("a"), 0604), 0);
    assert_int_equal(add(staged, "a", "new", &err), CT_OK);
    assert_int_equal(add(staged, "b", "new", &err), CT_OK);
    assert_int_equal(publish(&staged, 1, &err), CT_OK);
    (void)umask(mask);
    assert_int_equal(stat(path("a"), &about), 0);
    assert_int_equal(about.st_mode & 07777, 0604);
    assert_int_equal(stat(path("b"), &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    ct_staged_free(staged);
}

/* To a file, to one that is not there yet, and in a circle. */
static void links_are_followed(void **state)
{
    ct_error err = {0};
    struct stat about;
    ct_staged *staged = staged_new();
    (void)state;
    assert_int_equal(mkdir(path("far"), 0700), 0);
    put("far/a", "old");
    assert_int_equal(symlink("far/a", path("a")), 0);
    assert_int_equal(symlink("far/b", path("b")), 0);
    assert_int_equal(symlink("b", path("c")), 0);
    assert_int_equal(symlink("d", path("d")), 0);
    assert_int_equal(add(staged, "a", "new a", &err), CT_OK);
    assert_int_equal(add(staged, "c", "new b", &err), CT_OK);
    assert_int_equal(add(staged, "d", "", &err), CT_DATA);
    assert_non_null(strstr(err.text, strerror(ELOOP)));
    assert_int_equal(publish(&staged, 1, &err), CT_OK);
    ct_staged_free(staged);
    expect("far/a", "new a");
    expect("far/b", "new b");
    assert_int_equal(lstat(path("c"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(entries(), 5);
    unlink(path("far/a"));
    unlink(path("far/b"));
    assert_int_equal(rmdir(path("far")), 0);
}

static void one_maker_at_a_time(void **state)
{
    ct_error err = {0};
    ct_staged *one = staged_new(), *other = staged_new();
    (void)state;
    assert_int_equal(symlink("a", path("b")), 0);
    assert_int_equal(add(one, "a", "one", &err), CT_OK);
    assert_int_equal(add(other, "a", "other", &err), CT_DATA);
    assert_non_null(strstr(err.text, "another run is writing it"));
    assert_int_equal(add(other, "b", "other", NULL), CT_DATA);
    assert_int_equal(add(other, "c", "other", &err), CT_OK);
    assert_int_equal(publish(&one, 1, &err), CT_OK);
    assert_int_equal(add(other, "a", "other", &err), CT_OK);
    assert_int_equal(publish(&other, 1, &err), CT_OK);
    expect("a", "other");
    ct_staged_free(one);
    ct_staged_free(other);
    assert_int_equal(entries(), 3);
}

/* A process that is killed: what it was making is removed by who comes next, its lock file too.
 * What only looks like it stays. */
static void a_dead_maker_is_tidied_up_after(void **state)
{
    ct_error err = {0};
    ct_staged *staged = staged_new();
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        if (add(staged_new(), "a", "dead", &err) != CT_OK) _exit(1);
        if (add(staged_new(), "b", "dead", &err) != CT_OK) _exit(1);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(entries(), 3);
    put("a.partial", "mine");
    put(".cornerturn-1-2.part", "mine");
    assert_int_equal(add(staged, "a", "new", &err), CT_OK);
    assert_int_equal(entries(), 4);
    assert_int_equal(publish(&staged, 1, &err), CT_OK);
    ct_staged_free(staged);
    expect("a", "new");
    expect("a.partial", "mine");
    expect(".cornerturn-1-2.part", "mine");
    assert_int_equal(entries(), 3);
}

/* Killed between putting a file aside and giving the new one its name. */
static void what_was_put_aside_is_put_back(void **state)
{
    ct_error err = {0};
    char aside[CT_FOLDER_NAME];
    ct_staged *staged = staged_new();
    (void)state;
    for (int there = 0; there < 2; there++) {
        ct_folder_temporary(aside, "a", ".old");
        put(aside, "old");
        if (there) put("a", "new");
        assert_int_equal(add(staged, "a", "newer", &err), CT_OK);
        expect("a", there ? "new" : "old");
        assert_int_equal(access(path(aside), F_OK), -1);
        ct_staged_discard(staged);
        assert_int_equal(entries(), 1);
        unlink(path("a"));
    }
    ct_staged_free(staged);
}

/* Another process that reads the pipe and passes on what came. */
static int reader(const char *name)
{
    int pair[2];
    assert_int_equal(pipe(pair), 0);
    if (fork() == 0) {
        char text[64];
        ssize_t n, all = 0;
        const int from = open(name, O_RDONLY);
        while ((n = read(from, text + all, sizeof text - (size_t)all)) > 0)
            all += n;
        _exit(write(pair[1], text, (size_t)all) == all ? 0 : 1);
    }
    (void)close(pair[1]);
    return pair[0];
}

static void pipes_are_written_as_they_are(void **state)
{
    ct_error err = {0};
    ct_output_file made;
    ct_staged *staged = staged_new();
    char found[64] = "";
    (void)state;
    assert_int_equal(mkfifo(path("p"), 0600), 0);
    const int from = reader(path("p"));
    assert_int_equal(ct_staged_add(staged, path("p"), NULL, NULL, &made, &err), CT_OK);
    assert_true(made.special && made.stream);
    assert_int_equal(write(made.handle, "bytes", 5), 5);
    (void)close(made.handle);
    assert_int_equal(publish(&staged, 1, &err), CT_OK);
    assert_int_equal(read(from, found, sizeof found), 5);
    assert_string_equal(found, "bytes");
    (void)close(from);
    assert_int_equal(wait(NULL) > 0, 1);
    assert_string_equal(ct_staged_file(staged, 0), path("p"));
    ct_staged_free(staged);
    assert_int_equal(entries(), 1);
}

static bool at_once(const void *of)
{
    (void)of;
    return true;
}

static void nobody_reads_a_pipe(void **state)
{
    ct_error err = {0};
    ct_output_file made;
    ct_staged *staged = staged_new();
    (void)state;
    assert_int_equal(mkfifo(path("p"), 0600), 0);
    assert_int_equal(ct_staged_add(staged, path("p"), at_once, NULL, &made, &err), CT_INTERRUPTED);
    ct_staged_free(staged);
}

/* Redirected to a file that has something in it already: it is continued. */
static void descriptors_are_continued(void **state)
{
    ct_error err = {0};
    ct_output_file made;
    char name[32];
    ct_staged *staged = staged_new();
    (void)state;
    const int handle = open(path("a"), O_RDWR | O_CREAT, 0600);
    assert_int_equal(write(handle, "first,", 6), 6);
    snprintf(name, sizeof name, "/dev/fd/%d", handle);
    assert_int_equal(ct_staged_add(staged, name, NULL, NULL, &made, &err), CT_OK);
    assert_true(made.stream);
    assert_int_equal(write(made.handle, "second", 6), 6);
    (void)close(made.handle);
    (void)close(handle);
    ct_staged_free(staged);
    expect("a", "first,second");
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
    DIR *list = opendir(folder);
    for (struct dirent *entry; (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) unlink(path(entry->d_name));
    closedir(list);
    return rmdir(folder);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(all_get_their_names),
        IN_A_FOLDER(or_none_does),
        IN_A_FOLDER(what_is_given_up_is_gone),
        IN_A_FOLDER(modes_are_kept),
        IN_A_FOLDER(links_are_followed),
        IN_A_FOLDER(one_maker_at_a_time),
        IN_A_FOLDER(a_dead_maker_is_tidied_up_after),
        IN_A_FOLDER(what_was_put_aside_is_put_back),
        IN_A_FOLDER(pipes_are_written_as_they_are),
        IN_A_FOLDER(nobody_reads_a_pipe),
        IN_A_FOLDER(descriptors_are_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
