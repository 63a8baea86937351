/* serve_inner.h: what the parts of a serve share.
 * Room: tuner/worker. Private to serve*.c: serve.c (questions), serve_hello.c (pipeline and
 * device), serve_resolve.c (what a plan comes to), serve_same.c (digests), serve_usual.c (the
 * default's steps), serve_measure.c (building and timing), serve_rehearse.c (whole plans). */
#ifndef CT_TUNER_SERVE_INNER_H
#define CT_TUNER_SERVE_INNER_H
#include "cache_flush.h"
#include "device.h"
#include "digest.h"
#include "json_text.h"
#include "noise_control.h"
#include "output_check.h"
#include "plan.h"
#include "serve.h"

/* A step of a default plan, ready to be timed, and what it writes. */
typedef struct ct_serve_usual {
    ct_timed_step *work; /* NULL: not built yet */
    ct_check check;
    bool known; /* what it writes */
} ct_serve_usual;

/* The default plan of one graph: the pipeline's own, or one with nodes fused or another block. */
typedef struct ct_serve_base {
    struct ct_serve_base *next;
    ct_plan *plan;
    ct_serve_usual *usual; /* a step of the plan each */
} ct_serve_base;

/* A step of some plan, ready to be timed: what was asked for last. */
typedef struct ct_serve_built {
    ct_text question; /* its step and its plan */
    ct_plan *plan;
    const ct_plan_step *at;
    ct_timed_step *work;   /* NULL: nothing is */
    ct_serve_usual *usual; /* of a transpose NULL */
    ct_check check;        /* of a transpose */
    double build_s, seconds;
    bool checked; /* its outputs are right */
} ct_serve_built;

struct ct_serve {
    ct_context *context; /* held */
    ct_graph *graph;     /* NULL: nobody has said hello */
    ct_device *device;
    ct_serve_base *bases;
    ct_inputs *inputs;
    ct_buffer_pool pool;   /* of steps */
    ct_buffer_pool copies; /* of the copies that transposes are timed against */
    ct_cache_flush flush;
    ct_serve_built built;
    const char *word; /* the answer's status where what is done now fails */
};

/* A verb: adds members to the answer. What it says in *err becomes the answer's "say". */
typedef ct_status ct_serve_verb(ct_serve *serve, const ct_value *question, ct_text *json,
                                ct_error *err);
ct_serve_verb ct_serve_hello, ct_serve_resolve, ct_serve_tunables, ct_serve_say_same,
    ct_serve_build, ct_serve_time, ct_serve_rehearse;

void ct_serve_drop_built(ct_serve *serve);
void ct_serve_forget(ct_serve *serve); /* pipeline, device, and all that was made for them */
/* Gives the device its memory back, but for tables, as far as it can be filled again. */
void ct_serve_make_room(ct_serve *serve);
/* A question's plan; NULL: it has none, which is said. */
ct_status ct_serve_plan(ct_plan **out, ct_serve *serve, const ct_value *plan, ct_error *err);
/* The question's "step" in the plan: one that runs on the device. */
ct_status ct_serve_step(const ct_plan_step **out, const ct_plan *plan, const ct_value *question,
                        ct_error *err);
/* What others kept busy between the two, and whether that disturbs; nothing where it is not known.
 */
void ct_serve_add_load(ct_text *json, const ct_background_load *from, const ct_background_load *to);
void ct_serve_add_plan(ct_text *json, const char *key, const ct_plan *plan);
/* A tunable's value as a plan writes it. */
void ct_serve_add_value(ct_text *json, const char *key, const ct_step *step, int tunable,
                        int64_t value);

ct_status ct_serve_base_get(ct_serve_base **out, ct_serve *serve, const ct_plan *plan,
                            ct_error *err);
void ct_serve_base_free(ct_serve_base *base);
/* The default's step of this one's node, built and filled; `known`: its outputs are known, too. Its
 * sentences say that it is the default that fails. */
ct_status ct_serve_usual_get(ct_serve_usual **out, ct_serve *serve, const ct_plan *plan,
                             const ct_plan_step *step, bool known, ct_error *err);

/* Of the text that is generated for the step, its name left out. */
ct_status ct_serve_source(char out[CT_DIGEST_SIZE], const ct_plan_step *step, ct_error *err);
/* Equal where two steps are the same work for the device: see docs/worker.md. */
ct_status ct_serve_same(char out[CT_DIGEST_SIZE], const ct_plan_step *step, ct_error *err);

#endif
