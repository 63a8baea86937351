/* crash.c: see crash.h. A kernel runs in this process where the device is a CPU, and so does a
 * plug-in: what they do wrong ends it. The handler only writes texts that are there already; which
 * step the device is at is asked by a thread that has waited for that. Then follows what the signal
 * does otherwise.
 * Room: cli. Knows signals. Does not know steps but by name.
 * What stands below are globals since a signal handler can reach nothing else (interrupt.c). */
#include "crash.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CRASH_TEXT = 256, CRASH_WAIT_MS = 100, CRASH_WAITS = 10 };

typedef struct crash_signal {
    int number;
    const char *name;
} crash_signal;

static const crash_signal ct_crash_signals[] = {{SIGSEGV, "SIGSEGV, an address that is not there"},
                                                {SIGBUS, "SIGBUS, an address that cannot be used"},
                                                {SIGFPE, "SIGFPE, such as a division by zero"},
                                                {SIGILL, "SIGILL, an instruction that is none"},
                                                {SIGABRT, "SIGABRT, it has given up itself"}};
enum { CRASH_SIGNALS = sizeof ct_crash_signals / sizeof *ct_crash_signals };

static char ct_crash_texts[2][CRASH_TEXT]; /* one is read while the other one is written */
static _Atomic(const char *) ct_crash_text;
static _Atomic(const ct_run *) ct_crash_run;
static _Atomic(const char *) ct_crash_device; /* the answer */
static atomic_bool ct_crash_answered;
static atomic_flag ct_crash_said = ATOMIC_FLAG_INIT;
static sem_t ct_crash_asked;
static bool ct_crash_ours[CRASH_SIGNALS];

static void crash_put(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* The run's thread goes on until it waits for the device, too: then there is an answer. */
static void *crash_answer(void *of)
{
    while (sem_wait(&ct_crash_asked) != 0)
        continue;
    (void)poll(NULL, 0, CRASH_WAIT_MS);
    atomic_store(&ct_crash_device, ct_run_device_at(atomic_load(&ct_crash_run)));
    atomic_store(&ct_crash_answered, true);
    return of;
}

static const char *crash_step(void)
{
    const ct_run *run = atomic_load(&ct_crash_run);
    const char *mine = ct_run_at(run);
    if (run == NULL || mine != NULL) return mine;
    (void)sem_post(&ct_crash_asked);
    for (int i = 0; i < CRASH_WAITS && !atomic_load(&ct_crash_answered); i++)
        (void)poll(NULL, 0, CRASH_WAIT_MS);
    return atomic_load(&ct_crash_device);
}

static void crash_put_where(void)
{
    const char *text = atomic_load(&ct_crash_text), *step = text == NULL ? crash_step() : NULL;
    if (step != NULL) {
        crash_put("node \"");
        crash_put(step);
        crash_put("\" has crashed while a block was computed");
    } else {
        crash_put(text != NULL ? text : "the command has crashed, in none of the pipeline's nodes");
    }
}

/* Other threads that crash in the same kernel wait for the end. */
static void crash_say(int number, siginfo_t *info, void *context)
{
    (void)context;
    while (atomic_flag_test_and_set(&ct_crash_said))
        (void)poll(NULL, 0, CRASH_WAIT_MS);
    crash_put("\n");
    crash_put_where();
    for (int i = 0; i < CRASH_SIGNALS; i++)
        if (ct_crash_signals[i].number == number) {
            crash_put(" (");
            crash_put(ct_crash_signals[i].name);
            crash_put(")\n");
        }
    (void)signal(number, SIG_DFL);
    if (info->si_code <= 0) (void)raise(number); /* sent, not met: it would not come again */
}

static void crash_begin_thread(void)
{
    pthread_t thread;
    if (sem_init(&ct_crash_asked, 0, 0) == 0 &&
        pthread_create(&thread, NULL, crash_answer, NULL) == 0)
        (void)pthread_detach(thread);
}

static void crash_take(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = crash_say;
    action.sa_flags = SA_SIGINFO;
    sigaction(number, &action, NULL);
}

/* What somebody else has set, a sanitizer for example, stays. */
void ct_crash_catch(void)
{
    struct sigaction before;
    crash_begin_thread();
    for (int i = 0; i < CRASH_SIGNALS; i++) {
        ct_crash_ours[i] = sigaction(ct_crash_signals[i].number, NULL, &before) == 0 &&
                           before.sa_handler == SIG_DFL;
        if (ct_crash_ours[i]) crash_take(ct_crash_signals[i].number);
    }
}

/* PoCL takes SIGFPE, since a division by zero is no mistake of a kernel in OpenCL. */
void ct_crash_catch_again(void)
{
    for (int i = 0; i < CRASH_SIGNALS; i++)
        if (ct_crash_ours[i] && ct_crash_signals[i].number != SIGFPE)
            crash_take(ct_crash_signals[i].number);
}

void ct_crash_note(const char *step, const char *what)
{
    char *text = ct_crash_texts[atomic_load(&ct_crash_text) == ct_crash_texts[0]];
    if (step != NULL) snprintf(text, CRASH_TEXT, "node \"%s\" has crashed while %s", step, what);
    atomic_store(&ct_crash_text, step != NULL ? text : NULL);
}

void ct_crash_in(const ct_run *run)
{
    atomic_store(&ct_crash_run, run);
}
