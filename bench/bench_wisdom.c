/* bench_wisdom.c: what FFTW shall do with the usual lengths, so that stages/fft need not measure,
 * and results are the same in every process. Each length is planned a few times as patiently as
 * FFTW can, what it found is timed in rounds, and the best is kept where it beats FFTW's estimate.
 * Room: bench. Knows FFTW. Prints a wisdom file on standard output and times on standard error.
 *
 *     bench.wisdom $(cat bench/lengths.txt) > stages/fft/fftw_x86_avx.wisdom */
#include <complex.h>
#include <fftw3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 4, TRIES = 4, ESTIMATE = TRIES, MEASURE, PLANS, ROUNDS = 41, LINE = 8 };

typedef struct contest {
    int length, step; /* elements of a row, and to the next one */
    fftwf_complex *from, *to;
    fftwf_plan plan[PLANS];
    char *wisdom[TRIES];
    double seconds[PLANS][ROUNDS]; /* of one row */
    long times;                    /* that a round runs each plan */
} contest;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Many rows in one call, or one: as stages/fft plans where it has no wisdom, and where it has. */
static fftwf_plan make(const contest *of, int rows, unsigned flags)
{
    fftw_iodim64 length = {of->length, 1, 1}, howmany = {rows, of->step, of->step};
    fftwf_forget_wisdom();
    return fftwf_plan_guru64_dft(1, &length, 1, &howmany, of->from, of->to, FFTW_FORWARD, flags);
}

static void prepare(contest *of, int length)
{
    of->length = length;
    of->step = (length + LINE - 1) / LINE * LINE + LINE;
    of->from = fftwf_alloc_complex((size_t)of->step * ROWS);
    of->to = fftwf_alloc_complex((size_t)of->step * ROWS);
    memset(of->from, 0, sizeof(fftwf_complex) * (size_t)of->step * ROWS);
    for (int i = 0; i < TRIES; i++) {
        of->plan[i] = make(of, 1, FFTW_PATIENT);
        of->wisdom[i] = fftwf_export_wisdom_to_string();
    }
    of->plan[ESTIMATE] = make(of, ROWS, FFTW_ESTIMATE);
    of->plan[MEASURE] = make(of, ROWS, FFTW_MEASURE);
}

static double run(const contest *of, int plan)
{
    int calls = plan < TRIES ? ROWS : 1;
    double start = now();
    for (long n = 0; n < of->times; n++)
        for (int row = 0; row < calls; row++)
            fftwf_execute_dft(of->plan[plan], of->from + row * of->step, of->to + row * of->step);
    return (now() - start) / (double)of->times / ROWS;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The lower quartile of each plan's rounds is its first afterwards: others' load only adds. */
static void hold(contest *of)
{
    for (of->times = 1; run(of, MEASURE) * (double)(of->times * ROWS) < 5e-4; of->times *= 2)
        ;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < PLANS; i++)
            of->seconds[i][round] = run(of, i);
    for (int i = 0; i < PLANS; i++) {
        qsort(of->seconds[i], ROUNDS, sizeof(double), compare);
        of->seconds[i][0] = of->seconds[i][ROUNDS / 4];
    }
}

/* The planner is left with what `kept` says and this length's best, which is what is returned. */
static char *add(const contest *of, char *kept)
{
    int best = 0;
    for (int i = 1; i < TRIES; i++)
        if (of->seconds[i][0] < of->seconds[best][0]) best = i;
    double seconds = of->seconds[best][0], estimate = of->seconds[ESTIMATE][0];
    bool better = seconds < 0.98 * estimate;
    fprintf(stderr, "%6d: %9.1f ns; of measure's speed: this %.2f, estimate %.2f%s\n", of->length,
            seconds * 1e9, of->seconds[MEASURE][0] / seconds, of->seconds[MEASURE][0] / estimate,
            better ? "" : ", which is kept");
    if (!better) return kept;
    fftwf_forget_wisdom();
    fftwf_import_wisdom_from_string(kept);
    fftwf_import_wisdom_from_string(of->wisdom[best]);
    free(kept);
    return fftwf_export_wisdom_to_string();
}

static void finish(contest *of)
{
    for (int i = 0; i < PLANS; i++)
        fftwf_destroy_plan(of->plan[i]);
    for (int i = 0; i < TRIES; i++)
        free(of->wisdom[i]);
    fftwf_free(of->from);
    fftwf_free(of->to);
}

int main(int count, char **argument)
{
    char *kept = fftwf_export_wisdom_to_string(); /* nothing yet */
    for (int i = 1; i < count; i++) {
        contest one;
        prepare(&one, atoi(argument[i]));
        hold(&one);
        kept = add(&one, kept);
        finish(&one);
    }
    fputs(kept, stdout);
    free(kept);
    return 0;
}
