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

static double steps_of(const ct_report_whole *whole, const char *name)
{
    return ct_value_real(ct_value_get(whole->steps, name), 0);
}

static void steps_add(steps_list *list, const ct_report *report, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->item[i].name, name)) return;
    steps_pair *pair = &list->item[list->count++];
    *pair = (steps_pair){name, steps_of(report->usual, name),
                         report->best ? steps_of(report->best, name) : 0};
    list->most = fmax(list->most, fmax(pair->usual, pair->best));
}

static bool steps_collect(steps_list *list, const ct_report *report)
{
    const ct_value *usual = report->usual->steps;
    const ct_value *best = report->best ? report->best->steps : NULL;
    const size_t count = ct_value_count(usual) + ct_value_count(best) + 2;
    *list = (steps_list){.item = ct_arena_get(report->arena, sizeof *list->item * count)};
    if (!list->item) return false;
    for (size_t i = 0; i < ct_value_count(usual); i++)
        steps_add(list, report, ct_value_key(usual, i));
    for (size_t i = 0; i < ct_value_count(best); i++)
        steps_add(list, report, ct_value_key(best, i));
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

/* Where a block takes as long as its signal lasts; beyond the picture the sentence must do. */
static void steps_signal(ct_text *out, double signal_s, const steps_list *list)
{
    const double x = STEPS_LEFT + steps_width(signal_s, list->most);
    if (signal_s <= 0 || signal_s > list->most) return;
    ct_picture_line(out, x, 12, x, 20 + STEPS_ROW * list->count, "mark");
    ct_picture_text(out, x, 9, "m", "real time");
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
    steps_signal(out, report->usual->signal_s, list);
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

static void steps_factor(ct_text *out, const ct_report *report)
{
    const double signal_s = report->usual->signal_s;
    if (signal_s <= 0) return;
    ct_text_add(out, ". A block is %s of signal: the default plan takes %.3g of that",
                ct_picture_seconds(signal_s, report->arena), report->usual->seconds / signal_s);
    if (report->best) ct_text_add(out, ", the other one %.3g", report->best->seconds / signal_s);
}

void ct_report_steps(ct_text *out, const ct_report *report)
{
    steps_list list = {0};
    if (!report->usual) return;
    ct_text_add(out, "<section><h2>Default and tuned, step by step</h2>\n<p>");
    if (report->best) {
        ct_text_add(out, "<span class=\"key usual-key\"></span> the default plan, "
                         "<span class=\"key best-key\"></span> the best other plan that was "
                         "rehearsed: ");
        ct_picture_escape(out, report->best->plan);
    } else {
        ct_text_add(out, "Only the default plan was rehearsed");
    }
    steps_factor(out, report);
    ct_text_add(out, ".</p>\n<div class=\"pair\">\n");
    if (steps_collect(&list, report)) steps_bars(out, report, &list);
    ct_text_add(out, "<table><tr><th>step</th><th>default</th><th>tuned</th><th>ratio</th></tr>\n");
    for (int i = 0; i < list.count; i++)
        steps_row(out, report, list.item[i].name, list.item[i].usual, list.item[i].best);
    ct_text_add(out, "</table></div></section>\n");
}
