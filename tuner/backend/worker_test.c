/* worker_test.c: processes that answer, and those that hang, die, talk rubbish or too much, or
 * close their mouth; nothing is left of any of them. Most are shell scripts; one is this program,
 * with a stage whose kernel hangs or dies.
 * Room: tuner/backend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cornerturn_tune.h"
#include "worker.h"

#define SCRIPT                                                                                     \
    "while read -r question; do case $question in\n"                                               \
    "*hello*) echo '{\"status\": \"ok\", \"device\": \"paper\"}';;\n"                              \
    "*hang*) sleep 1000;;\n"                                                                       \
    "*segv*) kill -SEGV $$;;\n"                                                                    \
    "*exit*) echo 'not a word more' >&2; exit 3;;\n"                                               \
    "*rubbish*) echo 'what?';;\n"                                                                  \
    "*list*) echo '[1, 2]';;\n"                                                                    \
    "*mute*) exec 0<&- 1>&-; sleep 1000;;\n"                                                       \
    "*deaf*) exec 2>&-; sleep 1000;;\n"                                                            \
    "*flood*) yes | tr -d '\\n';;\n"                                                               \
    "*twice*) echo '{\"status\": \"ok\"}'; echo '{\"status\": \"again\"}';;\n"                     \
    "*wait*) sleep 0.${question##* }; echo '{\"status\": \"ok\"}';;\n"                             \
    "*who*) echo '{\"status\": \"ok\", \"pid\": '$$'}';;\n"                                        \
    "*long*) echo \"{\\\"status\\\": \\\"ok\\\", \\\"length\\\": ${#question}}\";;\n"              \
    "*) echo '{\"status\": \"ok\"}';; esac; done"

static const char *const script[] = {"bash", "-c", SCRIPT, NULL};

static ct_worker *worker_new(const char *const *argv)
{
    ct_worker *worker = NULL;
    const ct_worker_start start = {.argv = argv, .hello = "{\"hello\": 1}", .hello_s = 20};
    assert_int_equal(ct_worker_new(&worker, &start, NULL), CT_OK);
    return worker;
}

static const char *text_of(const ct_value *answer, const char *key)
{
    return ct_value_text(ct_value_get(answer, key), "");
}

static void expect(ct_worker *worker, const char *question, double seconds, const char *status,
                   const char *say)
{
    ct_value *answer = NULL;
    ct_error err = {0};
    if (ct_worker_ask(&answer, worker, question, seconds, &err) != CT_OK) fail_msg("%s", err.text);
    if (strcmp(text_of(answer, "status"), status) != 0 || !strstr(text_of(answer, "say"), say))
        fail_msg("%s: got %s: %s", question, text_of(answer, "status"), text_of(answer, "say"));
    ct_value_free(answer);
}

static int64_t number_of(ct_worker *worker, const char *question, const char *key)
{
    ct_value *answer = NULL;
    assert_int_equal(ct_worker_ask(&answer, worker, question, 20, NULL), CT_OK);
    const int64_t number = ct_value_int(ct_value_get(answer, key), -1);
    ct_value_free(answer);
    return number;
}

static void pause_s(double seconds)
{
    const struct timespec time = {(time_t)seconds,
                                  (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

static bool is_gone(pid_t pid)
{
    for (int i = 0; i < 500; i++) {
        if (kill(pid, 0) < 0 && errno == ESRCH) return true;
        pause_s(0.01);
    }
    return false;
}

/* ---------------------------------------------------------------- one conversation */

static void answers_are_passed_on(void **state)
{
    (void)state;
    ct_worker *worker = worker_new(script);
    assert_int_equal(ct_worker_ready(worker, NULL), CT_OK);
    assert_string_equal(text_of(ct_worker_about(worker), "device"), "paper");
    expect(worker, "{}", 20, "ok", "");
    expect(worker, "{\n\"of\":\n \"several lines\"}\n", 20, "ok", "");
    const pid_t pid = (pid_t)number_of(worker, "who", "pid");
    assert_true(pid > 0 && getpgid(pid) == pid); /* the terminal's Ctrl-C does not reach it */
    assert_int_equal(number_of(worker, "who", "pid"), pid);
    ct_worker_free(worker);
    assert_true(is_gone(pid));
    assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); /* no zombies */
}

