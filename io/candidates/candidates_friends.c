/* candidates_friends.c: friends of friends among the rows of the last few bins.
 * Room: io/candidates. Knows rows. Does not know files, blocks or metadata. */
#include "candidates_friends.h"

#include <math.h>
#include <string.h>

static int64_t words_of(double beams)
{
    return (int64_t)ceil(beams / 64);
}

double ct_friends_bytes(double beams)
{
    return (double)sizeof(ct_friends_kept) + CT_FRIENDS_PLACES * (double)sizeof(ct_row) +
           CT_FRIENDS_GROUPS *
               (double)(sizeof(ct_group) + sizeof(uint64_t) * (size_t)words_of(beams));
}

void *ct_friends_begin(ct_friends *f, void *memory)
{
    f->words = words_of((double)f->beams);
    f->kept = memory;
    f->row = (ct_row *)(f->kept + 1);
    f->group = (ct_group *)(f->row + CT_FRIENDS_PLACES);
    f->in = (uint64_t *)(f->group + CT_FRIENDS_GROUPS);
    return f->in + CT_FRIENDS_GROUPS * f->words;
}

/* ---- pairs */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

bool ct_friends_are(const ct_friends *f, const ct_row *a, const ct_row *b)
{
    const int64_t between = larger(a->trial, b->trial) - smaller(a->trial, b->trial);
    const int64_t width = larger(a->to - a->from, b->to - b->from);
    const int64_t gap = larger(a->from, b->from) - smaller(a->to, b->to);
    const double smear = f->sweep * fabs(a->dm - b->dm);
    const bool neighbours = between < 2 * larger(a->spread, b->spread);
    if (!neighbours && (!(f->sweep > 0) || smear > (double)width)) return false;
    return (double)gap <= (double)width + smear;
}

/* The stronger; of equal ones the earlier, then the trial and the plane that come first. */
static bool is_better(const ct_row *a, const ct_row *b)
{
    if (a->snr > b->snr || a->snr < b->snr) return a->snr > b->snr;
    if (a->from + a->to != b->from + b->to) return a->from + a->to < b->from + b->to;
    return a->trial != b->trial ? a->trial < b->trial : a->plane < b->plane;
}

/* ---- groups */

/* Ways are made shorter, since each row that comes takes in the group of all before. */
static int64_t root_of(const ct_friends *f, int64_t group)
{
    for (int64_t up; (up = f->group[group].joined) >= 0; group = up)
        if (f->group[up].joined >= 0) f->group[group].joined = f->group[up].joined;
    return group;
}

static void take_group(ct_friends *f, int64_t into, int64_t from)
{
    ct_group *a = &f->group[into], *b = &f->group[from];
    if (is_better(&b->best, &a->best)) a->best = b->best;
    a->members += b->members;
    a->dm_low = fmin(a->dm_low, b->dm_low);
    a->dm_high = fmax(a->dm_high, b->dm_high);
    a->from = smaller(a->from, b->from);
    a->to = larger(a->to, b->to);
    a->widest = larger(a->widest, b->widest);
    a->snr_first = fmax(a->snr_first, b->snr_first);
    a->last_bin = larger(a->last_bin, b->last_bin);
    for (int64_t i = 0; i < f->words; i++)
        f->in[into * f->words + i] |= f->in[from * f->words + i];
    b->joined = into;
}

/* There is one: groups have rows in the last bins, of which there are as many. */
static int64_t new_group(ct_friends *f, const ct_row *row)
{
    while (f->group[f->next].used)
        f->next++;
    const int64_t at = f->next;
    uint64_t *in = f->in + at * f->words;
    f->group[at] = (ct_group){.best = *row,
                              .members = 1,
                              .dm_low = row->dm,
                              .dm_high = row->dm,
                              .from = row->from,
                              .to = row->to,
                              .widest = row->to - row->from,
                              .snr_first = row->trial == f->first ? row->snr : 0,
                              .last_bin = f->kept->bin,
                              .joined = -1,
                              .used = true};
    memset(in, 0, (size_t)f->words * sizeof *in);
    in[row->beam / 64] |= (uint64_t)1 << row->beam % 64;
    f->kept->groups++;
    return at;
}

static void free_group(ct_friends *f, int64_t at)
{
    f->group[at].used = false;
    f->kept->groups--;
}

static void end_group(ct_friends *f, int64_t at)
{
    int64_t beams = 0;
    for (int64_t i = 0; i < f->words; i++)
        for (uint64_t left = f->in [at * f->words + i]; left; left &= left - 1)
            beams++;
    f->found(f->to, &f->group[at], beams);
    free_group(f, at);
}

/* ---- bins */

static ct_row *column_of(const ct_friends *f, int64_t bin)
{
    return f->row + bin % CT_FRIENDS_COLUMNS * CT_FRIENDS_ROWS;
}

static int64_t *count_of(const ct_friends *f, int64_t bin)
{
    return &f->kept->count[bin % CT_FRIENDS_COLUMNS];
}

/* Where there are too many rows, each run of `spread` trials has a place in the column. */
static void crowd_column(ct_friends *f, int64_t bin)
{
    f->spread = (f->trials + CT_FRIENDS_ROWS - 1) / CT_FRIENDS_ROWS;
    f->crowded = true;
    *count_of(f, bin) = (f->trials + f->spread - 1) / f->spread;
    for (int64_t i = 0; i < *count_of(f, bin); i++)
        column_of(f, bin)[i] = (ct_row){.group = -1};
}

