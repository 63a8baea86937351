/* builder.c: a process that builds kernels for this one. It is told all at once, and nothing of
 * what it answers is read: what it has built is in the driver's store. Room: tuner/backend. Knows
 * plans and graphs as texts. Does not know what is built. */
#include "cornerturn_tune.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "device.h"
#include "fail.h"
#include "json_text.h"
#include "memory.h"
#include "process.h"
#include "worker.h"

struct ct_builder {
    ct_process process;
};

/* Both questions, a line each. */
static ct_status builder_print(ct_text *out, const ct_graph *graph, const ct_plan *plan,
                               const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    CT_TRY(ct_worker_print_hello(out, graph, ct_device_name(device), err));
    const size_t hello = out->length;
    CT_TRY(ct_plan_print(&text, plan, err));
    ct_text_add(out, " {\"do\": \"build-ahead\", \"plan\": %s}\n", text);
    CT_TRY(ct_text_check(out, err));
    ct_json_one_line(out->data);
    out->data[hello] = out->data[out->length - 1] = '\n';
out:
    free(text);
    return status;
}

/* What does not fit between the two is not worth waiting for. */
static ct_status builder_tell(const ct_builder *builder, const ct_text *text, ct_error *err)
{
    const ssize_t count =
        send(builder->process.talk, text->data, text->length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count != (ssize_t)text->length)
        return ct_error_add(err, CT_FAILED, "the process that builds kernels takes no questions");
    shutdown(builder->process.talk, SHUT_WR);
    return CT_OK;
}

ct_status ct_builder_new(ct_builder **out, const ct_graph *graph, const ct_plan *plan,
                         const ct_device *device, const char *const *worker, ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph, plan, device, worker);
    ct_status status = CT_OK;
    ct_text text = {0};
    ct_builder *builder = NULL;
    *out = NULL;
    if (device->gpu) return CT_OK;
    builder = ct_memory_get(sizeof *builder);
    CT_NEED(builder, sizeof *builder, err);
    builder->process = (ct_process){.talk = -1, .complaints = -1};
    CT_TRY(builder_print(&text, graph, plan, device, err));
    CT_TRY(ct_process_start(&builder->process, worker, err));
    CT_TRY(builder_tell(builder, &text, err));
    *out = builder;
    builder = NULL;
out:
    ct_builder_free(builder);
    ct_text_free(&text);
    return status;
}

void ct_builder_free(ct_builder *builder)
{
    if (!builder) return;
    ct_process_end(&builder->process, 0, NULL);
    ct_memory_free(builder);
}
