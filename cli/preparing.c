/* preparing.c: see preparing.h.
 * Room: cli. Knows terminals and clocks. Does not know kernels. */
#include "preparing.h"
#include "crash.h"

#include <stdio.h>
#include <time.h>

#define PREPARING_QUICK_S 2.0 /* what takes less is not worth a line in a log */
#define PREPARING_EVERY_S 5.0
#define PREPARING_STORED_S 0.25 /* a kernel that takes less is in the driver's store */

static double preparing_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void preparing_show(ct_preparing *p, const char *what, const char *step, int n, int count)
{
    const double now = preparing_clock();
    if (p->begun <= 0) p->begun = now;
    if (p->slow != NULL && p->told > 0 && now - p->told > PREPARING_STORED_S) p->slow(p->slow_of);
    p->told = now;
    if (p->shows) {
        fprintf(stderr, "\r\033[K%s kernels: %d of %d, \"%s\"", what, n, count, step);
        fflush(stderr);
        p->line = true;
    } else if (p->says && now - p->begun >= PREPARING_QUICK_S &&
               now - p->said >= PREPARING_EVERY_S) {
        fprintf(stderr, "%s kernels: %d of %d, \"%s\", after %.0f s\n", what, n, count, step,
                now - p->begun);
        p->said = now;
    }
}

void ct_preparing_tell(void *of, ct_doing doing, const char *step, int n, int count)
{
    static const struct {
        const char *shown, *crashed;
    } words[] = {[CT_DOING_SHAPES] = {NULL, "its shapes were inferred"},
                 [CT_DOING_BUILD] = {"building", "its kernel was built"},
                 [CT_DOING_START] = {"starting", "its kernel was started for the first time"}};
    ct_crash_note(step, words[doing].crashed);
    if (step != NULL && words[doing].shown != NULL)
        preparing_show(of, words[doing].shown, step, n, count);
}

void ct_preparing_end(ct_preparing *p)
{
    if (p->line) fprintf(stderr, "\r\033[K");
    p->line = false;
}
