/* report_table.c: see report.h: rows put together by candidate and node, and what they come to.
 * Room: tuner/report. Knows medians. Does not know what is printed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "fail.h"
#include "report_lines.h"

/* ---- numbers */

static int table_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ct_report_middle(double *list, int count)
{
    if (count == 0) return 0;
    qsort(list, (size_t)count, sizeof *list, table_compare);
    return (list[(count - 1) / 2] + list[count / 2]) / 2;
}

double ct_report_median(const double *list, int count, ct_arena *arena)
{
    double *sorted = ct_arena_get(arena, sizeof *sorted * ((size_t)count + 1));
    if (!sorted || count == 0) return 0;
    memcpy(sorted, list, sizeof *sorted * (size_t)count);
    return ct_report_middle(sorted, count);
}

const char *ct_report_digits(double value, int digits, ct_arena *arena)
{
    char text[40];
    ct_number_print(text, sizeof text, "%.*g", digits, value);
    return ct_arena_copy(arena, text);
}

bool ct_report_is_right(const ct_report_row *row)
{
    return !row->end->error && row->pairs > 0;
}

/* Medians, and that of the pairs' ratios, which is not the ratio of the medians. */
static void table_middle(ct_report_row *row, ct_arena *arena)
{
    double *ratio = ct_arena_get(arena, sizeof *ratio * ((size_t)row->pairs + 1));
    for (int i = 0; ratio && i < row->pairs; i++)
        ratio[i] = log(row->seconds[i] / row->usual[i]);
    if (!ratio || row->pairs == 0) return;
    row->middle = ct_report_median(row->seconds, row->pairs, arena);
    row->usual_middle = ct_report_median(row->usual, row->pairs, arena);
    row->ratio = exp(ct_report_median(ratio, row->pairs, arena));
}

/* 1.4826 medians of distances from the median are a standard deviation, and a ratio has two
 * timings' noise. */
static double table_noise(const ct_report_row *row, ct_arena *arena)
{
    double *off = ct_arena_get(arena, sizeof *off * ((size_t)row->pairs + 1));
    for (int i = 0; off && i < row->pairs; i++)
        off[i] = fabs(log(row->seconds[i] / row->usual[i]) - log(row->ratio));
    return off ? 1.4826 * ct_report_median(off, row->pairs, arena) / sqrt(2) : 0;
}

double ct_report_noise(const ct_report *report)
{
    enum { FEW = 5 };
    int count = 0;
    double *list = ct_arena_get(report->arena, sizeof *list * ((size_t)report->candidates + 1));
    for (int i = 0; list && i < report->candidates; i++)
        if (report->candidate[i].pairs >= FEW && !report->candidate[i].taken)
            list[count++] = table_noise(&report->candidate[i], report->arena);
    return list ? fmin(0.5, ct_report_median(list, count, report->arena)) : 0;
}

/* ---- tunables */

const char *ct_report_setting(const ct_value *value, ct_arena *arena)
{
    switch (ct_value_kind(value)) {
    case CT_BOOL:
        return ct_value_bool(value, false) ? "1" : "0";
    case CT_INT:
        return ct_arena_print(arena, "%lld", (long long)ct_value_int(value, 0));
    case CT_REAL:
        return ct_report_digits(ct_value_real(value, 0), 9, arena);
    default:
        return ct_value_text(value, "");
    }
}

const char **ct_report_tunables(const ct_report *report, const ct_report_table *table, int *count)
{
    size_t most = 1;
    *count = 0;
    for (int i = 0; i < table->count; i++)
        most += ct_value_count(table->row[i]->tunables);
    const char **out = ct_arena_get(report->arena, sizeof *out * most);
    for (int i = 0; out && i < table->count; i++) {
        const ct_value *tunables = table->row[i]->tunables;
        for (size_t k = 0; k < ct_value_count(tunables); k++) {
            int at = 0;
            while (at < *count && strcmp(out[at], ct_value_key(tunables, k)) != 0)
                at++;
            if (at == *count) out[(*count)++] = ct_value_key(tunables, k);
        }
    }
    return out;
}

/* ---- putting together */

