/* server.c: a question is parsed, its verb looked up in a table, and what that says becomes an
 * answer of one line.
 * Room: tuner/server. Knows questions and answers. Does not know what they mean. */
#include "server.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checked_lines.h"
#include "context.h"
#include "expand.h"
#include "fail.h"
#include "memory.h"
#include "server_inner.h"
#include "text.h"

typedef struct server_row {
    const char *name;
    const char *done; /* the answer's status where nothing fails */
    ct_server_verb *run;
    const char *keys[8]; /* of the question, NULL at the end */
} server_row;

static const server_row server_rows[] = {
    {"hello", "ok", ct_server_hello, {"hello", "pipeline", "name", "device", NULL}},
    {"resolve", "ok", ct_server_resolve, {"do", "plan", NULL}},
    {"tunables", "ok", ct_server_tunables, {"do", "plan", "step", NULL}},
    {"same", "ok", ct_server_same, {"do", "plan", "step", NULL}},
    {"build", "correct", ct_server_build, {"do", "plan", "step", "checked", NULL}},
    {"build-ahead", "ok", ct_server_build_ahead, {"do", "plan", NULL}},
    {"rehearse", "correct", ct_server_time_plans, {"do", "plans", "rounds", "first", NULL}},
    {"time",
     "correct",
     ct_server_time,
     {"do", "plan", "step", "pairs", "hopeless", "checked", "patience", NULL}},
};
enum { ROWS = sizeof server_rows / sizeof server_rows[0] };

/* ---------------------------------------------------------------- its life */

ct_status ct_server_new(ct_server **out, ct_context *context, ct_error *err)
{
    ct_server *server = ct_memory_get(sizeof *server);
    *out = server;
    if (!server) return ct_memory_fail(sizeof *server, err);
    server->context = ct_context_retain(context);
    return CT_OK;
}

void ct_server_forget(ct_server *server)
{
    ct_server_drop_built(server);
    while (server->bases) {
        ct_server_base *base = server->bases;
        server->bases = base->next;
        ct_server_base_free(base);
    }
    ct_timed_step_pool_free(&server->pool);
    ct_timed_step_pool_free(&server->copies);
    ct_cache_flush_free(&server->flush);
    ct_inputs_free(server->inputs);
    server->pool.inputs = server->inputs = NULL;
    ct_device_free(server->device);
    ct_graph_free(server->graph);
    server->device = NULL;
    server->graph = NULL;
}

void ct_server_free(ct_server *server)
{
    if (!server) return;
    ct_server_forget(server);
    ct_context_free(server->context);
    ct_memory_free(server);
}

/* ---------------------------------------------------------------- what verbs share */

ct_status ct_server_plan(ct_plan **out, ct_server *server, const ct_value *plan, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    if (!plan) CT_TRY(ct_error_add(err, CT_USAGE, "expected a \"plan\""));
    CT_TRY(ct_expand_value(&text, plan, err));
    server->word = "constraints";
    CT_TRY(ct_plan_parse(out, server->graph, text.data, "plan", server->device, err));
out:
    ct_text_free(&text);
    return status;
}

ct_status ct_server_step(const ct_plan_step **out, const ct_plan *plan, const ct_value *question,
                         ct_error *err)
{
    const char *name = ct_value_text(ct_value_get(question, "step"), NULL);
    if (!name) return ct_error_add(err, CT_USAGE, "expected a \"step\"");
    for (int s = 0; s < plan->count; s++) {
        *out = &plan->steps[s];
        if (strcmp((*out)->name, name) != 0) continue;
        if (ct_role_of((*out)->step) == CT_ROLE_KERNEL) return CT_OK;
        return ct_error_add(err, CT_USAGE,
                            "step \"%s\" is a source or a sink: it does not run on "
                            "the device",
                            name);
    }
    return ct_error_add(err, CT_USAGE, "the plan has no step \"%s\"", name);
}

void ct_server_add_load(ct_text *json, const ct_background_load *from, const ct_background_load *to)
{
    const double load = ct_load_between(from, to);
    if (load >= 0) ct_json_add_real(json, "load", load);
    if (ct_noise_is_disturbing(from, to)) ct_json_add_bool(json, "disturbed", true);
}

void ct_server_add_plan(ct_text *json, const char *key, const ct_plan *plan)
{
    char *text = NULL;
    if (ct_plan_print(&text, plan, NULL) != CT_OK) ct_text_lacks(json, 0);
    ct_text_add(json, ", \"%s\": %s", key, text ? text : "null");
    free(text);
}

