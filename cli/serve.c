/* serve.c: the verb serve: answers a tuner's questions on standard input, which starts this command
 * as a process of its own, so that a driver that hangs or dies takes no tuner along. Not in the
 * help: it is no use to a person. Room: cli. Does not know what is asked. Drivers and their
 * compilers print on standard output, too, and inherit what is open: questions and answers get
 * descriptors of their own. */
#include "serve.h"
#include "cores.h"
#include "cornerturn_tune.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

void ct_serve_argv(const char *argv[CT_SERVE_ARGUMENTS], const char *option,
                   const char *const *libraries)
{
    int count = 0;
    argv[count++] = "/proc/self/exe";
    argv[count++] = "serve";
    if (option) argv[count++] = option;
    for (; *libraries != NULL; libraries++) {
        argv[count++] = "--library";
        argv[count++] = *libraries;
    }
    argv[count] = NULL;
}

/* A copy of `from` that no other program inherits; `from` itself becomes a copy of `instead`. */
static ct_status serve_move(int *out, int from, int instead, ct_error *err)
{
    *out = fcntl(from, F_DUPFD_CLOEXEC, 3);
    if (*out >= 0 && instead >= 0 && dup2(instead, from) >= 0) return CT_OK;
    return ct_error_add(err, CT_FAILED, "cornerturn serve: descriptor %d cannot be copied: %s",
                        from, strerror(errno));
}

/* Of large arrays only what is touched becomes memory, by small pages. */
static void serve_beside(void)
{
    ct_cores_take_one();
#ifdef __linux__
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
#endif
}

static ct_status serve_all(const char *const *libraries, int in, int out, ct_error *err)
{
    ct_context *context = NULL;
    ct_status status = ct_library_context(&context, libraries, err);
    if (status == CT_OK) status = ct_tune_serve(context, in, out, err);
    ct_context_free(context);
    return status;
}

ct_status ct_verb_serve(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    int in = -1, out = -1;
    ct_arguments args = {0};
    const char *libraries[CT_OPTION_TIMES + 1] = {NULL};
    bool beside = false;
    const ct_option options[] = {
        CT_LIBRARY_OPTION(libraries),
        {"beside", CT_OPTION_FLAG, &beside, NULL, "take little: to build for another process"},
        {0}};
    const ct_usage usage = {"serve [options]",
                            "Answers a tuner's questions, a line of JSON each.",
                            options,
                            0,
                            0,
                            NULL,
                            NULL};
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    if (beside) serve_beside();
    CT_TRY(serve_move(&in, STDIN_FILENO, nothing, err));
    CT_TRY(serve_move(&out, STDOUT_FILENO, STDERR_FILENO, err));
    CT_TRY(serve_all(libraries, in, out, err));
out:
    if (nothing >= 0) close(nothing);
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    return status;
}