static ct_report_row *table_find(const ct_report *report, const ct_report_row *row)
{
    for (int i = report->candidates; i-- > 0;) {
        ct_report_row *known = &report->candidate[i];
        if (known->table == row->table && !strcmp(known->at, row->at) &&
            !strcmp(known->settings, row->settings))
            return known;
    }
    return NULL;
}

static double *table_join(const double *a, int m, const double *b, int n, ct_arena *arena)
{
    double *out = ct_arena_get(arena, sizeof *out * ((size_t)(m + n) + 1));
    for (int i = 0; out && i < m + n; i++)
        out[i] = i < m ? a[i] : b[i - m];
    return out;
}

static void table_merge(ct_report_row *into, const ct_report_row *row, ct_arena *arena)
{
    into->seconds = table_join(into->seconds, into->pairs, row->seconds, row->pairs, arena);
    into->usual = table_join(into->usual, into->pairs, row->usual, row->pairs, arena);
    into->pairs += row->pairs;
    into->build_s += row->build_s;
    if (row->end->error) into->end = row->end;
}

static void table_candidates(ct_report *report)
{
    for (int i = 0; i < report->lines; i++) {
        ct_report_row *row = &report->line[i], *known = table_find(report, row);
        row->candidate = known ? (int)(known - report->candidate) : report->candidates;
        if (known)
            table_merge(known, row, report->arena);
        else
            report->candidate[report->candidates++] = *row;
        table_middle(row, report->arena);
    }
}

static void table_rows(ct_report *report)
{
    for (int t = 0; t < report->tables; t++)
        report->table[t].row = ct_arena_get(report->arena, sizeof *report->table[t].row *
                                                               ((size_t)report->candidates + 1));
    if (ct_arena_check(report->arena, NULL) != CT_OK) return;
    for (int i = 0; i < report->candidates; i++) {
        ct_report_row *row = &report->candidate[i];
        ct_report_table *table = &report->table[row->table];
        table_middle(row, report->arena);
        if (!table->transpose && !table->usual) table->usual = row->at;
        table->row[table->count++] = row;
    }
}

/* ---- whole plans */

/* Whether a says more than b: it has steps; it was chosen; it has many blocks, as candidates in
 * fresh processes have; it is the faster one. */
static bool table_tells_more(const ct_report *report, const ct_report_whole *a,
                             const ct_report_whole *b)
{
    const char *chosen = report->chosen ? report->chosen : "";
    if (!b || !a->steps != !b->steps) return !b || a->steps;
    const bool mine = !strcmp(a->plan, chosen), other = !strcmp(b->plan, chosen);
    if (mine != other) return mine;
    if (a->blocks != b->blocks) return a->blocks > b->blocks;
    return mine || a->ratio < b->ratio; /* the chosen one was compared with the default last */
}

/* Seconds of as many samples as the default's block has. */
static double table_seconds(const ct_report_whole *whole, const ct_report_whole *usual)
{
    const bool known = whole->samples > 0 && usual->samples > 0;
    return whole->seconds * (known ? usual->samples / whole->samples : 1);
}

/* Ratios are to the default of the same rehearsal, which comes first in it. */
static void table_wholes(ct_report *report)
{
    const ct_report_whole *usual = NULL;
    for (int i = 0; i < report->wholes; i++) {
        ct_report_whole *whole = &report->whole[i];
        if (!strcmp(whole->plan, "default")) usual = whole;
        whole->ratio = usual ? table_seconds(whole, usual) / usual->seconds : 1;
        whole->usual = whole == usual;
        if (whole->usual || !table_tells_more(report, whole, report->best)) continue;
        report->best = whole;
        report->usual = usual;
    }
    if (!report->usual) report->usual = usual;
}

static void table_usual(ct_report *report)
{
    for (int t = 0; t < report->tables; t++) {
        ct_report_table *table = &report->table[t];
        int count = 0;
        double *list = ct_arena_get(report->arena, sizeof *list * ((size_t)table->count + 1));
        for (int i = 0; list && i < table->count; i++)
            if (table->row[i]->pairs > 0) list[count++] = table->row[i]->usual_middle;
        if (list) table->usual_s = ct_report_median(list, count, report->arena);
        for (int i = 0; i < report->wholes && !table->transpose && !table->fused; i++) {
            const ct_value *steps = report->whole[i].steps;
            if (strcmp(report->whole[i].plan, "default") != 0) continue;
            const double own = ct_value_real(ct_value_get(steps, table->name), 0);
            if (own > 0) table->usual_s = own;
        }
    }
}