void ct_friends_open(ct_friends *f, int64_t bin, int64_t rows)
{
    if (f->kept->groups == 0) memset(f->kept->count, 0, sizeof f->kept->count);
    for (int64_t g = 0; f->kept->groups > 0 && g < CT_FRIENDS_GROUPS; g++)
        if (f->group[g].used && f->group[g].last_bin < bin - CT_FRIENDS_REACH) end_group(f, g);
    f->kept->bin = bin;
    f->next = 0;
    f->crowded = false;
    *count_of(f, bin) = 0;
    if (rows > CT_FRIENDS_ROWS) crowd_column(f, bin);
}

static void add_crowded(ct_friends *f, const ct_row *row)
{
    ct_row *there = column_of(f, f->kept->bin) + row->trial / f->spread, one = *row;
    const int64_t group = new_group(f, row), into = there->group;
    one.spread = f->spread;
    one.group = into >= 0 ? into : group;
    if (into < 0 || is_better(row, there)) *there = one;
    if (into < 0) return;
    take_group(f, into, group);
    free_group(f, group);
    f->next = group;
    f->kept->merged++;
}

void ct_friends_add(ct_friends *f, const ct_row *row)
{
    if (f->crowded) {
        add_crowded(f, row);
        return;
    }
    ct_row *to = column_of(f, f->kept->bin) + (*count_of(f, f->kept->bin))++;
    *to = *row;
    to->spread = 1;
    to->group = new_group(f, row);
}

/* Rows of a bin, those that are some's, in their order. */
typedef struct column {
    const ct_row *row[CT_FRIENDS_ROWS];
    int64_t count, widest, spread;
    bool ordered; /* neither trials nor DMs descend */
} column;

static void list_column(column *to, const ct_friends *f, int64_t bin)
{
    const ct_row *row = column_of(f, bin);
    *to = (column){.ordered = true};
    for (int64_t i = 0; i < *count_of(f, bin); i++) {
        const ct_row *before = to->count > 0 ? to->row[to->count - 1] : &row[i];
        if (row[i].group < 0) continue;
        if (row[i].trial < before->trial || row[i].dm < before->dm) to->ordered = false;
        to->row[to->count++] = &row[i];
        to->widest = larger(to->widest, row[i].to - row[i].from);
        to->spread = larger(to->spread, row[i].spread);
    }
}

/* Whether it, and all before it, have too low a DM and trial to be friends of `one`. */
static bool is_before(const ct_row *row, const ct_row *one, double reach, int64_t spread)
{
    return row->dm < one->dm - reach && row->trial <= one->trial - 2 * spread;
}

static bool is_behind(const ct_row *row, const ct_row *one, double reach, int64_t spread)
{
    return row->dm > one->dm + reach && row->trial >= one->trial + 2 * spread;
}

/* The first of a column in order that may be a friend. */
static int64_t first_near(const column *of, const ct_row *one, double reach, int64_t spread)
{
    int64_t low = 0, high = of->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (is_before(of->row[middle], one, reach, spread))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void join_rows(ct_friends *f, const ct_row *one, const column *of)
{
    const int64_t width = larger(of->widest, one->to - one->from);
    const int64_t spread = larger(of->spread, one->spread);
    const double reach = f->sweep > 0 ? 1.001 * (double)width / f->sweep : 0; /* rather too far */
    int64_t i = of->ordered ? first_near(of, one, reach, spread) : 0;
    for (; i < of->count; i++) {
        if (of->ordered && is_behind(of->row[i], one, reach, spread)) break;
        if (!ct_friends_are(f, one, of->row[i])) continue;
        const int64_t a = root_of(f, one->group), b = root_of(f, of->row[i]->group);
        if (a != b) take_group(f, a, b);
    }
}

/* Rows belong to roots again, and what has become part of these is free. */
static void settle_groups(ct_friends *f)
{
    for (int64_t c = 0; c < CT_FRIENDS_COLUMNS; c++)
        for (int64_t i = 0; i < f->kept->count[c]; i++) {
            ct_row *row = f->row + c * CT_FRIENDS_ROWS + i;
            if (row->group >= 0) row->group = root_of(f, row->group);
        }
    for (int64_t g = 0; g < CT_FRIENDS_GROUPS; g++)
        if (f->group[g].used && f->group[g].joined >= 0) free_group(f, g);
}

/* Of each pair in a bin the later one finds the other. */
void ct_friends_join(ct_friends *f)
{
    const int64_t bin = f->kept->bin, oldest = larger(bin - CT_FRIENDS_REACH, 0);
    column before[CT_FRIENDS_REACH], now;
    if (*count_of(f, bin) == 0) return;
    for (int64_t b = oldest; b < bin; b++)
        list_column(&before[b - oldest], f, b);
    list_column(&now, f, bin);
    const int64_t count = now.count;
    for (now.count = 0; now.count < count; now.count++) {
        join_rows(f, now.row[now.count], &now);
        for (int64_t b = oldest; b < bin; b++)
            join_rows(f, now.row[now.count], &before[b - oldest]);
    }
    settle_groups(f);
}

bool ct_friends_wait(const ct_friends *f)
{
    return f->kept->groups > 0;
}

void ct_friends_finish(ct_friends *f)
{
    while (ct_friends_wait(f))
        ct_friends_open(f, f->kept->bin + 1, 0);
}
