/* book.c: see book.h.
 * Room: tuner/pipeline. */
#include "book.h"

#include <math.h>
#include <string.h>

/* Before anything is known of a stage. A guess misses by up to a quarter in the median of the worst
 * stage that was looked at, a FIR filter. */
#define FIRST_MISS 0.25
#define LEAST_MISS 0.03
enum { ENOUGH_PROBES = 4 };

/* What a transpose takes against a copy, before it is measured. */
#define GUESSED_TRANSPOSE 1.2

/* What a transpose takes between other steps, against the same one by itself: measured on CPUs. */
#define FIRST_IN_PLACE 1.5

ct_status ct_book_new(ct_book **out, const ct_space *space, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_book *book = ct_arena_begin(&arena, sizeof *book);
    *out = NULL;
    CT_NEED(book, sizeof *book, err);
    *book = (ct_book){.space = space, .in_place = FIRST_IN_PLACE, .least_ratio = 1, .arena = arena};
    book->shelf = ct_arena_get(arena, sizeof *book->shelf * (size_t)space->sites);
    book->transpose = ct_arena_get(arena, sizeof(void *) * (size_t)(space->spots + 1));
    CT_TRY(ct_arena_check(arena, err));
    for (int s = 0; s < space->sites; s++) {
        book->shelf[s].miss = FIRST_MISS;
        book->shelf[s].cell = ct_arena_get(arena, sizeof(ct_entry) * (size_t)space->site[s].cells);
    }
    for (int i = 0; i < space->spots; i++) {
        const size_t layouts = (size_t)space->spot[i].layouts;
        book->transpose[i] = ct_arena_get(arena, sizeof(ct_entry) * layouts * layouts);
    }
    CT_TRY(ct_arena_check(arena, err));
    *out = book;
    book = NULL;
out:
    ct_book_free(book);
    return status;
}

void ct_book_free(ct_book *book)
{
    if (book) ct_arena_free(book->arena);
}

ct_entry *ct_book_entry(const ct_book *book, const ct_question *q)
{
    if (q->site >= 0) return &book->shelf[q->site].cell[q->cell];
    return &book->transpose[q->spot][q->from * book->space->spot[q->spot].layouts + q->to];
}

static bool book_is_same(const char *a, const char *b)
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

bool ct_book_is_cross(const ct_site *site, int64_t cell)
{
    int places[CT_PORTS], other = 0;
    ct_space_places(site, cell, places);
    for (int a = 0; a < site->axes; a++)
        other += places[a] != 0;
    return other <= 1;
}

/* With this layout on one axis and the default's on the others; a guess in the middle of what is
 * known where that is not. */
static double book_arm(const ct_shelf *shelf, const ct_site *site, int axis, int place)
{
    int places[CT_PORTS] = {0};
    places[axis] = place;
    const ct_entry *entry = &shelf->cell[ct_space_cell(site, places)];
    if (entry->known) return entry->plain;
    return 1.0;
}

/* The default takes 1. What slower layouts add to it adds up; faster ones often take away the same
 * wait, so that the fastest counts in full and the others by their roots. */
static double book_guess(const ct_shelf *shelf, const ct_site *site, int64_t cell)
{
    int places[CT_PORTS];
    double slower = 0.0, product = 1.0, least = 1.0;
    ct_space_places(site, cell, places);
    for (int a = 0; a < site->axes; a++) {
        if (places[a] == 0) continue;
        const double arm = book_arm(shelf, site, a, places[a]);
        if (arm >= 1) slower += arm - 1;
        if (arm < 1) product *= arm;
        least = fmin(least, arm);
    }
    return slower + least * sqrt(product / least);
}

static double book_placed(const ct_entry *entry)
{
    return entry->placed > 0 ? entry->placed : entry->ratio;
}

double ct_book_cell(const ct_book *book, int s, int64_t cell, double *least)
{
    const ct_site *site = &book->space->site[s];
    const ct_shelf *shelf = &book->shelf[s];
    const ct_entry *entry = &shelf->cell[cell];
    double seconds = 0.0;
    if (least) *least = 0.0;
    if (!site->free) return 0.0;
    if (!ct_space_allows(site, cell))
        seconds = INFINITY;
    else if (entry->known)
        seconds = book_placed(entry) * shelf->base;
    else
        seconds = book_guess(shelf, site, cell) * shelf->base;
    if (least) *least = seconds;
    if (least && !entry->known) *least *= 1 - shelf->miss;
    if (least && !entry->tuned) *least *= 1 - shelf->gain;
    return seconds;
}

double ct_book_transpose(const ct_book *book, int spot, int from, int to, double *least)
{
    const ct_spot *at = &book->space->spot[spot];
    const ct_entry *entry = &book->transpose[spot][from * at->layouts + to];
    const double copy = book->copy_rate > 0 ? at->bytes / book->copy_rate : 0.0;
    double seconds = 0.0;
    if (from != to)
        seconds = copy * (entry->placed > 0
                              ? entry->placed
                              : book->in_place * (entry->known ? entry->ratio : GUESSED_TRANSPOSE));
    if (least) *least = entry->known ? seconds : fmin(seconds, copy * book->least_ratio);
    return seconds;
}

/* ---- learning */

static double book_median(const double *seconds, const double *usual, int count)
{
    double ratio[3] = {INFINITY};
    (void)ct_tune_ratio(ratio, seconds, usual, (size_t)count, NULL);
    return ratio[0];
}

static double book_ratio(const ct_answer *answer)
{
    if (answer->end != CT_END_correct) return INFINITY;
    return book_median(answer->seconds, answer->usual, answer->count);
}

/* How wrong the guess was, which from now on is no guess any more. */
static void book_probe(ct_book *book, const ct_question *q, double ratio)
{
    ct_shelf *shelf = &book->shelf[q->site];
    const ct_site *site = &book->space->site[q->site];
    if (ct_book_is_cross(site, q->cell) || !isfinite(ratio)) return;
    shelf->worst = fmax(shelf->worst, 1 - ratio / book_guess(shelf, site, q->cell));
    shelf->probes++;
    shelf->miss = fmax(shelf->worst, shelf->probes < ENOUGH_PROBES ? FIRST_MISS : LEAST_MISS);
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
    const double ratio = book_ratio(answer);
    book_first(book, q, answer);
    book->measured++;
    if (!entry->known) {
        if (q->site >= 0 && !q->tunables) book_probe(book, q, ratio);
        if (q->site < 0 && isfinite(ratio)) book->least_ratio = fmin(book->least_ratio, ratio);
        *entry = (ct_entry){
            .known = true, .end = answer->end, .ratio = ratio, .plain = q->tunables ? NAN : ratio};
        book_keep(book, entry, q);
    } else if (book_is_same(entry->tunables, q->tunables)) {
        entry->ratio = book_mean(entry->ratio, entry->count, ratio, answer->count);
        if (!q->tunables) entry->plain = entry->ratio;
    } else if (ratio < entry->ratio) {
        if (entry->placed > 0) entry->placed *= ratio / entry->ratio;
        entry->ratio = ratio;
        entry->count = 0;
        book_keep(book, entry, q);
    }
    book_try(book, entry, q, ratio);
    if (book_is_same(entry->tunables, q->tunables)) entry->count += answer->count;
    if (q->site >= 0 && isfinite(entry->plain))
        book->shelf[q->site].gain =
            fmax(book->shelf[q->site].gain, 1 - entry->ratio / entry->plain);
}
