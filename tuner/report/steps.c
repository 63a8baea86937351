/* steps.c: of the report's page: the default plan against the best other one, step by step.
 * Room: tuner/report. */
#include <math.h>
#include <string.h>

#include "picture.h"

enum { STEPS_LEFT = 150, STEPS_WIDTH = 640, STEPS_ROW = 38, STEPS_BAR = 14 };

typedef struct steps_pair {
    const char *name;
    double usual, best; /* 0: it has no such step */
} steps_pair;

typedef struct steps_list {
    steps_pair *item;
    int count;
    double most;
} steps_list;

static bool steps_is_chosen(const ct_report *report)
{
    return report->best && report->chosen && !strcmp(report->best->plan, report->chosen);
}

static double steps_of(const ct_report_whole *whole, const char *name)
{
    return ct_value_real(ct_value_get(whole->steps, name), 0);
}

/* Behind the step that goes before it in its plan; the next one's place. */
static int steps_add(steps_list *list, const ct_report *report, const char *name, int place)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->item[i].name, name)) return i + 1;
    steps_pair *pair = &list->item[place];
    memmove(pair + 1, pair, sizeof *pair * (size_t)(list->count++ - place));
    *pair = (steps_pair){name, steps_of(report->usual, name),
                         report->best ? steps_of(report->best, name) : 0};
    list->most = fmax(list->most, fmax(pair->usual, pair->best));
    return place + 1;
}

static void steps_plan(steps_list *list, const ct_report *report, const ct_value *steps)
{
    int place = 0;
    for (size_t i = 0; i < ct_value_count(steps); i++)
        place = steps_add(list, report, ct_value_key(steps, i), place);
}

/* What is left of the whole block is history that moves, and the host. */
static void steps_sum(steps_list *list)
{
    steps_pair sum = {"steps, together", 0, 0};
    for (int i = 0; i < list->count; i++) {
        sum.usual += list->item[i].usual;
        sum.best += list->item[i].best;
    }
    list->most = fmax(list->most, fmax(sum.usual, sum.best));
    if (list->count > 0) list->item[list->count++] = sum;
}

static bool steps_collect(steps_list *list, const ct_report *report)
{
    const ct_value *usual = report->usual->steps;
    const ct_value *best = report->best ? report->best->steps : NULL;
    const size_t count = ct_value_count(usual) + ct_value_count(best) + 3;
    *list = (steps_list){.item = ct_arena_get(report->arena, sizeof *list->item * count)};
    if (!list->item) return false;
    steps_plan(list, report, usual);
    steps_plan(list, report, best);
    steps_sum(list);
    list->item[list->count] = (steps_pair){"whole block", report->usual->seconds,
                                           report->best ? report->best->seconds : 0};
    list->most = fmax(list->most, fmax(report->usual->seconds, list->item[list->count++].best));
    return list->most > 0;
}

static double steps_width(double seconds, double most)
{
    return (STEPS_WIDTH - STEPS_LEFT - 90) * seconds / most;
}

static void steps_bar(ct_text *out, double y, double seconds, double most, const char *look,
                      const char *label)
{
    const double width = steps_width(seconds, most);
    if (seconds <= 0) return;
    ct_text_add(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>\n",
                STEPS_LEFT, y, fmax(1, width), STEPS_BAR, look);
    ct_picture_text(out, STEPS_LEFT + width + 6, y + STEPS_BAR - 3, "", label);
}

static void steps_bars(ct_text *out, const ct_report *report, const steps_list *list)
{
    ct_picture_open(out, STEPS_WIDTH, 20 + STEPS_ROW * list->count,
                    "seconds per block of each step: the default plan and the best other one");
    for (int i = 0; i < list->count; i++) {
        const steps_pair *pair = &list->item[i];
        const double y = 15 + STEPS_ROW * i;
        ct_picture_text(out, STEPS_LEFT - 8, y + STEPS_BAR + 5, "e", pair->name);
        steps_bar(out, y, pair->usual, list->most, "usual",
                  ct_picture_seconds(pair->usual, report->arena));
        steps_bar(out, y + STEPS_BAR + 2, pair->best, list->most, "best",
                  ct_picture_seconds(pair->best, report->arena));
    }
    ct_picture_close(out);
}

