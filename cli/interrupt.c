/* interrupt.c: whether the person asked to stop (SIGINT, SIGTERM).
 * Room: cli. Knows signals. Does not know what is stopped. The flag below is the command's only
 * global: a signal handler can reach nothing else. */
#include "interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t ct_interrupt_flag;

static void ct_interrupt_note(int signal)
{
    (void)signal;
    ct_interrupt_flag = 1;
}

void ct_interrupt_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ct_interrupt_note;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool ct_interrupt_caught(void)
{
    return ct_interrupt_flag != 0;
}

bool ct_interrupt_asked(void *of)
{
    (void)of;
    return ct_interrupt_caught();
}
