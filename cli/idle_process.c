/* idle_process.c: see idle_process.h. Between fork and exec only what is safe there is called.
 * Room: cli. Knows processes, priorities and signals. Does not know what they do. */
#include "idle_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
enum { IDLE_POLICY = 5 /* SCHED_IDLE, of sched.h with _GNU_SOURCE */ };
#endif

static void idle_process_lower(pid_t parent)
{
    (void)setpriority(PRIO_PROCESS, 0, 19);
#ifdef __linux__
    const struct sched_param none = {0};
    (void)sched_setscheduler(0, IDLE_POLICY, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(1);
}

static void idle_process_become(const char *const *argv, const char *log, pid_t parent)
{
    sigset_t none;
    const int in = open("/dev/null", O_RDONLY);
    const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    setpgid(0, 0);
    idle_process_lower(parent);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (in >= 0 && out >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(out, STDERR_FILENO) >= 0)
        execv(argv[0], (char *const *)argv);
    _exit(127);
}

pid_t ct_idle_process_start(const char *const *argv, const char *log)
{
    const pid_t parent = getpid(), process = fork();
    if (process == 0) idle_process_become(argv, log, parent);
    return process;
}

bool ct_idle_process_ended(pid_t process, int *code)
{
    int status = 0;
    const pid_t got = waitpid(process, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) return false;
    *code = got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return true;
}

void ct_idle_process_pause(pid_t process, bool pause)
{
    kill(process, pause ? SIGSTOP : SIGCONT);
}

void ct_idle_process_kill(pid_t process)
{
    kill(process, SIGKILL);
    (void)waitpid(process, NULL, 0);
}
