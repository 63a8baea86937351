/* ranks_without_test.c: a build without MPI says so where mpirun has started it, the first
 * rank before all others; and runs where nobody has. Room: core/ranks (test). */
#define _GNU_SOURCE /* dladdr */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "ranks.c" /* compiled without the module's name, as with CT_MPI=OFF */

static ct_status open_as(const char *rank, const char *size, ct_error *err)
{
    ct_ranks *ranks = NULL;
    ct_status status;
    setenv("OMPI_COMM_WORLD_RANK", rank, 1);
    setenv("OMPI_COMM_WORLD_SIZE", size, 1);
    *err = (ct_error){0};
    status = ct_ranks_open(&ranks, err);
    assert_null(ranks);
    return status;
}

static void the_first_rank_says_it(void **state)
{
    ct_error err;
    (void)state;
    assert_int_equal(open_as("0", "4", &err), CT_USAGE);
    assert_non_null(strstr(err.text, "one of 4 ranks, and this cornerturn was built without MPI"));
    assert_non_null(strstr(err.text, "install libopenmpi-dev"));
    /* Another one, which the first one's end would end, says it later. */
    const time_t since = time(NULL);
    assert_int_equal(open_as("3", "4", &err), CT_USAGE);
    assert_non_null(strstr(err.text, "built without MPI"));
    assert_true(time(NULL) > since);
}

static void without_mpirun_nothing_is_missed(void **state)
{
    ct_ranks *ranks = NULL;
    ct_error err = {0};
    (void)state;
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("OMPI_COMM_WORLD_SIZE");
    assert_int_equal(ct_ranks_open(&ranks, &err), CT_OK);
    assert_null(ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_rank_says_it),
                                       cmocka_unit_test(without_mpirun_nothing_is_missed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
