/* tuner.c: how all parts of a tuning measure: nothing twice, everything written down, and not
 * longer than there is time. Room: tuner/pipeline. */
#include <math.h>
#include <string.h>

#include "candidate.h"
#include "fail.h"
#include "json_text.h"
#include "lines.h"
#include "tuner.h"

ct_status ct_tuner_heed(ct_tuner *tuner, double share, ct_error *err)
{
    if (!tuner->stopped && tuner->options->stop)
        tuner->stopped = tuner->options->stop(tuner->options->of);
    if (tuner->stopped) return ct_error_add(err, CT_INTERRUPTED, "the tuning was interrupted");
    return tuner->meter->now(tuner->meter->of) > share * tuner->until ? CT_EOF : CT_OK;
}

/* ---- progress */

static void tuner_time(ct_text *text, double seconds)
{
    if (seconds >= 120)
        ct_text_add(text, ", %.0f min left", seconds / 60);
    else
        ct_text_add(text, ", %.0f s left", seconds);
}

void ct_tuner_say(ct_tuner *tuner)
{
    ct_text text = {0};
    if (!tuner->options->say) return;
    ct_text_add(&text, "%lld done", (long long)tuner->book->answers);
    if (tuner->left > 0) ct_text_add(&text, ", %lld to go", (long long)tuner->left);
    if (tuner->best_s > 0 && tuner->usual_s > 0)
        ct_text_add(&text, ", best %.2f of the default", tuner->best_s / tuner->usual_s);
    if (isfinite(tuner->until))
        tuner_time(&text, fmax(0, tuner->until - tuner->meter->now(tuner->meter->of)));
    ct_text_add(&text, ": %s", tuner->doing);
    tuner->options->say(tuner->options->of, text.data);
    ct_text_free(&text);
}

/* ---- asking */

static ct_status tuner_told(void *to, const ct_question *q, const ct_answer *answer, ct_error *err)
{
    ct_tuner *tuner = to;
    ct_text line = {0};
    ct_status status = CT_OK;
    const bool more = ct_book_entry(tuner->book, q)->known;
    ct_book_enter(tuner->book, q, answer);
    if (tuner->record) {
        ct_lines_answer(&line, tuner->space, q, answer, more);
        status = ct_record_add(tuner->record, line.data, err);
    }
    if (tuner->left > 0) tuner->left--;
    ct_tuner_say(tuner);
    ct_text_free(&line);
    if (status == CT_OK) status = ct_tuner_heed(tuner, INFINITY, err);
    return status;
}

static bool tuner_is_same(const ct_question *a, const ct_question *b)
{
    if (a->site != b->site || a->cell != b->cell || a->spot != b->spot || a->from != b->from ||
        a->to != b->to)
        return false;
    return a->tunables && b->tunables ? !strcmp(a->tunables, b->tunables)
                                      : a->tunables == b->tunables;
}

/* Not known yet, and not asked in this batch already. */
static bool tuner_is_new(const ct_tuner *tuner, const ct_question *q, const ct_question *batch,
                         int count)
{
    for (int i = 0; i < count; i++)
        if (tuner_is_same(q, &batch[i])) return false;
    return !ct_book_has(tuner->book, q);
}

/* A look costs half a second: contenders get further pairs later. */
#define TUNER_LOOK 0.5
enum { TUNER_LEAST = 3 };

static int tuner_most(const ct_tuner *tuner, const ct_question *q)
{
    const double seconds = q->site >= 0
                               ? tuner->book->shelf[q->site].base
                               : ct_book_transpose(tuner->book, q->spot, q->from, q->to, NULL);
    const double pairs = seconds > 0 ? TUNER_LOOK / (2 * seconds) : CT_METER_PAIRS;
    return pairs < TUNER_LEAST ? TUNER_LEAST : pairs > CT_METER_PAIRS ? CT_METER_PAIRS : (int)pairs;
}

ct_status ct_tuner_ask(ct_tuner *tuner, const ct_question *questions, int count, bool more,
                       ct_error *err)
{
    ct_question batch[CT_TUNER_BATCH];
    ct_status status = CT_OK;
    int filled = 0;
    for (int i = 0; i < count; i++) {
        if (more || tuner_is_new(tuner, &questions[i], batch, filled)) {
            batch[filled] = questions[i];
            batch[filled++].pairs = tuner_most(tuner, &questions[i]);
        }
        if (filled < CT_TUNER_BATCH && i + 1 < count) continue;
        if (filled > 0)
            CT_TRY(tuner->meter->ask(tuner->meter->of, batch, filled, tuner_told, tuner, err));
        filled = 0;
    }
out:
    return status;
}

/* Pairs of a layout that is written and another one that is read. */
static double tuner_pairs(const ct_space *space, const ct_spot *spot)
{
    double pairs = 0;
    const ct_axis *written = &space->site[spot->site].axis[spot->axis];
    for (int from = 0; from < written->count; from++)
        for (int to = 0; to < spot->layouts; to++)
            pairs += spot->number[0][from] != to;
    return pairs;
}

double ct_tuner_all(const ct_space *space)
{
    double all = 0;
    for (int s = 0; s < space->sites; s++)
        if (space->site[s].free) all += (double)space->site[s].cells;
    for (int i = 0; i < space->spots; i++)
        all += tuner_pairs(space, &space->spot[i]);
    return all;
}

ct_status ct_tuner_pick(const ct_tuner *tuner, ct_pick *out, ct_error *err)
{
    const size_t bytes = sizeof *out->cell * (size_t)tuner->space->sites;
    *out = (ct_pick){.cell = ct_arena_get(tuner->arena, bytes)};
    return out->cell ? CT_OK : ct_memory_fail(bytes, err);
}
