/* process.c: see process.h. fork, not posix_spawn, because a child has to ask the system itself to
 * be ended with its parent; between fork and exec it calls only what is safe there.
 * Room: tuner/backend. Knows processes and signals. Does not know what is said. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "fail.h"

/* Both ends of each connection with the child; -1: closed. */
typedef struct process_ends {
    int talk[2], complaints[2], failure[2]; /* the parent's, the child's */
} process_ends;

static void process_close(int *handle)
{
    if (*handle >= 0) close(*handle);
    *handle = -1;
}

static void process_close_side(process_ends *ends, int side)
{
    process_close(&ends->talk[side]);
    process_close(&ends->complaints[side]);
    process_close(&ends->failure[side]);
}

/* None of them is inherited by any other program. */
static int process_pipe(int ends[2])
{
    if (pipe(ends) != 0) return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

static int process_open(process_ends *ends)
{
    *ends = (process_ends){{-1, -1}, {-1, -1}, {-1, -1}};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends->talk) != 0) return errno;
    fcntl(ends->talk[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends->talk[1], F_SETFD, FD_CLOEXEC);
    if (process_pipe(ends->complaints) != 0 || process_pipe(ends->failure) != 0) return errno;
    fcntl(ends->talk[0], F_SETFL, O_NONBLOCK);
    fcntl(ends->complaints[0], F_SETFL, O_NONBLOCK);
    return 0;
}

/* If the parent ended before this request, the child is not told any more. */
static void process_follow(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(1);
}

/* A handle above the three standard ones, which the child needs by their numbers: the parent may
 * have closed its own. */
static int process_away(int handle)
{
    return fcntl(handle, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static void process_become(const process_ends *ends, const char *const *argv, pid_t parent)
{
    sigset_t none;
    const int talk = process_away(ends->talk[1]), complaints = process_away(ends->complaints[1]),
              failure = process_away(ends->failure[1]);
    setpgid(0, 0);
    process_follow(parent);
    signal(SIGPIPE, SIG_DFL); /* what is ignored stays ignored across exec */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(talk, STDIN_FILENO) >= 0 && dup2(talk, STDOUT_FILENO) >= 0 &&
        dup2(complaints, STDERR_FILENO) >= 0)
        execvp(argv[0], (char *const *)argv);
    const int code = errno;
    if (write(failure, &code, sizeof code) < 0) _exit(126);
    _exit(127);
}

/* errno of the child's exec; 0 once it runs. */
static int process_failure(int handle)
{
    int code = 0;
    ssize_t got;
    do
        got = read(handle, &code, sizeof code);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof code ? code : 0;
}

ct_status ct_process_start(ct_process *out, const char *const *argv, ct_error *err)
{
    process_ends ends;
    const pid_t parent = getpid();
    int code = process_open(&ends);
    *out = (ct_process){.talk = -1, .complaints = -1};
    const pid_t pid = code == 0 ? fork() : -1;
    if (pid == 0) process_become(&ends, argv, parent);
    if (pid < 0 && code == 0) code = errno;
    process_close_side(&ends, 1);
    if (pid > 0) {
        setpgid(pid, pid); /* in the child, too: one of the two comes first */
        code = process_failure(ends.failure[0]);
    }
    process_close(&ends.failure[0]);
    *out = (ct_process){pid > 0 ? pid : 0, ends.talk[0], ends.complaints[0]};
    if (code == 0) return CT_OK;
    ct_process_end(out, 0, NULL);
    return ct_error_add(err, CT_FAILED, "cannot start \"%s\": %s", argv[0], strerror(code));
}

void ct_process_pause(const ct_process *process, bool pause)
{
    if (process->pid > 0) kill(-process->pid, pause ? SIGSTOP : SIGCONT);
}

/* ---------------------------------------------------------------- its end */

static void process_say(ct_text *how, int code)
{
    if (WIFSIGNALED(code))
        ct_text_add(how, "was ended by signal %d (%s)", WTERMSIG(code), strsignal(WTERMSIG(code)));
    else
        ct_text_add(how, "ended with exit code %d", WEXITSTATUS(code));
}

/* True: it has ended, and nothing is left of it. */
static bool process_has_ended(pid_t pid, int *code, int options)
{
    pid_t got;
    do
        got = waitpid(pid, code, options);
    while (got < 0 && errno == EINTR);
    return got != 0; /* an error: somebody else has waited for it */
}

void ct_process_end(ct_process *process, double patience, ct_text *how)
{
    const struct timespec tick = {.tv_nsec = 5000000};
    int code = 0;
    if (process->pid > 0) {
        bool ended = process_has_ended(process->pid, &code, WNOHANG);
        for (double waited = 0; !ended && waited < patience; waited += 5e-3) {
            nanosleep(&tick, NULL);
            ended = process_has_ended(process->pid, &code, WNOHANG);
        }
        kill(-process->pid, SIGKILL); /* what it has started, too */
        if (!ended) (void)process_has_ended(process->pid, &code, 0);
        if (how) process_say(how, code);
    }
    process->pid = 0;
    process_close(&process->talk);
    process_close(&process->complaints);
}