static void steps_row(ct_text *out, const ct_report *report, const char *name, double usual,
                      double best)
{
    ct_text_add(out, "<tr><th>");
    ct_picture_escape(out, name);
    ct_text_add(out, "</th><td>%s</td><td>%s</td>",
                usual > 0 ? ct_picture_seconds(usual, report->arena) : "",
                best > 0 ? ct_picture_seconds(best, report->arena) : "");
    if (usual > 0 && best > 0)
        ct_text_add(out, "<td>%.2f</td></tr>\n", best / usual);
    else
        ct_text_add(out, "<td></td></tr>\n");
}

/* ---- real time: a block's time as a part of how long its signal lasts */

enum { STEPS_LINE = 100 };

static void steps_share(ct_text *out, const ct_report *report, const ct_picture_axis *x, double y,
                        const ct_report_whole *whole, const char *look)
{
    const double share = whole->seconds / report->usual->signal_s;
    const double end = ct_picture_place(x, share);
    ct_text_add(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>\n",
                STEPS_LEFT, y, fmax(1, end - STEPS_LEFT), STEPS_BAR, look);
    ct_picture_text(out, end + 6, y + STEPS_BAR - 3, "",
                    ct_arena_print(report->arena, "%s of the signal: %s times real time",
                                   ct_report_digits(share, 3, report->arena),
                                   ct_report_digits(1 / share, 3, report->arena)));
}

static void steps_real_time(ct_text *out, const ct_report *report)
{
    const double signal_s = report->usual->signal_s;
    const double most = fmax(report->usual->seconds, report->best ? report->best->seconds : 0);
    if (!(signal_s > 0)) return;
    const ct_picture_axis x = {0, fmax(1, most / signal_s), STEPS_LEFT, STEPS_WIDTH - 40, false};
    const double line = ct_picture_place(&x, 1);
    ct_text_add(out,
                "<h3>Real time</h3>\n<p>A block is %s of signal; what takes longer than the "
                "line cannot keep up.</p>\n",
                ct_picture_seconds(signal_s, report->arena));
    ct_picture_open(out, STEPS_WIDTH + 240, STEPS_LINE, "time per block as a part of its signal's");
    ct_picture_line(out, line, 18, line, STEPS_LINE - 20, "mark");
    ct_picture_text(out, line, 12, "m", "real time");
    ct_picture_line(out, STEPS_LEFT, STEPS_LINE - 20, STEPS_WIDTH, STEPS_LINE - 20, "axis");
    ct_picture_text(out, STEPS_LEFT - 8, 37, "e", "default");
    steps_share(out, report, &x, 26, report->usual, "usual");
    if (report->best) {
        ct_picture_text(out, STEPS_LEFT - 8, 61, "e", steps_is_chosen(report) ? "tuned" : "other");
        steps_share(out, report, &x, 50, report->best, "best");
    }
    ct_picture_text(out, STEPS_LEFT, STEPS_LINE - 6, "m", "0");
    ct_picture_text(out, line, STEPS_LINE - 6, "m", "1");
    ct_picture_close(out);
}

static void steps_words(ct_text *out, const ct_report *report)
{
    if (!report->best) {
        ct_text_add(out, "Only the default plan was rehearsed.");
        return;
    }
    ct_text_add(out,
                "<span class=\"key usual-key\"></span> the default plan, "
                "<span class=\"key best-key\"></span> %s: ",
                steps_is_chosen(report) ? "the plan that was chosen"
                                        : "the best other plan that was rehearsed");
    ct_picture_escape(out, report->best->plan);
    ct_text_add(out, "; medians of %d blocks.", report->best->blocks);
}

void ct_report_steps(ct_text *out, const ct_report *report)
{
    steps_list list = {0};
    if (!report->usual) return;
    ct_text_add(out, "<section><h2>Default and tuned, step by step</h2>\n<p>");
    steps_words(out, report);
    ct_text_add(out, "</p>\n<div class=\"pair\">\n");
    if (steps_collect(&list, report)) steps_bars(out, report, &list);
    ct_text_add(out, "<table><tr><th>step</th><th>default</th><th>%s</th><th>ratio</th></tr>\n",
                steps_is_chosen(report) ? "tuned" : "other");
    for (int i = 0; i < list.count; i++)
        steps_row(out, report, list.item[i].name, list.item[i].usual, list.item[i].best);
    ct_text_add(out, "</table></div>\n");
    steps_real_time(out, report);
    ct_text_add(out, "</section>\n");
}
