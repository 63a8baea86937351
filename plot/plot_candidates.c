/* plot_candidates.c: candidates of sink.candidates, its JSON or its table: dispersion measure
 * against time, larger and lighter where S/N is higher. Room: plot. Knows those two forms. Does not
 * know how candidates are found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "plot_inner.h"

enum { WIDTH = 960, LEFT = 92, ACROSS = 700, DOWN = 420, MOST_DRAWN = 5000 };

typedef struct found {
    double dm, time_s, width_s, snr;
    int64_t beam;
} found;

typedef struct found_list {
    found *one;
    size_t count, room;
    const char *what; /* "pulses", "the strongest pulse of each beam" */
} found_list;

static ct_status list_add(found_list *list, const found *one, ct_error *err)
{
    ct_status status = CT_OK;
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 256;
        CT_TRY(ct_memory_grow(&list->one, room * sizeof *list->one, err));
        list->room = room;
    }
    if (isfinite(one->dm + one->time_s + one->snr)) list->one[list->count++] = *one;
out:
    return status;
}

static ct_status read_json(found_list *list, const ct_value *root, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *pulses = ct_value_get(root, "pulses");
    list->what = pulses ? "pulses" : "the strongest pulse of each beam";
    if (!pulses) pulses = ct_value_get(root, "beams");
    for (size_t i = 0; i < ct_value_count(pulses); i++) {
        const ct_value *at = ct_value_at(pulses, i);
        const found one = {ct_value_real(ct_value_get(at, "dm"), NAN),
                           ct_value_real(ct_value_get(at, "time_s"), NAN),
                           ct_value_real(ct_value_get(at, "width_s"), NAN),
                           ct_value_real(ct_value_get(at, "snr"), NAN),
                           ct_value_int(ct_value_get(at, "beam"), 0)};
        CT_TRY(list_add(list, &one, err));
    }
out:
    return status;
}

/* A row's numbers: DM, Sigma, Time, Sample, Downfact, Beam. */
static bool read_row(found *out, const char *at)
{
    double number[6] = {0};
    for (int i = 0; i < 6; i++) {
        char *end = NULL;
        number[i] = ct_number_read(at, &end);
        if (end == at || (i < 5 && *end != ',')) return false;
        at = end + 1;
    }
    *out = (found){number[0], number[2], NAN, number[1], (int64_t)fmin(fmax(number[5], 0), 1e9)};
    return true;
}

static ct_status read_table(found_list *list, const char *file, char *text, ct_error *err)
{
    ct_status status = CT_OK;
    long long line = 1;
    list->what = "pulses";
    for (char *at = strchr(text, '\n'); at && at[1]; at = strchr(at, '\n')) {
        found one;
        line++;
        if (!read_row(&one, ++at))
            CT_TRY(ct_error_add(err, CT_DATA,
                                "%s:%lld: expected six numbers with commas between them, as in the "
                                "first line, found \"%.*s\"",
                                file, line,
                                (int)strcspn(at, "\r\n") < 60 ? (int)strcspn(at, "\r\n") : 60, at));
        CT_TRY(list_add(list, &one, err));
    }
out:
    return status;
}

/* The weakest first, so that the strongest lie on top. */
static int weaker(const void *a, const void *b)
{
    const double x = ((const found *)a)->snr, y = ((const found *)b)->snr;
    return (x > y) - (x < y);
}

typedef struct ranges {
    ct_axis time, dm;
    double snr_low, snr_high;
} ranges;

static ranges find_ranges(const found_list *list)
{
    ranges of = {{INFINITY, -INFINITY, "time, s"},
                 {INFINITY, -INFINITY, "DM, pc cm\u207b\u00b3"},
                 INFINITY,
                 -INFINITY};
    for (size_t i = 0; i < list->count; i++) {
        const found *one = &list->one[i];
        of.time.low = fmin(of.time.low, one->time_s),
        of.time.high = fmax(of.time.high, one->time_s);
        of.dm.low = fmin(of.dm.low, one->dm), of.dm.high = fmax(of.dm.high, one->dm);
        of.snr_low = fmin(of.snr_low, one->snr), of.snr_high = fmax(of.snr_high, one->snr);
    }
    ct_axis *const axes[] = {&of.time, &of.dm};
    for (int i = 0; i < 2; i++) {
        double more = 0.05 * (axes[i]->high - axes[i]->low);
        if (!(axes[i]->low <= axes[i]->high)) axes[i]->low = 0, axes[i]->high = 1, more = 0;
        if (!(more > 0)) more = fmax(0.05 * fabs(axes[i]->high), 0.5);
        axes[i]->low -= more;
        axes[i]->high += more;
    }
    return of;
}

/* An area that grows with S/N. */
static double radius_of(const ranges *of, double snr)
{
    return 2.5 + 9.5 * sqrt(fmax(snr, 0) / fmax(of->snr_high, 1e-9));
}

