/* workers.c: see workers.h.
 * Room: cli. Order: all are started, their lines are read as they come, all are waited for. */
#include "workers.h"

#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct worker {
    pid_t pid;
    int pipe; /* -1 once it is closed */
    char line[sizeof((ct_error *)NULL)->text + 16];
    size_t length;
} worker;

static ct_status worker_fail(ct_error *err, int code)
{
    return ct_error_add(err, CT_FAILED, "cornerturn: a worker cannot be started: %s",
                        strerror(code));
}

static ct_status worker_start(worker *one, const ct_workers *workers, ct_error *err)
{
    int ends[2], code;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) return worker_fail(err, errno);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    if (workers->errors) posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    code = posix_spawn(&one->pid, "/proc/self/exe", &actions, NULL, workers->arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    one->pipe = ends[0];
    if (code == 0) return CT_OK;
    close(ends[0]);
    one->pid = 0;
    one->pipe = -1;
    return worker_fail(err, code);
}

static void worker_take(worker *one, int place, const ct_workers *workers, const char *text,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text[i] != '\n' && one->length + 1 < sizeof one->line) {
            one->line[one->length++] = text[i];
        } else if (text[i] == '\n') {
            one->line[one->length] = 0;
            workers->line(workers->state, place, one->line);
            one->length = 0;
        }
    }
}

static void worker_read(worker *one, int place, const ct_workers *workers)
{
    char text[4096];
    const ssize_t count = read(one->pipe, text, sizeof text);
    if (count > 0) {
        worker_take(one, place, workers, text, (size_t)count);
        return;
    }
    if (one->length > 0) worker_take(one, place, workers, "\n", 1); /* it was ended amid a line */
    close(one->pipe);
    one->pipe = -1;
}

static void workers_listen(worker *all, const ct_workers *workers)
{
    for (;;) {
        struct pollfd open[CT_WORKERS];
        int place[CT_WORKERS], count = 0;
        for (int i = 0; i < workers->count; i++)
            if (all[i].pipe >= 0) {
                open[count] = (struct pollfd){.fd = all[i].pipe, .events = POLLIN};
                place[count++] = i;
            }
        if (count == 0) return;
        if (poll(open, (nfds_t)count, -1) < 0) continue;
        for (int i = 0; i < count; i++)
            if (open[i].revents) worker_read(&all[place[i]], place[i], workers);
    }
}

static ct_status worker_wait(const worker *one, const char *doing, ct_error *err)
{
    int code = 0;
    if (one->pid == 0) return CT_FAILED;
    if (waitpid(one->pid, &code, 0) < 0) return CT_FAILED;
    if (WIFEXITED(code) && WEXITSTATUS(code) != CT_FAILED) return (ct_status)WEXITSTATUS(code);
    if (WIFEXITED(code))
        return ct_error_add(err, CT_FAILED, "a worker failed while it tried %s", doing);
    return ct_error_add(err, CT_FAILED, "a worker was ended by signal %d (%s) while it tried %s",
                        WTERMSIG(code), strsignal(WTERMSIG(code)), doing);
}

ct_status ct_workers_run(const ct_workers *workers, const char *(*doing)(void *state, int worker),
                         ct_error *err)
{
    static const worker fresh = {.pipe = -1};
    worker all[CT_WORKERS];
    ct_status status = CT_OK;
    char part[32];
    for (int i = 0; i < workers->count; i++) {
        all[i] = fresh;
        snprintf(part, sizeof part, "%d/%d", workers->first + i,
                 workers->parts ? workers->parts : workers->count);
        workers->arguments[workers->part] = part;
        if (status == CT_OK) status = worker_start(&all[i], workers, err);
    }
    workers_listen(all, workers);
    for (int i = 0; i < workers->count; i++) {
        const ct_status one = worker_wait(&all[i], doing(workers->state, i), err);
        if (one > status) status = one;
    }
    return status;
}
