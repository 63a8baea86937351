/* interrupted_test.c: a signal that arrives inside a system call (EINTR) changes nothing: every
 * second call of each kind is interrupted, and files are written and read all the same. The calls
 * below stand in for the C library's. */
#include "io_trial.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

extern const ct_stage ct_stage_sink_npy, ct_stage_source_npy;

static bool interrupting;
static int interrupted;

static bool every_second(int *calls)
{
    if (!interrupting || ++*calls % 2 == 0) return false;
    interrupted++;
    errno = EINTR;
    return true;
}

/* NAME(arguments) as the system has it, interrupted every second time. */
#define INTERRUPTED(type, name, declared, call)                                                    \
    type name declared;                                                                            \
    type name declared                                                                             \
    {                                                                                              \
        static int calls;                                                                          \
        return every_second(&calls) ? (type)-1 : (type)syscall call;                               \
    }

INTERRUPTED(int, fsync, (int fd), (SYS_fsync, fd))
INTERRUPTED(int, ftruncate, (int fd, off_t bytes), (SYS_ftruncate, fd, bytes))
INTERRUPTED(int, renameat, (int a, const char *from, int b, const char *to),
            (SYS_renameat2, a, from, b, to, 0))
INTERRUPTED(ssize_t, pread, (int fd, void *to, size_t bytes, off_t at),
            (SYS_pread64, fd, to, bytes, at))
INTERRUPTED(ssize_t, pwrite, (int fd, const void *from, size_t bytes, off_t at),
            (SYS_pwrite64, fd, from, bytes, at))

static mode_t mode_of(int flags, va_list args)
{
    return flags & O_CREAT ? va_arg(args, mode_t) : 0;
}

int openat(int folder, const char *name, int flags, ...)
{
    static int calls;
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    return every_second(&calls) ? -1 : (int)syscall(SYS_openat, folder, name, flags, mode);
}

int open(const char *name, int flags, ...)
{
    static int calls;
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    return every_second(&calls) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

/* The descriptor is gone all the same, as on Linux. */
int close(int fd)
{
    static int calls;
    const int closed = (int)syscall(SYS_close, fd);
    return every_second(&calls) ? -1 : closed;
}

enum { T = 64, PROMISED = 100 };

static void write_array(void)
{
    trial t;
    assert_ok(trial_make(&t, &ct_stage_sink_npy, err, "{'file': '%s'}", trial_path("a.npy")));
    ct_array *port = &t.step->port[0];
    port->type = CT_I16;
    ct_array_add(port, 'S', 3);
    ct_array_add(port, 'T', T);
    ct_array_dense(port, NULL);
    port->meta.total = PROMISED; /* so that the file is cut at the end */
    assert_ok(t.step->stage->io.open(t.step, &t.state, err));
    trial_block(&t, T, "ST", 0, 1);
    for (int64_t k = 0; k < 3 * T; k++)
        ct_array_save(&t.block, k, (double)k, 0);
    assert_ok(t.step->stage->io.write(t.state, &t.block, 0, T, err));
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
}

static void read_array(void)
{
    trial t;
    int64_t got = 0;
    assert_ok(trial_make(&t, &ct_stage_source_npy, err, "{'file': '%s'}", trial_path("a.npy")));
    assert_ok(ct_step_infer(t.step, err));
    assert_int_equal(t.step->port[0].meta.total, T);
    assert_ok(t.step->stage->io.open(t.step, &t.state, err));
    trial_block(&t, T, "ST", 0, 1);
    assert_ok(t.step->stage->io.read(t.state, &t.block, NULL, &got, err));
    assert_int_equal(got, T);
    for (int64_t k = 0; k < 3 * T; k++)
        assert_int_equal(ct_array_load(&t.block, k).re, k);
    assert_ok(t.step->stage->io.close(t.state, true, err));
    trial_free(&t);
}

static void signals_change_nothing(void **state)
{
    (void)state;
    for (int again = 0; again < 3; again++) {
        interrupting = true;
        write_array();
        assert_true(interrupted > 10);
        read_array();
        interrupting = false;
        assert_int_equal(trial_files(), 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(signals_change_nothing, trial_begin, trial_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