static void long_questions_arrive(void **state)
{
    enum { LETTERS = 1000000 };
    (void)state;
    ct_worker *worker = worker_new(script);
    char *question = malloc(LETTERS + 1);
    memset(question, 'x', LETTERS);
    memcpy(question, "long", 4);
    question[LETTERS] = '\0';
    assert_int_equal(number_of(worker, question, "length"), LETTERS);
    free(question);
    ct_worker_free(worker);
}

static void those_who_fail_have_answers(void **state)
{
    (void)state;
    ct_worker *worker = worker_new(script);
    expect(worker, "segv", 20, "runtime", "the worker was ended by signal 11 (Segmentation fault)");
    expect(worker, "exit", 20, "runtime",
           "the worker ended with exit code 3; the last that it said: not a word more");
    expect(worker, "rubbish", 20, "runtime", "the worker's answer is none: what?");
    expect(worker, "list", 20, "runtime", "the worker's answer is none: [1, 2]");
    expect(worker, "hang", 0.2, "timeout", "no answer in 0.2 s");
    expect(worker, "deaf", 0.2, "timeout", "no answer");
    expect(worker, "mute", 20, "runtime", "the worker was ended by signal 9"); /* and stays */
    expect(worker, "flood", 20, "runtime", "the worker's answer is none: yyyyyyyyyy");
    expect(worker, "{}", 20, "ok", ""); /* another process each time */
    ct_worker_free(worker);
}

static void who_answers_twice_begins_anew(void **state)
{
    (void)state;
    ct_worker *worker = worker_new(script);
    const int64_t pid = number_of(worker, "who", "pid");
    expect(worker, "twice", 20, "ok", "");
    pause_s(0.2);
    assert_true(number_of(worker, "who", "pid") != pid); /* "again" is nobody's answer */
    ct_worker_free(worker);
}

static void what_it_started_ends_with_it(void **state)
{
    (void)state;
    char file[] = "/tmp/worker_test_XXXXXX", words[256] = "";
    close(mkstemp(file));
    char text[256];
    snprintf(text, sizeof text,
             "read -r q; echo '{\"status\": \"ok\"}'; read -r q; sleep 1000 & echo $! >%s; wait",
             file);
    ct_worker *worker = worker_new((const char *const[]){"bash", "-c", text, NULL});
    expect(worker, "{}", 0.5, "timeout", "");
    FILE *in = fopen(file, "r");
    assert_non_null(fgets(words, sizeof words, in));
    fclose(in);
    assert_true(is_gone((pid_t)strtol(words, NULL, 10)));
    ct_worker_free(worker);
    remove(file);
}

static void who_cannot_start_is_no_worker(void **state)
{
    ct_error err = {0};
    ct_value *answer = NULL;
    (void)state;
    ct_worker *worker = worker_new((const char *const[]){"/nowhere/cornerturn", "serve", NULL});
    assert_int_equal(ct_worker_ask(&answer, worker, "{}", 1, &err), CT_FAILED);
    assert_string_equal(err.text,
                        "cannot start \"/nowhere/cornerturn\": No such file or directory");
    ct_worker_free(worker);
    err = (ct_error){0};
    worker = worker_new((const char *const[]){"false", NULL});
    assert_int_equal(ct_worker_ready(worker, &err), CT_FAILED);
    assert_string_equal(err.text, "the worker ended with exit code 1");
    ct_worker_free(worker);
    err = (ct_error){0};
    worker = worker_new((const char *const[]){
        "bash", "-c",
        "read q; echo '{\"status\": \"usage\", \"code\": 4, \"say\": \"no\"}'; read q", NULL});
    assert_int_equal(ct_worker_ready(worker, &err), CT_NO_DEVICE);
    assert_string_equal(err.text, "no");
    ct_worker_free(worker);
    err = (ct_error){0};
    worker = worker_new((const char *const[]){"bash", "-c", "yes '{\"status\": \"ok\"}'", NULL});
    assert_int_equal(ct_worker_ready(worker, &err), CT_FAILED);
    assert_string_equal(err.text, "the worker says more than it is asked");
    ct_worker_free(worker);
}

