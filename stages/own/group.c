/* group.c: what an output says of its samples, channels and trials where each stands for several of
 * the input's: their means.
 * Room: stages/own. Knows ct_meta. Does not know pages. */
#include "own.h"

/* The means of n neighbours each; as many as are whole. NULL: no memory. */
static const double *means(ct_step *step, const double *from, int64_t count, int64_t n)
{
    double *to = ct_step_alloc(step, sizeof *to * (size_t)(count / n));
    for (int64_t i = 0; to && i < count / n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++)
            sum += from[i * n + k];
        to[i] = sum / (double)n;
    }
    return to;
}

static ct_status group_time(ct_meta *to, const ct_meta *from, int64_t n)
{
    to->sample_time_s = from->sample_time_s * (double)n;
    to->start_s = from->start_s + 0.5 * (double)(n - 1) * from->sample_time_s;
    to->total = from->total < 0 ? from->total : from->total / n;
    return CT_OK;
}

static ct_status group_channels(ct_step *step, ct_meta *to, const ct_meta *from, int64_t n)
{
    const bool known = n > 0 && from->frequency_hz && from->frequencies >= n;
    to->frequency_hz = NULL;
    to->frequencies = 0;
    to->channel_width_hz = from->channel_width_hz * (double)n;
    if (!known) return CT_OK;
    to->frequency_hz = means(step, from->frequency_hz, from->frequencies, n);
    to->frequencies = from->frequencies / n;
    return to->frequency_hz ? CT_OK : CT_FAILED;
}

/* Trials of a group share what the most of them had added up before. */
static const int64_t *most(ct_step *step, const int64_t *from, int64_t count, int64_t n)
{
    int64_t *to = ct_step_alloc(step, sizeof *to * (size_t)(count / n));
    for (int64_t i = 0; to && i < count / n; i++) {
        to[i] = from[i * n];
        for (int64_t k = 1; k < n; k++)
            if (from[i * n + k] > to[i]) to[i] = from[i * n + k];
    }
    return to;
}

static ct_status group_trials(ct_step *step, ct_meta *to, const ct_meta *from, int64_t n)
{
    to->dm = NULL;
    to->downsample = NULL;
    to->dms = 0;
    if (n == 0 || !from->dm || from->dms < n) return CT_OK;
    to->dms = from->dms / n;
    to->dm = means(step, from->dm, from->dms, n);
    if (from->downsample) to->downsample = most(step, from->downsample, from->dms, n);
    return to->dm && !from->downsample == !to->downsample ? CT_OK : CT_FAILED;
}

ct_status ct_own_group(ct_step *step, int port, char letter, int64_t n)
{
    ct_meta *to = &step->port[port].meta;
    const ct_meta *from = &step->port[0].meta;
    if (letter == 'T') return group_time(to, from, n);
    if (letter == 'C') return group_channels(step, to, from, n);
    if (letter == 'D') return group_trials(step, to, from, n);
    return CT_OK;
}
