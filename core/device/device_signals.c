/* device_signals.c: a signal to the program shall not stop the driver's compiler.
 * Room: core/device. Knows signals. Does not know what they lead to. */
#include "device.h"

void ct_device_signals_block(sigset_t *before)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &stop, before);
}

void ct_device_signals_restore(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
