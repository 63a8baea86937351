/* book.c: see book.h.
 * Room: tuner/pipeline. */
#include "book.h"

#include <math.h>
#include <string.h>

/* What a transpose takes against a copy, before it is measured. */
#define GUESSED_TRANSPOSE 1.2

/* What a transpose takes between other steps, against the same one by itself: measured on CPUs. */
#define FIRST_IN_PLACE 1.5

/* Short steps take up to twice as long in one process as in another, on a machine at rest, too:
 * what is above that, in the median of so many pairs, is said. */
#define DRIFT 2.0
enum { DRIFT_PAIRS = 3 };

static ct_status book_site(ct_book *book, int s, ct_error *err)
{
    ct_predict_axis axis[CT_PORTS];
    const ct_site *site = &book->space->site[s];
    book->shelf[s].cell = ct_arena_get(book->arena, sizeof(ct_entry) * (size_t)site->cells);
    for (int a = 0; a < site->axes; a++)
        axis[a] = (ct_predict_axis){site->axis[a].count, site->axis[a].list};
    return ct_predict_new(&book->shelf[s].predict, axis, site->axes, err);
}

static ct_status book_spot(ct_book *book, int i, ct_error *err)
{
    const ct_spot *spot = &book->space->spot[i];
    const size_t layouts = (size_t)spot->layouts;
    const ct_predict_axis axis[2] = {{spot->layouts, spot->list}, {spot->layouts, spot->list}};
    book->transpose[i] = ct_arena_get(book->arena, sizeof(ct_entry) * layouts * layouts);
    return ct_predict_new(&book->predict[i], axis, 2, err);
}

ct_status ct_book_new(ct_book **out, const ct_space *space, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_book *book = ct_arena_begin(&arena, sizeof *book);
    *out = NULL;
    CT_NEED(book, sizeof *book, err);
    *book = (ct_book){
        .space = space, .in_place = FIRST_IN_PLACE, .least_ratio = 1, .sure = 1, .arena = arena};
    book->shelf = ct_arena_get(arena, sizeof *book->shelf * (size_t)space->sites);
    book->transpose = ct_arena_get(arena, sizeof(void *) * (size_t)(space->spots + 1));
    book->predict = ct_arena_get(arena, sizeof(void *) * (size_t)(space->spots + 1));
    CT_TRY(ct_arena_check(arena, err));
    for (int s = 0; s < space->sites; s++)
        CT_TRY(book_site(book, s, err));
    for (int i = 0; i < space->spots; i++)
        CT_TRY(book_spot(book, i, err));
    CT_TRY(ct_arena_check(arena, err));
    *out = book;
    book = NULL;
out:
    ct_book_free(book);
    return status;
}

void ct_book_free(ct_book *book)
{
    if (!book) return;
    for (int s = 0; book->shelf && s < book->space->sites; s++)
        ct_predict_free(book->shelf[s].predict);
    for (int i = 0; book->predict && i < book->space->spots; i++)
        ct_predict_free(book->predict[i]);
    ct_arena_free(book->arena);
}

ct_entry *ct_book_entry(const ct_book *book, const ct_question *q)
{
    if (q->site >= 0) return &book->shelf[q->site].cell[q->cell];
    return &book->transpose[q->spot][q->from * book->space->spot[q->spot].layouts + q->to];
}

bool ct_book_is_same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

bool ct_book_has(const ct_book *book, const ct_question *q)
{
    const ct_entry *entry = ct_book_entry(book, q);
    const ct_tried *tried = entry->tried;
    if (!q->tunables) return entry->known;
    while (tried && strcmp(tried->tunables, q->tunables) != 0)
        tried = tried->next;
    return tried;
}

/* ---- expecting */

static double book_placed(const ct_entry *entry)
{
    return entry->placed > 0 ? entry->placed : entry->ratio;
}

static double book_predict(const ct_book *book, ct_predict *predict, int64_t cell, double middle,
                           double *least)
{
    double deviation, value = middle + ct_predict_look(predict, cell, &deviation);
    *least = exp(value - book->sure * deviation);
    return exp(value);
}

double ct_book_cell(const ct_book *book, int s, int64_t cell, double *least)
{
    const ct_site *site = &book->space->site[s];
    const ct_shelf *shelf = &book->shelf[s];
    const ct_entry *entry = &shelf->cell[cell];
    double ratio, lowest;
    if (least) *least = 0.0;
    if (!site->free) return 0.0;
    if (!ct_space_allows(site, cell))
        ratio = lowest = INFINITY;
    else if (entry->known)
        ratio = lowest = book_placed(entry);
    else
        ratio = book_predict(book, shelf->predict, cell, 0, &lowest);
    if (least) *least = lowest * shelf->base * (entry->tuned ? 1 : 1 - shelf->gain);
    return ratio * shelf->base;
}

/* No transpose is faster than a copy, or than the fastest that was measured. */
double ct_book_transpose(const ct_book *book, int spot, int from, int to, double *least)
{
    const ct_spot *at = &book->space->spot[spot];
    const int cell = from * at->layouts + to;
    const ct_entry *entry = &book->transpose[spot][cell];
    const double copy = book->copy_rate > 0 ? at->bytes / book->copy_rate : 0.0;
    double ratio, lowest;
    if (least) *least = 0.0;
    if (from == to) return 0.0;
    if (entry->known)
        ratio = lowest = entry->placed > 0 ? entry->placed : book->in_place * entry->ratio;
    else {
        ratio = book_predict(book, book->predict[spot], cell, log(GUESSED_TRANSPOSE), &lowest);
        ratio *= book->in_place;
        lowest = book->in_place * fmax(lowest, book->least_ratio);
    }
    if (least) *least = copy * lowest;
    return copy * fmax(ratio, lowest);
}