/* ---- opening */

static ct_status table_room(ct_report *report, ct_error *err)
{
    const size_t count = ct_tuning_journal_count(report->journal) + 1;
    report->line = ct_arena_get(report->arena, sizeof *report->line * count);
    report->candidate = ct_arena_get(report->arena, sizeof *report->candidate * count);
    report->table = ct_arena_get(report->arena, sizeof *report->table * count);
    report->whole = ct_arena_get(report->arena, sizeof *report->whole * count);
    return ct_arena_check(report->arena, err);
}

static ct_status table_line(ct_report *report, size_t n, ct_error *err)
{
    const ct_value *line = ct_tuning_journal_line(report->journal, n),
                   *end = ct_value_get(line, "end");
    if (ct_value_get(line, "cell") || ct_value_get(line, "transpose"))
        return ct_report_lines_row(report, line, n + 1, err);
    if (ct_value_get(line, "whole")) return ct_report_lines_whole(report, line, n + 1, err);
    if (!end) return ct_report_lines_other(report, n + 1, err);
    report->ended = true;
    report->complete = ct_value_bool(ct_value_get(end, "complete"), false);
    report->chosen = ct_value_text(ct_value_get(end, "plan"), NULL);
    report->end_ratio = ct_value_real(ct_value_get(end, "ratio"), 1);
    report->end_low = ct_value_real(ct_value_get(end, "low"), 0);
    report->end_high = ct_value_real(ct_value_get(end, "high"), 0);
    report->end_samples = ct_value_real(ct_value_get(end, "samples"), 0);
    report->end_signal_s = ct_value_real(ct_value_get(end, "signal_s"), 0);
    report->end_block = ct_value_get(end, "block");
    report->end_s = ct_value_real(ct_value_get(end, "seconds"), 0);
    report->bound_s = ct_value_real(ct_value_get(end, "bound_seconds"), 0);
    report->noise_s = ct_value_real(ct_value_get(end, "noise_seconds"), 0);
    report->model_s = ct_value_real(ct_value_get(end, "model_seconds"), 0);
    return CT_OK;
}

static void table_head(ct_report *report)
{
    const ct_value *head = ct_tuning_journal_line(report->journal, 0);
    struct stat about = {0};
    struct tm when;
    char text[32] = "1970-01-01T00:00:00+00:00";
    report->key = ct_value_get(head, "key");
    report->pipeline = ct_value_text(ct_value_get(head, "pipeline"), "");
    if (stat(report->file, &about) == 0 && gmtime_r(&about.st_mtime, &when))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &when);
    report->time = ct_arena_copy(report->arena, text);
}

ct_status ct_report_load(ct_report **out, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_report *report = *out = ct_arena_begin(&arena, sizeof *report);
    CT_NEED(report, sizeof *report, err);
    *report = (ct_report){.file = file, .arena = arena};
    CT_TRY(ct_tuning_journal_load(&report->journal, file, err));
    CT_TRY(table_room(report, err));
    for (size_t n = 1; n < ct_tuning_journal_count(report->journal); n++)
        CT_TRY(table_line(report, n, err));
    table_head(report);
    CT_TRY(ct_arena_check(arena, err));
    table_candidates(report);
    CT_TRY(ct_arena_check(arena, err));
    table_rows(report);
    CT_TRY(ct_arena_check(arena, err));
    table_wholes(report);
    table_usual(report);
    ct_report_separability_predict(report);
    CT_TRY(ct_arena_check(arena, err));
out:
    if (status != CT_OK) {
        ct_report_free(report);
        *out = NULL;
    }
    return status;
}

void ct_report_free(ct_report *report)
{
    if (!report) return;
    ct_tuning_journal_close(report->journal);
    ct_arena_free(report->arena);
}