void ct_server_add_value(ct_text *json, const char *key, const ct_step *step, int tunable,
                         int64_t value)
{
    char word[32], *end;
    ct_step_value_word(step, tunable, value, word);
    const int64_t number = strtoll(word, &end, 10);
    if (*end == '\0')
        ct_json_add_int(json, key, number);
    else
        ct_json_add_text(json, key, word);
}

/* ---------------------------------------------------------------- one question */

static const server_row *server_find(const ct_value *question)
{
    const bool hello = ct_value_get(question, "hello") != NULL;
    const char *name = ct_value_text(ct_value_get(question, "do"), hello ? "hello" : "");
    for (int i = 0; i < ROWS; i++)
        if (strcmp(server_rows[i].name, name) == 0) return &server_rows[i];
    return NULL;
}

static ct_status server_check(const ct_server *server, const server_row *row,
                              const ct_value *question, ct_error *err)
{
    for (size_t i = 0; i < ct_value_count(question); i++) {
        const char *const *known = row->keys, *key = ct_value_key(question, i);
        while (*known && strcmp(*known, key) != 0)
            known++;
        if (!*known) return ct_error_add(err, CT_USAGE, "\"%s\" knows no \"%s\"", row->name, key);
    }
    if (row != server_rows && !server->graph)
        return ct_error_add(err, CT_USAGE, "expected \"hello\" before \"%s\"", row->name);
    return CT_OK;
}

static ct_status server_ask(ct_server *server, const char *question, ct_text *json, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    CT_TRY(ct_value_parse(&root, question, "question", err));
    const server_row *row = server_find(root);
    if (!row)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "expected an object with \"hello\", or with \"do\": "
                            "\"resolve\", \"tunables\", \"same\", \"build\", \"build-ahead\", "
                            "\"time\" or \"rehearse\""));
    CT_TRY(server_check(server, row, root, err));
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "status", row->done);
    CT_TRY(row->run(server, root, json, err));
    ct_json_close(json, '}');
    CT_TRY(ct_text_check(json, err));
out:
    ct_value_free(root);
    return status;
}

ct_status ct_server_answer(char **answer, ct_server *server, const char *question, ct_error *err)
{
    ct_error why = {0};
    ct_text json = {0};
    server->word = "usage";
    ct_status status = server_ask(server, question, &json, &why);
    if (status != CT_OK) {
        ct_text_free(&json);
        ct_json_open(&json, NULL, '{');
        ct_json_add_text(&json, "status", status == CT_MISMATCH ? "correctness" : server->word);
        ct_json_add_int(&json, "code", status);
        ct_json_add_text(&json, "say", why.text);
        ct_json_close(&json, '}');
    }
    status = ct_text_take(answer, &json, err);
    if (status == CT_OK) ct_json_one_line(*answer);
    return status;
}

/* ---------------------------------------------------------------- many, line by line */

static ct_status server_line(ct_server *server, const char *line, int out, ct_error *err)
{
    ct_status status = CT_OK;
    char *answer = NULL;
    CT_TRY(ct_server_answer(&answer, server, line, err));
    int failed = ct_checked_lines_put(out, answer, strlen(answer));
    if (!failed) failed = ct_checked_lines_put(out, "\n", 1);
    if (failed)
        status = ct_error_add(err, CT_DATA, "an answer cannot be written: %s", strerror(failed));
out:
    free(answer);
    return status;
}

static ct_status server_lines(ct_server *server, FILE *in, int out, ct_error *err)
{
    ct_status status = CT_OK;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, in)) >= 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = '\0';
        if (length > 0) CT_TRY(server_line(server, line, out, err));
    }
    if (ferror(in)) CT_TRY(ct_error_add(err, CT_DATA, "questions cannot be read"));
out:
    free(line);
    return status;
}

ct_status ct_tune_serve(ct_context *context, int in, int out, ct_error *err)
{
    CT_GIVEN(err, context);
    ct_status status = CT_OK;
    ct_server *server = NULL;
    FILE *lines = fdopen(fcntl(in, F_DUPFD_CLOEXEC, 3), "r");
    if (!lines)
        CT_TRY(ct_error_add(err, CT_USAGE, "ct_tune_serve: cannot read from descriptor %d: %s", in,
                            strerror(errno)));
    CT_TRY(ct_server_new(&server, context, err));
    CT_TRY(server_lines(server, lines, out, err));
out:
    ct_server_free(server);
    if (lines) fclose(lines);
    return status;
}
