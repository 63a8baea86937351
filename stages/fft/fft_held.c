/* fft_held.c: see fft_held.h. FFTW would choose by timing, so that the last bits of a result would
 * differ from one process to the next. Instead it gets, once in a process, what has been measured
 * for the usual lengths, and estimates the others: neither looks at a clock. Room: stages/fft.
 * Knows FFTW. Does not know steps or tiles. */
#ifdef CT_HAVE_FFTW
#include "fft_held.h"
#include "fftw_x86_avx_wisdom.h"
#include <pthread.h>

/* Its planner is one for the whole process. What was measured with another FFTW is refused. */
static void held_begin(void)
{
    fftwf_make_planner_thread_safe(); /* harmless when it is so already */
    fftwf_import_wisdom_from_string(fftw_x86_avx_wisdom);
}

static fftwf_plan held_make(const fft_rows *rows, void *from, void *to, unsigned flags)
{
    fftw_iodim64 length = {rows->length, 1, 1};
    fftw_iodim64 howmany = {rows->rows, rows->from, rows->to};
    return fftwf_plan_guru64_dft(1, &length, 1, &howmany, from, to, FFTW_FORWARD, flags);
}

fftwf_plan ct_fft_held_plan(fft_rows *rows, void *from, void *to)
{
    static pthread_once_t begun = PTHREAD_ONCE_INIT;
    fft_rows one = {rows->length, 1, rows->length, rows->length};
    pthread_once(&begun, held_begin);
    fftwf_plan plan = held_make(&one, from, to, FFTW_PATIENT | FFTW_WISDOM_ONLY);
    if (plan)
        *rows = one;
    else
        plan = held_make(rows, from, to, FFTW_ESTIMATE);
    return plan;
}
#else
typedef int ct_fft_held_absent; /* a translation unit may not be empty */
#endif
