/* confirm.c: see confirm.h.
 * Room: tuner/pipeline. */
#include "confirm.h"

#include <math.h>
#include <string.h>

#include "candidate.h"
#include "fail.h"
#include "lines.h"

enum { CONFIRM_ROUNDS = 5, CONFIRM_PASSES = 12, CONFIRM_MOST = 16 };

/* ---- rehearsing */

/* The default's layouts with the default's tunables: the first of all contenders. A pick of the
 * same layouts with other tunables says so. */
static bool confirm_is_plain(const ct_tuner *tuner, const ct_pick *pick)
{
    for (int s = 0; s < tuner->space->sites; s++)
        if (pick->cell[s] != 0) return false;
    return !pick->tuned;
}

void ct_confirm_name(const ct_contender *contender, ct_text *out)
{
    const ct_tuner *tuner = contender->tuner;
    const ct_pick *pick = &contender->pick;
    if (confirm_is_plain(tuner, pick)) {
        ct_text_add(out, "%s", tuner->label);
        return;
    }
    for (int s = 0; s < tuner->space->sites; s++) {
        char at[CT_SPACE_AT];
        if (!tuner->space->site[s].free) continue;
        ct_space_print(&tuner->space->site[s], pick->cell[s], at);
        ct_text_add(out, "%s%s %s", out->length ? ", " : "", tuner->space->site[s].name, at);
    }
}

static ct_status confirm_record(const ct_contender *contender, const ct_whole *whole, ct_error *err)
{
    ct_text line = {0}, name = {0};
    ct_tuner *tuner = contender->tuner;
    if (!tuner->record) return CT_OK;
    ct_confirm_name(contender, &name);
    ct_lines_whole(&line, name.data, whole, tuner->graph->block_s);
    const ct_status status = ct_record_add(tuner->record, line.data, err);
    ct_text_free(&line);
    ct_text_free(&name);
    return status;
}

static ct_status confirm_text(const ct_contender *contender, const char **out, ct_error *err)
{
    ct_text text = {0};
    ct_tuner *tuner = contender->tuner;
    ct_status status = ct_candidate_pick(&text, tuner->space, tuner->book, &contender->pick, err);
    if (status == CT_OK) *out = ct_arena_copy(tuner->arena, text.data);
    ct_text_free(&text);
    return status;
}

ct_status ct_confirm_rehearse(const ct_contender *contenders, int count, int fresh, ct_whole *out,
                              ct_error *err)
{
    ct_status status = CT_OK;
    const char *texts[CONFIRM_MOST];
    ct_pick picks[CONFIRM_MOST];
    ct_tuner *first = contenders[0].tuner;
    const double from = first->meter->now(first->meter->of);
    ct_tuner_say(first);
    for (int i = 0; i < count; i++) {
        picks[i] = contenders[i].pick;
        CT_TRY(confirm_text(&contenders[i], &texts[i], err));
    }
    CT_TRY(first->meter->rehearse(first->meter->of, picks, texts, count, CONFIRM_ROUNDS, fresh, out,
                                  first->arena, err));
    first->plan_s = (first->meter->now(first->meter->of) - from) / (count * (fresh ? fresh : 1));
    for (int i = 0; i < count; i++)
        CT_TRY(confirm_record(&contenders[i], &out[i], err));
out:
    return status;
}

/* ---- in place */

static double confirm_step(const ct_whole *rehearsed, const char *name)
{
    for (int i = 0; i < rehearsed->steps; i++)
        if (!strcmp(rehearsed->name[i], name)) return rehearsed->seconds[i];
    return 0;
}

static void confirm_place_transpose(ct_tuner *tuner, const ct_question *q, const ct_whole *own)
{
    char array[CT_CANDIDATE_STEP], step[CT_CANDIDATE_STEP];
    const ct_spot *spot = &tuner->space->spot[q->spot];
    ct_entry *entry = ct_book_entry(tuner->book, q);
    ct_candidate_array(array, tuner->space, q->spot);
    ct_number_print(step, sizeof step, "%.100s>%s", array, spot->list[q->to].dim);
    const double seconds = confirm_step(own, step);
    if (seconds <= 0 || tuner->book->copy_rate <= 0 || !entry->known) return;
    entry->placed = seconds * tuner->book->copy_rate / spot->bytes;
    if (!tuner->placed)
        tuner->book->in_place = entry->placed / entry->ratio;
    else
        tuner->book->in_place = sqrt(tuner->book->in_place * entry->placed / entry->ratio);
    tuner->placed = true;
}

static void confirm_place(ct_tuner *tuner, const ct_pick *pick, const ct_whole *usual,
                          const ct_whole *own)
{
    ct_question parts[2 * CT_TUNER_BATCH];
    const int count = ct_refine_parts(tuner, pick, parts, 2 * CT_TUNER_BATCH);
    for (int i = 0; i < count; i++) {
        const ct_question *q = &parts[i];
        if (q->site < 0) {
            confirm_place_transpose(tuner, q, own);
            continue;
        }
        const char *name = tuner->space->site[q->site].name;
        const double seconds = confirm_step(own, name), before = confirm_step(usual, name);
        if (seconds > 0 && before > 0) ct_book_entry(tuner->book, q)->placed = seconds / before;
    }
}