static void draw_found(ct_canvas *canvas, const found_list *list, const ranges *of, ct_box box,
                       const ct_plot_scale *scale)
{
    const size_t first = list->count > MOST_DRAWN ? list->count - MOST_DRAWN : 0;
    for (size_t i = first; i < list->count; i++) {
        const found *one = &list->one[i];
        char title[160];
        ct_number_print(title, sizeof title, "S/N %.2f, DM %.6g, %.6f s, beam %lld", one->snr,
                        one->dm, one->time_s, (long long)one->beam);
        ct_canvas_disc(canvas, box.x + box.width * ct_axis_place(&of->time, one->time_s),
                       box.y + box.height * (1 - ct_axis_place(&of->dm, one->dm)),
                       radius_of(of, one->snr), ct_plot_scale_colour(scale, one->snr),
                       CT_COLOUR_INK, title);
    }
}

static void draw_strongest(ct_canvas *canvas, const found_list *list, double y)
{
    for (size_t i = 0; i < 3 && i < list->count; i++, y += 16) {
        const found *one = &list->one[list->count - 1 - i];
        ct_canvas_print(canvas, LEFT, y, CT_ANCHOR_START, CT_COLOUR_INK,
                        "S/N %.2f at DM %.6g pc cm\u207b\u00b3, %.6f s, beam %lld", one->snr,
                        one->dm, one->time_s, (long long)one->beam);
    }
}

static ct_status draw_list(ct_plot *plot, found_list *list, ct_error *err)
{
    ct_status status = CT_OK;
    ct_canvas *canvas = NULL;
    char title[160], below[160] = "";
    qsort(list->one, list->count, list->count ? sizeof *list->one : 1, weaker);
    const ranges of = find_ranges(list);
    ct_plot_scale scale = {.axis = {of.snr_low, of.snr_high, NULL}, .label = "S/N"};
    if (!(of.snr_low < of.snr_high)) scale.axis = (ct_axis){0, fmax(of.snr_high, 1), NULL};
    ct_number_print(title, sizeof title, "%zu candidates: %s", list->count, list->what);
    if (list->count > MOST_DRAWN)
        ct_number_print(below, sizeof below, "the %d strongest are drawn, of %zu", MOST_DRAWN,
                        list->count);
    if (list->count == 0) ct_number_print(below, sizeof below, "there are no candidates");
    if (*below) ct_text_add(&plot->said, "%s\n", below);
    CT_TRY(ct_canvas_open(&canvas, plot->out, WIDTH, DOWN + 180, err));
    const ct_box box = {LEFT, ct_plot_title(canvas, plot, title, below), ACROSS, DOWN};
    ct_canvas_box(canvas, box, CT_COLOUR_NONE, CT_COLOUR_GREY);
    draw_found(canvas, list, &of, box, &scale);
    ct_axis_bottom(canvas, box, &of.time);
    ct_axis_left(canvas, box, &of.dm);
    if (list->count)
        ct_plot_scale_bar(canvas, &scale, (ct_box){LEFT + ACROSS + 30, box.y, 0, DOWN});
    draw_strongest(canvas, list, box.y + DOWN + 60);
    CT_TRY(ct_canvas_save(canvas, err));
out:
    ct_canvas_free(canvas);
    return status;
}

/* The highest S/N of each beam, at its direction. */
static ct_status draw_beams(ct_plot *plot, const ct_value *root, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *list = ct_value_get(root, "beams");
    const int64_t most = (int64_t)ct_value_count(list);
    int64_t beams = 0;
    double *value = ct_memory_get((size_t)(most + 1) * sizeof *value);
    CT_NEED(value, (size_t)(most + 1) * sizeof *value, err);
    for (int64_t i = 0; i < most; i++)
        value[i] = NAN;
    for (int64_t i = 0; i < most; i++) {
        const ct_value *one = ct_value_at(list, (size_t)i);
        const int64_t beam = ct_value_int(ct_value_get(one, "beam"), -1);
        if (beam < 0 || beam >= most) continue;
        value[beam] = fmax(value[beam], ct_value_real(ct_value_get(one, "snr"), NAN));
        if (beam + 1 > beams) beams = beam + 1;
    }
    if (beams == 0) CT_TRY(ct_error_add(err, CT_DATA, "%s: there are no beams in it", plot->file));
    CT_TRY(ct_plot_beam_map(plot, value, beams, "S/N", err));
out:
    ct_memory_free(value);
    return status;
}

ct_status ct_plot_candidates(ct_plot *plot, const ct_value *root, ct_error *err)
{
    ct_status status = CT_OK;
    found_list list = {0};
    char *text = NULL;
    if (root && plot->options->directions) return draw_beams(plot, root, err);
    if (root) {
        CT_TRY(read_json(&list, root, err));
    } else {
        CT_TRY(ct_file_read(&text, NULL, plot->file, err));
        CT_TRY(read_table(&list, plot->file, text, err));
    }
    CT_TRY(draw_list(plot, &list, err));
out:
    ct_memory_free(text);
    ct_memory_free(list.one);
    return status;
}
