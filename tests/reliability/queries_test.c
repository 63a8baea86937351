/* queries_test.c: whichever question to the device fails while it is opened and programs are made,
 * the answer is an error with a sentence, and never another result. Room: tests. Stands between the
 * library and OpenCL: the n-th question fails. */
#define _GNU_SOURCE
#include "device_cl.h"
#include "layout.h"
#include "program.h"
#include "stage.h"
#include "stages/detect/detect.h"
#include "text.h"
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

extern const ct_stage ct_stage_fft;

static int asked, failing; /* questions so far; the one that fails, 0: none */

static bool fails_now(void)
{
    return ++asked == failing;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                       size_t *used)
{
    cl_int (*real)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    return fails_now() ? CL_OUT_OF_HOST_MEMORY : real(device, what, size, value, used);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info what, size_t size, void *value,
                                size_t *used)
{
    cl_int (*real)(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void *, size_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "clGetKernelWorkGroupInfo");
    return fails_now() ? CL_OUT_OF_HOST_MEMORY : real(kernel, device, what, size, value, used);
}

static ct_status prepare(const stage_case *made, ct_error *err)
{
    ct_device *device = NULL;
    ct_program *program = NULL;
    ct_status status = ct_device_open(&device, NULL, err);
    if (status == CT_OK) status = ct_program_new(&program, device, made->step, err);
    ct_program_free(program);
    ct_device_free(device);
    return status;
}

static ct_status list(const stage_case *made, ct_error *err)
{
    ct_text text = {0};
    ct_status status = ct_device_list(&text, CT_FORM_JSON, err);
    (void)made;
    ct_text_free(&text);
    return status;
}

/* Fails each question in turn; at least `least` of them. */
static void fail_each(ct_status (*act)(const stage_case *, ct_error *), const stage_case *made,
                      int least)
{
    ct_error err = {0};
    asked = failing = 0;
    if (act(made, &err) != CT_OK) skip();
    int questions = asked;
    assert_true(questions >= least);
    for (failing = 1; failing <= questions; failing++) {
        asked = 0;
        memset(&err, 0, sizeof err);
        ct_status status = act(made, &err);
        if (status != CT_NO_DEVICE && status != CT_FAILED)
            fail_msg("question %d of %d failed, and nobody noticed", failing, questions);
        assert_non_null(strstr(err.text, " "));
    }
    failing = 0;
}

static void fail_each_of(const ct_stage *stage, const char *extents, int least)
{
    stage_case made;
    ct_error err = {0};
    stage_make(&made, stage, "{}", extents, CT_CF32);
    for (int i = 0; i < ct_step_ports(made.step); i++) {
        ct_layout natural = ct_layout_natural(&made.step->port[i]);
        assert_int_equal(ct_step_set_layout(made.step, i, &natural, &err), CT_OK);
    }
    ct_step_default_tunables(made.step);
    fail_each(prepare, &made, least);
    stage_free(&made);
}

static void test_kernels(void **state)
{
    (void)state;
    fail_each_of(&ct_stage_detect, "P=2 T=8 C=16", 10);
}

static void test_engines(void **state)
{
    (void)state;
    fail_each_of(&ct_stage_fft, "S=1 P=1 T=4 C=16", 8);
}

static void test_lists(void **state)
{
    (void)state;
    fail_each(list, NULL, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_engines),
                                       cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