/* ---- learning */

static double book_median(const double *seconds, const double *usual, int count)
{
    double ratio[3] = {INFINITY};
    (void)ct_tune_ratio(ratio, seconds, usual, (size_t)count, NULL);
    return ratio[0];
}

/* Of a median of few pairs no interval is known that is sure: as if they were not that sure. */
static double book_ratio(const ct_answer *answer, double *noise)
{
    double ratio[3] = {INFINITY, INFINITY, INFINITY};
    if (answer->end != CT_END_correct || answer->count == 0) return INFINITY;
    (void)ct_tune_ratio(ratio, answer->seconds, answer->usual, (size_t)answer->count, NULL);
    *noise = fmax(log(ratio[2] / ratio[1]) / 4, 0.1 / answer->count);
    return ratio[0];
}

/* Values of tunables are compared in their own cells only. */
static void book_learn(ct_book *book, const ct_question *q, double ratio, double noise)
{
    if (!isfinite(ratio) || ratio <= 0 || q->tunables) return;
    if (q->site >= 0)
        ct_predict_learn(book->shelf[q->site].predict, q->cell, log(ratio), noise);
    else
        ct_predict_learn(book->predict[q->spot],
                         q->from * book->space->spot[q->spot].layouts + q->to,
                         log(ratio / GUESSED_TRANSPOSE), noise);
}

void ct_book_adopt(ct_book *book, const ct_question *q, const ct_entry *entry)
{
    ct_entry *own = ct_book_entry(book, q);
    if (own->known) return;
    *own = *entry;
    book_learn(book, q, q->site >= 0 ? entry->plain : entry->ratio, entry->noise);
}

static void book_first(ct_book *book, const ct_question *q, const ct_answer *answer)
{
    double *base = q->site >= 0 ? &book->shelf[q->site].base : NULL;
    if (answer->count == 0 || (base ? *base : book->copy_rate) != 0) return;
    const double usual = book_median(answer->usual, NULL, answer->count);
    if (base)
        *base = usual;
    else
        book->copy_rate = book->space->spot[q->spot].bytes / usual;
}

double ct_book_drift(ct_book *book, const ct_question *q, const ct_answer *answer)
{
    if (q->site < 0 || answer->count < DRIFT_PAIRS || answer->taken) return 0;
    ct_shelf *shelf = &book->shelf[q->site];
    const double usual = book_median(answer->usual, NULL, answer->count);
    const double drift = shelf->least > 0 ? usual / shelf->least : 1;
    if (shelf->least <= 0 || drift < 1) shelf->least = usual;
    return drift > DRIFT ? drift : 0;
}

static void book_keep(const ct_book *book, ct_entry *entry, const ct_question *q)
{
    entry->tunables = q->tunables ? ct_arena_copy(book->arena, q->tunables) : NULL;
}

static void book_try(const ct_book *book, ct_entry *entry, const ct_question *q, double ratio)
{
    if (!q->tunables || ct_book_has(book, q)) return;
    ct_tried *tried = ct_arena_get(book->arena, sizeof *tried);
    if (!tried) return;
    *tried = (ct_tried){ct_arena_copy(book->arena, q->tunables), ratio, entry->tried};
    entry->tried = tried;
}

/* Of two medians of ratios, by how many pairs are behind each. */
static double book_mean(double a, int more, double b, int count)
{
    if (!isfinite(a) || !isfinite(b) || more + count == 0) return fmax(a, b);
    return exp((log(a) * more + log(b) * count) / (more + count));
}

void ct_book_enter(ct_book *book, const ct_question *q, const ct_answer *answer)
{
    ct_entry *entry = ct_book_entry(book, q);
    double noise = 0, ratio = book_ratio(answer, &noise);
    book_first(book, q, answer);
    book_learn(book, q, ratio, noise);
    book->answers++;
    book->disturbed += answer->disturbed && !answer->taken;
    if (!entry->known) {
        book->measured += !answer->taken;
        if (q->site < 0 && isfinite(ratio)) book->least_ratio = fmin(book->least_ratio, ratio);
        *entry = (ct_entry){.known = true,
                            .end = answer->end,
                            .ratio = ratio,
                            .plain = q->tunables ? NAN : ratio,
                            .noise = noise};
        book_keep(book, entry, q);
    } else if (ct_book_is_same(entry->tunables, q->tunables)) {
        entry->ratio = book_mean(entry->ratio, entry->count, ratio, answer->count);
        if (!q->tunables) entry->plain = entry->ratio;
    } else if (ratio < entry->ratio) {
        if (entry->placed > 0) entry->placed *= ratio / entry->ratio;
        entry->ratio = ratio;
        entry->count = 0;
        book_keep(book, entry, q);
    }
    book_try(book, entry, q, ratio);
    if (ct_book_is_same(entry->tunables, q->tunables)) entry->count += answer->count;
    if (q->site >= 0 && isfinite(entry->plain))
        book->shelf[q->site].gain =
            fmax(book->shelf[q->site].gain, 1 - entry->ratio / entry->plain);
}