/* ---------------------------------------------------------------- several */

static void several_answer_as_they_come(void **state)
{
    enum { COUNT = 3 };
    ct_worker *workers[COUNT];
    static const char *const questions[COUNT] = {"wait 6", "hang", "wait 1"};
    static const int order[COUNT] = {2, 0, 1};
    ct_value *answer = NULL;
    int which = 5;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        workers[i] = worker_new(script);
        assert_int_equal(ct_worker_ready(workers[i], NULL), CT_OK);
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(ct_worker_send(workers[i], questions[i], i == 1 ? 1.2 : 20, NULL), CT_OK);
    assert_int_equal(ct_worker_send(workers[0], "{}", 1, NULL), CT_USAGE);
    assert_int_equal(ct_worker_wait(&which, &answer, workers, COUNT, 0.01, NULL), CT_OK);
    assert_int_equal(which, -1); /* too early */
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(ct_worker_wait(&which, &answer, workers, COUNT, 20, NULL), CT_OK);
        assert_int_equal(which, order[i]);
        assert_string_equal(text_of(answer, "status"), which == 1 ? "timeout" : "ok");
        assert_false(ct_worker_is_busy(workers[which]));
        ct_value_free(answer);
    }
    for (int i = 0; i < COUNT; i++)
        ct_worker_free(workers[i]);
}

static void note(int signal)
{
    (void)signal;
}

/* A person's Ctrl-C: who waits hears of it, the worker does not. */
static void signals_end_the_wait(void **state)
{
    const struct sigaction action = {.sa_handler = note};
    struct sigaction before;
    ct_value *answer = NULL;
    int which = 5;
    (void)state;
    ct_worker *worker = worker_new(script);
    assert_int_equal(ct_worker_send(worker, "hang", 20, NULL), CT_OK);
    sigaction(SIGALRM, &action, &before);
    alarm(1);
    assert_int_equal(ct_worker_wait(&which, &answer, &worker, 1, 20, NULL), CT_OK);
    assert_int_equal(which, -1);
    assert_true(ct_worker_is_busy(worker));
    sigaction(SIGALRM, &before, NULL);
    ct_worker_free(worker);
}

/* The one that asks is killed: the worker ends, too. */
static void workers_do_not_survive_their_parent(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        ct_worker *worker = worker_new(script);
        const int64_t pid = number_of(worker, "who", "pid");
        if (write(ends[1], &pid, sizeof pid) < 0) _exit(1);
        expect(worker, "hang", 1000, "timeout", "");
        _exit(1);
    }
    int64_t pid = 0;
    assert_int_equal(read(ends[0], &pid, sizeof pid), sizeof pid);
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    assert_true(is_gone((pid_t)pid));
    close(ends[0]);
    close(ends[1]);
}

/* ---------------------------------------------------------------- drivers that do not come back */

static const char faulty_text[] = "kernel void faulty(CT_ARGS)\n"
                                  "{\n"
                                  "    if (CT_OUTSIDE) return;\n"
                                  "    const volatile global float *x = X_data;\n"
                                  "    if (FAULT_IS_hang)\n"
                                  "        while (*x < 100) {\n"
                                  "        }\n"
                                  "    if (FAULT_IS_dies) x = 0;\n"
                                  "    Y_SAVE(ID_S, ID_T, x[X_AT(ID_S, ID_T)]);\n"
                                  "}\n";
static const ct_tunable faulty_tunables[] = {{"FAULT", "none hang dies", "none", "none", "?"}, {0}};

static ct_status make_infer(ct_step *step, ct_error *err)
{
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    out->type = CT_F32;
    ct_array_add(out, 'S', 2);
    ct_array_add(out, 'T', 0);
    out->meta.total = 64;
    return CT_OK;
}

static const ct_stage make = {.api = CT_API,
                              .name = "test.make",
                              .infer = make_infer,
                              .ports = {{"Y", CT_OUT, 0, "ST", "f32", "*", NULL, NULL}}};