void ct_confirm_default_from(ct_tuner *tuner, const ct_whole *usual)
{
    tuner->usual_s = ct_verdict_median(usual->wall, usual->walls);
    for (int s = 0; s < tuner->space->sites; s++) {
        const double seconds = confirm_step(usual, tuner->space->site[s].name);
        if (tuner->space->site[s].free && seconds > 0) tuner->book->shelf[s].base = seconds;
    }
}

static ct_status confirm_told(void *to, const ct_question *q, const ct_answer *answer,
                              ct_error *err)
{
    (void)q, (void)err;
    *(ct_answer *)to = *answer;
    return CT_OK;
}

/* Which step's default it is that fails; where each is right by itself, what was said of all. */
static ct_status confirm_blame(ct_tuner *tuner, const ct_error *why, ct_error *err)
{
    static const char own[] = "the default of step ";
    for (int s = 0; s < tuner->space->sites; s++) {
        const ct_question q = {.site = s, .pairs = 1};
        const char *name = tuner->space->site[s].name;
        ct_answer answer = {.end = CT_END_correct};
        if (!tuner->space->site[s].free) continue;
        const ct_status status =
            tuner->meter->ask(tuner->meter->of, &q, 1, confirm_told, &answer, err);
        if (status != CT_OK) return status;
        if (answer.end == CT_END_correct) continue;
        if (!strncmp(answer.say, own, strlen(own)))
            return ct_error_add(err, CT_FAILED, "%s", answer.say);
        return ct_error_add(err, CT_FAILED, "%s\"%s\" fails: %s", own, name, answer.say);
    }
    return ct_error_pass(err, CT_FAILED, why);
}

ct_status ct_confirm_default(ct_tuner *tuner, ct_error *err)
{
    ct_status status = CT_OK;
    ct_error why = {0};
    ct_whole usual;
    ct_contender own = {.tuner = tuner};
    tuner->doing = "the default plan";
    if (tuner->usual_s > 0) return CT_OK;
    CT_TRY(ct_tuner_pick(tuner, &own.pick, err));
    status = ct_confirm_rehearse(&own, 1, 0, &usual, &why);
    if (status == CT_FAILED) CT_TRY(confirm_blame(tuner, &why, err));
    if (status != CT_OK) CT_TRY(ct_error_pass(err, status, &why));
    ct_confirm_default_from(tuner, &usual);
out:
    return status;
}

ct_status ct_confirm_pace(ct_tuner *tuner, ct_error *err)
{
    ct_status status = CT_OK;
    ct_whole usual;
    ct_contender own = {.tuner = tuner};
    CT_TRY(ct_tuner_pick(tuner, &own.pick, err));
    CT_TRY(ct_confirm_rehearse(&own, 1, 0, &usual, err));
out:
    return status;
}

/* ---- contenders */

static bool confirm_is_default(const ct_tuner *tuner, const ct_pick *pick)
{
    const ct_book *book = tuner->book;
    for (int s = 0; s < tuner->space->sites; s++)
        if (pick->cell[s] != 0 || book->shelf[s].cell[0].tunables) return false;
    return true;
}

/* Whether the device, and the caller, have room for it. */
ct_status ct_confirm_fits(ct_tuner *tuner, const ct_pick *pick, bool *fits, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    ct_value *answer = NULL;
    CT_TRY(ct_candidate_pick(&text, tuner->space, tuner->book, pick, err));
    CT_TRY(tuner->meter->resolve(tuner->meter->of, text.data, &answer, err));
    const int64_t bytes = ct_value_int(ct_value_get(answer, "device_bytes"), 0);
    const int64_t largest = ct_value_int(ct_value_get(answer, "largest_bytes"), 0);
    const char *word = ct_value_text(ct_value_get(answer, "status"), "ok");
    *fits = !strcmp(word, "ok") && bytes <= tuner->most_bytes && largest <= tuner->largest_bytes;
    if (bytes > 0 && (tuner->least_bytes == 0 || bytes < tuner->least_bytes))
        tuner->least_bytes = bytes;
out:
    ct_value_free(answer);
    ct_text_free(&text);
    return status;
}

/* The pick with the least bytes of transposes; its parts need not be known. */
static ct_status confirm_smallest(ct_tuner *tuner, ct_pick *pick, bool *fits, ct_error *err)
{
    ct_status status = CT_OK;
    *fits = false;
    CT_TRY(ct_tuner_pick(tuner, pick, err));
    CT_TRY(ct_model_price(tuner->model, tuner->book, CT_PRICE_BYTES, err));
    status = ct_model_best(tuner->model, pick, NULL);
    if (status == CT_INVALID) return CT_OK;
    CT_TRY(status);
    CT_TRY(ct_confirm_fits(tuner, pick, fits, err));
out:
    return status;
}

