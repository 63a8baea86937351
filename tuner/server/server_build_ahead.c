/* server_build_ahead.c: a whole plan's kernels for another process, which is about to run it.
 * Room: tuner/server. Knows plans. Does not know who runs them. */
#include "fail.h"
#include "run_build.h"
#include "server_inner.h"

ct_status ct_server_build_ahead(ct_server *server, const ct_value *question, ct_text *json,
                                ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan *plan = NULL;
    (void)json;
    CT_TRY(ct_server_plan(&plan, server, ct_value_get(question, "plan"), err));
    server->word = "runtime";
    CT_TRY(ct_run_build_ahead(plan, server->device, err));
out:
    ct_plan_free(plan);
    return status;
}
