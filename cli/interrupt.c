/* interrupt.c: a person who asks to stop (SIGINT, SIGTERM, SIGHUP) cancels the run.
 * Room: cli. Knows signals. Does not know what is stopped.
 * What stands below are the command's only globals: a signal handler can reach nothing else. */
#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const char ct_interrupt_sentence[] = "interrupted: no output was written\n";
static atomic_bool ct_interrupt_flag, ct_interrupt_deferred;
static atomic_bool ct_interrupt_line; /* on a terminal, where a line of progress may stand */
static _Atomic(ct_run *) ct_interrupt_run;

static void interrupt_note(int signal)
{
    (void)signal;
    if (!atomic_load(&ct_interrupt_deferred)) {
        if (atomic_load(&ct_interrupt_line)) (void)!write(STDERR_FILENO, "\r\033[K", 4);
        (void)!write(STDERR_FILENO, ct_interrupt_sentence, sizeof ct_interrupt_sentence - 1);
        _exit(CT_INTERRUPTED);
    }
    atomic_store(&ct_interrupt_flag, true);
    ct_run_cancel(atomic_load(&ct_interrupt_run));
}

/* nohup: who leaves the terminal does not mean the run. */
static bool interrupt_is_ignored(int signal)
{
    struct sigaction present;
    return sigaction(signal, NULL, &present) == 0 && present.sa_handler == SIG_IGN;
}

/* A thread that has nothing to do but to take these signals, since the library blocks them in the
 * one that builds kernels. */
static void *interrupt_wait(void *of)
{
    for (;;)
        (void)pause();
    return of;
}

static void interrupt_begin_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, interrupt_wait, NULL) == 0) (void)pthread_detach(thread);
}

void ct_interrupt_catch(void)
{
    struct sigaction action;
    atomic_store(&ct_interrupt_line, isatty(STDERR_FILENO) != 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt_note;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!interrupt_is_ignored(SIGHUP)) sigaction(SIGHUP, &action, NULL);
    action.sa_handler =
        SIG_IGN; /* a reader that leaves, a file that grows too large: write() says so */
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    interrupt_begin_thread();
}

void ct_interrupt_defer(void)
{
    atomic_store(&ct_interrupt_deferred, true);
}

void ct_interrupt_cancels(ct_run *run)
{
    atomic_store(&ct_interrupt_run, run);
    if (atomic_load(&ct_interrupt_flag)) ct_run_cancel(run);
}

ct_status ct_interrupt_explain(ct_status status, ct_error *err)
{
    if (status == CT_OK || !atomic_load(&ct_interrupt_flag)) return status;
    *err = (ct_error){0};
    return ct_error_add(err, CT_INTERRUPTED, "%.*s", (int)sizeof ct_interrupt_sentence - 2,
                        ct_interrupt_sentence);
}

bool ct_interrupt_came(void)
{
    return atomic_load(&ct_interrupt_flag);
}