ct_status ct_confirm_room(ct_tuner *tuner, bool *fits, ct_error *err)
{
    ct_status status = CT_OK;
    ct_pick pick;
    CT_TRY(ct_tuner_pick(tuner, &pick, err));
    CT_TRY(ct_confirm_fits(tuner, &pick, fits, err));
    if (!*fits) CT_TRY(confirm_smallest(tuner, &pick, fits, err));
out:
    return status;
}

/* Where neither the default nor any of the best fits: the smallest, once it is known to be right.
 */
static ct_status confirm_last(ct_tuner *tuner, ct_pick *picks, int *count, ct_error *err)
{
    ct_status status = CT_OK;
    bool fits;
    ct_question parts[2 * CT_TUNER_BATCH];
    CT_TRY(ct_confirm_fits(tuner, &picks[0], &fits, err));
    if (fits) return CT_OK;
    CT_TRY(confirm_smallest(tuner, &picks[1], &fits, err));
    if (!fits) return CT_OK;
    const int unknown = ct_refine_unknown(tuner, &picks[1], parts, 2 * CT_TUNER_BATCH);
    tuner->due = INFINITY; /* there is nothing else to be had */
    CT_TRY(ct_tuner_ask(tuner, parts, unknown, false, err));
    const int all = ct_refine_parts(tuner, &picks[1], parts, 2 * CT_TUNER_BATCH);
    for (int i = 0; i < all; i++)
        fits &= isfinite(ct_book_entry(tuner->book, &parts[i])->ratio) != 0;
    *count += fits;
out:
    return status;
}

/* The default's layouts first, then the best picks of measured parts that are not the default. */
ct_status ct_confirm_picks(ct_tuner *tuner, ct_pick *picks, int *count, ct_error *err)
{
    ct_status status = CT_OK;
    ct_ranking *ranking = NULL;
    CT_TRY(ct_tuner_pick(tuner, &picks[0], err));
    *count = 1;
    CT_TRY(ct_model_price(tuner->model, tuner->book, CT_PRICE_MEASURED, err));
    CT_TRY(ct_model_rank(&ranking, tuner->model, err));
    for (int n = 0; n < 4 * CT_TUNER_PICKS && *count < CT_TUNER_PICKS; n++) {
        bool fits;
        ct_pick pick;
        CT_TRY(ct_tuner_pick(tuner, &pick, err));
        status = ct_model_next(tuner->model, ranking, &pick, err);
        if (status == CT_EOF) status = CT_OK;
        if (status != CT_OK || !isfinite(pick.seconds) || pick.cell == NULL) break;
        if (n == 0) tuner->best_s = pick.seconds;
        CT_TRY(ct_confirm_fits(tuner, &pick, &fits, err));
        pick.tuned = true;
        if (fits && !confirm_is_default(tuner, &pick)) picks[(*count)++] = pick;
    }
    if (*count == 1 && status == CT_OK) CT_TRY(confirm_last(tuner, picks, count, err));
out:
    ct_ranking_free(ranking);
    return status;
}

static bool confirm_is_placed(const ct_tuner *tuner, const ct_pick *pick)
{
    ct_question parts[2 * CT_TUNER_BATCH];
    const int count = ct_refine_parts(tuner, pick, parts, 2 * CT_TUNER_BATCH);
    for (int i = 0; i < count; i++)
        if (ct_book_entry(tuner->book, &parts[i])->placed <= 0) return false;
    return true;
}

/* The first one, with which the others are compared, and those with parts that were not timed in
 * place yet. */
static void confirm_leave_placed(const ct_tuner *tuner, ct_pick *picks, int *count)
{
    int left = 1;
    for (int i = 1; i < *count; i++)
        if (!confirm_is_placed(tuner, &picks[i])) picks[left++] = picks[i];
    *count = left;
}

ct_status ct_confirm_calibrate(ct_tuner *tuner, double share, ct_error *err)
{
    ct_status status = CT_OK;
    ct_pick picks[CT_TUNER_PICKS];
    ct_contender contenders[CT_TUNER_PICKS];
    ct_whole own[CT_TUNER_PICKS];
    int count = 0;
    tuner->doing = "the best plans in place";
    for (int pass = 0; pass < CONFIRM_PASSES; pass++) {
        CT_TRY(ct_tuner_heed(tuner, share, err));
        CT_TRY(ct_confirm_picks(tuner, picks, &count, err));
        confirm_leave_placed(tuner, picks, &count);
        if (count < 2) break;
        for (int i = 0; i < count; i++)
            contenders[i] = (ct_contender){tuner, picks[i]};
        CT_TRY(ct_confirm_rehearse(contenders, count, 0, own, err));
        if (own[0].steps == 0) break;
        for (int i = 0; i < count; i++)
            confirm_place(tuner, &picks[i], &own[0], &own[i]);
        ct_confirm_default_from(tuner, &own[0]);
    }
out:
    return status;
}
