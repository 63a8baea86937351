/* peer_process.c: a program at the other end of two pipes: "go" down, seconds up.
 * Room: tuner/bench. Knows pipes and processes. Does not know any peer. Order: start, timed rounds,
 * stop. */
#include "peer_process.h"
#include "cornerturn_stage.h"

#include "fail.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 16 };

struct ct_peer {
    char *command;
    pid_t child;
    FILE *down, *up;
    ct_value *about;
};

/* posix_spawn, not fork: a process in which OpenCL runs must not be copied. */
static int peer_spawn(ct_peer *peer, char *const words[], int down[2], int up[2],
                      char **environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO);
    int code = posix_spawnp(&peer->child, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) peer->child = 0;
    return code;
}

/* Closed in children (but for what is copied to their input and output): else another peer would
 * hold this one's input open. */
static int peer_pipe(int ends[2])
{
    if (pipe(ends) != 0) return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

static void peer_words(char *command, char *words[WORDS + 1])
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(command, " ", &rest); word != NULL && count < WORDS;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = NULL;
}

static ct_status peer_open(ct_peer *peer, ct_error *err)
{
    extern char **environ;
    char *words[WORDS + 1];
    int down[2] = {-1, -1}, up[2] = {-1, -1};
    char *copy = ct_memory_copy(peer->command);
    if (copy == NULL) return ct_memory_fail(strlen(peer->command) + 1, err);
    peer_words(copy, words);
    int code = words[0] == NULL || peer_pipe(down) != 0 || peer_pipe(up) != 0 ? EINVAL : 0;
    if (code == 0) code = peer_spawn(peer, words, down, up, environ);
    ct_memory_free(copy);
    if (down[0] >= 0) close(down[0]);
    if (up[1] >= 0) close(up[1]);
    peer->down = down[1] >= 0 ? fdopen(down[1], "w") : NULL;
    peer->up = up[0] >= 0 ? fdopen(up[0], "r") : NULL;
    if (peer->down) setvbuf(peer->down, NULL, _IONBF, 0); /* closing it then writes nothing */
    if (code == 0) return CT_OK;
    return ct_error_add(err, CT_FAILED, "peer \"%s\" cannot be started: %s", peer->command,
                        strerror(code));
}

static ct_status peer_line(ct_peer *peer, char *line, int size, ct_error *err)
{
    if (fgets(line, size, peer->up) != NULL) return CT_OK;
    return ct_error_add(err, CT_FAILED, "peer \"%s\" ended early", peer->command);
}

ct_status ct_peer_start(ct_peer **out, const char *command, ct_error *err)
{
    ct_status status = CT_OK;
    char line[1024];
    ct_peer *peer = ct_memory_get(sizeof *peer);
    CT_NEED(peer, sizeof *peer, err);
    peer->command = ct_memory_copy(command);
    CT_NEED(peer->command, strlen(command) + 1, err);
    CT_TRY(peer_open(peer, err));
    CT_TRY(peer_line(peer, line, sizeof line, err));
    CT_TRY(ct_value_parse(&peer->about, line, command, err));
out:
    if (status != CT_OK) {
        ct_peer_stop(peer);
        peer = NULL;
    }
    *out = peer;
    return status;
}

const ct_value *ct_peer_about(const ct_peer *peer)
{
    return peer->about;
}

/* A peer that died is an error, not our end: but only while we write to it. */
static void peer_go(ct_peer *peer)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    fputs("go\n", peer->down);
    sigaction(SIGPIPE, &before, NULL);
}

static ct_status peer_run(void *of, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    ct_peer *peer = of;
    char line[64];
    peer_go(peer);
    CT_TRY(peer_line(peer, line, sizeof line, err));
    *seconds = ct_number_read(line, NULL);
    if (!(*seconds > 0))
        CT_TRY(ct_error_add(err, CT_FAILED, "peer \"%s\": expected seconds, found \"%.20s\"",
                            peer->command, line));
out:
    return status;
}

ct_timed ct_peer_timed(ct_peer *peer)
{
    return (ct_timed){peer_run, peer};
}

/* It ends with its input. */
void ct_peer_stop(ct_peer *peer)
{
    if (peer == NULL) return;
    if (peer->down != NULL) fclose(peer->down);
    if (peer->up != NULL) fclose(peer->up);
    if (peer->child > 0) waitpid(peer->child, NULL, 0);
    ct_value_free(peer->about);
    ct_memory_free(peer->command);
    ct_memory_free(peer);
}
