/* plans.c: of the report's page: whole plans as they ran, against what their steps come to by
 * themselves. Room: tuner/report. */
#include <math.h>

#include "picture.h"

enum { PLANS_WIDTH = 420, PLANS_HEIGHT = 320, PLANS_LEFT = 60, PLANS_LISTED = 8 };

typedef struct plans {
    const ct_report *report;
    double low, high;
    int count;
    double *foretold; /* 0: not known */
} plans;

static bool plans_collect(plans *p)
{
    p->low = p->high = 1;
    p->foretold = ct_arena_get(p->report->arena, sizeof(double) * ((size_t)p->report->wholes + 1));
    for (int i = 0; p->foretold && i < p->report->wholes; i++) {
        const ct_report_whole *whole = &p->report->whole[i];
        p->foretold[i] = whole->usual ? 0 : ct_report_foretold(p->report, whole);
        if (!(p->foretold[i] > 0)) continue;
        p->count++;
        p->low = fmin(p->low, fmin(whole->ratio, p->foretold[i]));
        p->high = fmax(p->high, fmax(whole->ratio, p->foretold[i]));
    }
    return p->count > 0;
}

static void plans_draw(ct_text *out, const plans *p)
{
    const ct_picture_axis y = ct_picture_ratios(p->low, p->high, PLANS_HEIGHT - 44, 10);
    const ct_picture_axis x = ct_picture_ratios(p->low, p->high, PLANS_LEFT, PLANS_WIDTH - 10);
    ct_picture_open(out, PLANS_WIDTH, PLANS_HEIGHT, "whole plans against sums of steps");
    ct_picture_grid(out, &y, PLANS_LEFT, PLANS_WIDTH - 10);
    ct_picture_across(out, &x, PLANS_HEIGHT - 44, 10);
    ct_picture_line(out, x.from, y.from, x.to, y.to, "axis");
    for (int i = 0; i < p->report->wholes; i++) {
        const ct_report_whole *whole = &p->report->whole[i];
        if (!(p->foretold[i] > 0)) continue;
        ct_text_add(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"c0\"><title>",
                    ct_picture_place(&x, p->foretold[i]), ct_picture_place(&y, whole->ratio));
        ct_picture_escape(out, whole->plan);
        ct_text_add(out, ": %.3f foretold, %.3f measured</title></circle>\n", p->foretold[i],
                    whole->ratio);
    }
    ct_picture_text(out, PLANS_WIDTH / 2 + 20, PLANS_HEIGHT - 8, "m",
                    "foretold by steps alone, default = 1");
    ct_picture_upright(out, 14, PLANS_HEIGHT / 2 - 17, "measured whole, default = 1");
    ct_picture_close(out);
}

static void plans_list(ct_text *out, const plans *p)
{
    double last = 0;
    ct_text_add(out, "<table><tr><th class=\"words\">plan</th><th>foretold</th><th>measured</th>"
                     "<th>blocks</th></tr>\n");
    for (int n = 0; n < PLANS_LISTED; n++) {
        int next = -1;
        for (int i = 0; i < p->report->wholes; i++)
            if (p->foretold[i] > 0 && p->report->whole[i].ratio > last &&
                (next < 0 || p->report->whole[i].ratio < p->report->whole[next].ratio))
                next = i;
        if (next < 0) break;
        last = p->report->whole[next].ratio;
        ct_text_add(out, "<tr><td class=\"words\">");
        ct_picture_escape(out, p->report->whole[next].plan);
        ct_text_add(out, "</td><td>%.3f</td><td>%.3f</td><td>%d</td></tr>\n", p->foretold[next],
                    last, p->report->whole[next].blocks);
    }
    ct_text_add(out, "</table>\n");
}

void ct_report_plans(ct_text *out, const ct_report *report)
{
    plans p = {.report = report};
    if (!plans_collect(&p)) return;
    ct_text_add(out, "<section><h2>Whole plans and sums of steps</h2>\n<p>Each plan that was "
                     "rehearsed, as a multiple of the default that ran beside it, against what its "
                     "steps and transposes come to by themselves. The fastest are "
                     "listed.</p>\n<div class=\"pair\">\n");
    plans_draw(out, &p);
    plans_list(out, &p);
    ct_text_add(out, "</div></section>\n");
}