static const ct_stage faulty = {
    .api = CT_API,
    .name = "test.faulty",
    .ports = {{"X", CT_IN, 0, "ST", "f32", "*", "ST", NULL},
              {"Y", CT_OUT, 0, "ST", "f32", "*", "ST", NULL}},
    .tuning = {.tunables = faulty_tunables},
    .kernel = {.text = faulty_text, .entry = "faulty", .parallel = "T, S"},
};

static const char faulty_pipeline[] =
    "{\"cornerturn\": 1, \"block\": {\"T\": 16}, \"nodes\": {\"in\": {\"stage\": \"test.make\"}, "
    "\"out\": {\"stage\": \"test.faulty\", \"input\": \"in\"}}}";

static ct_context *context_new(void)
{
    ct_context *context = NULL;
    if (ct_context_open(&context, NULL) != CT_OK ||
        ct_context_add_stage(context, &make, NULL) != CT_OK ||
        ct_context_add_stage(context, &faulty, NULL) != CT_OK)
        abort();
    return context;
}

static int serve(void)
{
    ct_context *context = context_new();
    const ct_status status = ct_tune_serve(context, 0, 1, NULL);
    ct_context_free(context);
    return status;
}

static void ask_faulty(ct_worker *worker, const char *fault, double seconds, const char *status,
                       const char *say)
{
    char question[512];
    snprintf(
        question, sizeof question,
        "{\"do\": \"build\", \"step\": \"out\", \"plan\": {\"cornerturn_plan\": 2, \"nodes\": "
        "{\"in\": {\"stage\": \"test.make\", \"version\": 0, \"shape\": \"f32 S=2\"}, \"out\": "
        "{\"stage\": \"test.faulty\", \"version\": 0, \"shape\": \"f32 S=2\", \"tunables\": "
        "{\"FAULT\": \"%s\"}}}}}",
        fault);
    expect(worker, question, seconds, status, say);
}

/* With and without a process. */
static void kernels_that_hang_or_die_are_survived(void **state)
{
    ct_error err = {0};
    ct_text hello = {0};
    ct_graph *graph = NULL;
    ct_context *context = context_new();
    const char *const argv[] = {"/proc/self/exe", "serve", NULL};
    ct_worker_start start = {.argv = argv, .context = context, .hello_s = 60};
    (void)state;
    if (ct_graph_parse(&graph, context, faulty_pipeline, "p.json", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ct_worker_print_hello(&hello, graph, NULL, NULL), CT_OK);
    start.hello = hello.data;
    for (int own = 0; own < 2; own++) {
        ct_worker *worker = NULL;
        start.argv = own ? NULL : argv;
        assert_int_equal(ct_worker_new(&worker, &start, NULL), CT_OK);
        assert_int_equal(ct_worker_ready(worker, &err), CT_OK);
        assert_true(*text_of(ct_worker_about(worker), "driver") != '\0');
        ask_faulty(worker, "none", 60, "correct", "");
        if (!own) ask_faulty(worker, "hang", 2, "timeout", "no answer in 2 s");
        if (!own)
            ask_faulty(worker, "dies", 60, "runtime", "ended"); /* a sanitizer is answered first */
        ask_faulty(worker, "other", 60, "constraints", "expected one of none hang dies");
        ask_faulty(worker, "none", 60, "correct", "");
        ct_worker_free(worker);
    }
    ct_text_free(&hello);
    ct_graph_free(graph);
    ct_context_free(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_passed_on),
        cmocka_unit_test(long_questions_arrive),
        cmocka_unit_test(those_who_fail_have_answers),
        cmocka_unit_test(who_answers_twice_begins_anew),
        cmocka_unit_test(what_it_started_ends_with_it),
        cmocka_unit_test(who_cannot_start_is_no_worker),
        cmocka_unit_test(several_answer_as_they_come),
        cmocka_unit_test(signals_end_the_wait),
        cmocka_unit_test(workers_do_not_survive_their_parent),
        cmocka_unit_test(kernels_that_hang_or_die_are_survived),
    };
    if (argc > 1 && strcmp(argv[1], "serve") == 0) return serve();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
