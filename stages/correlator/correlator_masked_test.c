/* correlator_masked_test.c: where the system does not let the process use AMX, other engines are
 * chosen, and the sums of who asks for AMX are the same.
 * Room: stages/correlator, tests. A program by itself, since what a process was once allowed it
 * keeps: here the system says no before anything asks, as one does that does not know AMX. */
#include "correlator_trial.h"

#if defined(__x86_64__) && defined(__linux__)
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REQUEST = 0x1023, TILE_DATA = 18 };

/* From now on arch_prctl(ARCH_REQ_XCOMP_PERM, ..) fails. False where that cannot be had. */
static bool mask(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REQUEST, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog all = {sizeof rules / sizeof *rules, rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all, 0, 0) == 0 &&
           syscall(SYS_arch_prctl, REQUEST, TILE_DATA) != 0;
}
#else
static bool mask(void)
{
    return true; /* there is no AMX */
}
#endif

static const char bytes[] = "S=19 P=2 T=74 C=3";

static void test_another_engine_is_chosen(void **state)
{
    stage_case made;
    (void)state;
    stage_make(&made, &ct_stage_correlator, "{\"integrate\": 37}", bytes, CT_CI8);
    ct_error err = {0};
    ct_device *device = one_device(&err);
    if (!device) skip();
    ct_step_set_device(made.step, device);
    ct_step_default_tunables(made.step);
    assert_int_not_equal(ct_step_tunable(made.step, "DOT"), 2);
    assert_null(ct_stage_correlator.tuning.note(made.step));
    stage_free(&made);
}

/* A plan from a machine that has AMX. */
static void test_sums_are_the_same(void **state)
{
    stage_case made;
    stage_device on;
    (void)state;
    stage_make(&made, &ct_stage_correlator, "{\"integrate\": 37}", bytes, CT_CI8);
    fill_integers(&made.port[X]);
    stage_reference(&made);
    set_tunables(&made, "DOT=2 VECTOR_SP=16 CELL_SP=16 TILE_T=32");
    if (!stage_device_open(&on, &made)) skip();
    assert_non_null(strstr(ct_stage_correlator.tuning.note(made.step), "DOT=2 without AMX: "));
    stage_device_fire(&on, false);
    ct_array y = stage_device_read(&on, Y);
    for (int64_t n = 0; n < ct_array_count(&y); n++) {
        assert_true(ct_array_load(&y, n).re == ct_array_load(&made.port[Y], n).re);
        assert_true(ct_array_load(&y, n).im == ct_array_load(&made.port[Y], n).im);
    }
    free(y.data);
    stage_device_close(&on);
    stage_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_another_engine_is_chosen),
        cmocka_unit_test(test_sums_are_the_same),
    };
    if (!mask()) {
        printf("the system does not let a process deny itself a call: left out\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
