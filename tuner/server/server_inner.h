/* server_inner.h: what the parts of a server share.
 * Room: tuner/server. Private to server*.c: server.c (questions), server_hello.c (pipeline and
 * device), server_resolve.c (a plan in full), server_defaults.c (the default's steps),
 * server_time_step.c (building and timing), server_time_plans.c (whole plans), server_build_ahead.c
 * (for another process). */
#ifndef CT_TUNER_SERVER_INNER_H
#define CT_TUNER_SERVER_INNER_H
#include "cache_flush.h"
#include "device.h"
#include "digest.h"
#include "json_text.h"
#include "noise_control.h"
#include "output_check.h"
#include "plan.h"
#include "server.h"
#include "step_digest.h"

/* A step of a default plan, ready to be timed, and what it writes. */
typedef struct ct_server_default {
    ct_timed_step *timed; /* NULL: not built yet */
    ct_check check;
    bool known; /* what it writes */
} ct_server_default;

/* The default plan of one graph: the pipeline's own, or one with nodes fused or another block. */
typedef struct ct_server_base {
    struct ct_server_base *next;
    ct_plan *plan;
    ct_server_default *step; /* [plan->count] */
} ct_server_base;

/* A step of some plan, ready to be timed: what was asked for last. */
typedef struct ct_server_built {
    ct_text question; /* its step and its plan */
    ct_plan *plan;
    const ct_plan_step *at;
    ct_timed_step *timed;          /* NULL: nothing is */
    ct_server_default *by_default; /* of a transpose NULL */
    double build_s, seconds;
    bool checked; /* its outputs are right */
} ct_server_built;

struct ct_server {
    ct_context *context; /* held */
    ct_graph *graph;     /* NULL: nobody has said hello */
    ct_device *device;
    ct_server_base *bases;
    ct_inputs *inputs;
    ct_buffer_pool pool;   /* of steps */
    ct_buffer_pool copies; /* of the copies that transposes are timed against */
    ct_cache_flush flush;
    ct_server_built built;
    const char *word; /* the answer's status where what is done now fails */
};

/* A verb: adds members to the answer. What it says in *err becomes the answer's "say". */
typedef ct_status ct_server_verb(ct_server *server, const ct_value *question, ct_text *json,
                                 ct_error *err);
ct_server_verb ct_server_hello, ct_server_resolve, ct_server_tunables, ct_server_same,
    ct_server_build, ct_server_build_ahead, ct_server_time, ct_server_time_plans;

void ct_server_drop_built(ct_server *server);
void ct_server_forget(ct_server *server); /* pipeline, device, and all that was made for them */
/* Frees the device's memory, except tables, as far as it can be filled again. */
void ct_server_make_room(ct_server *server);
/* A question's plan; CT_USAGE: it has none. */
ct_status ct_server_plan(ct_plan **out, ct_server *server, const ct_value *plan, ct_error *err);
/* The question's "step" in the plan: one that runs on the device. */
ct_status ct_server_step(const ct_plan_step **out, const ct_plan *plan, const ct_value *question,
                         ct_error *err);
/* The load of other processes between the two, and whether it disturbs; nothing where it is not
 * known. */
void ct_server_add_load(ct_text *json, const ct_background_load *from,
                        const ct_background_load *to);
void ct_server_add_plan(ct_text *json, const char *key, const ct_plan *plan);
/* A tunable's value as a plan writes it. */
void ct_server_add_value(ct_text *json, const char *key, const ct_step *step, int tunable,
                         int64_t value);

ct_status ct_server_base_get(ct_server_base **out, ct_server *server, const ct_plan *plan,
                             ct_error *err);
void ct_server_base_free(ct_server_base *base);
/* The default's step of this one's node, built and filled; `known`: its outputs are known, too. Its
 * errors say that the default fails. */
ct_status ct_server_default_get(ct_server_default **out, ct_server *server, const ct_plan *plan,
                                const ct_plan_step *step, bool known, ct_error *err);

#endif
