/* candidates_picture.c: what was found, as one self-contained SVG: S/N over time and DM in the best
 * beam, S/N over time at the best DM, and S/N over the beams.
 * Room: io/candidates. Knows SVG. Does not know how candidates are found. */
#include <math.h>
#include <stdio.h>

#include "candidates.h"

enum { LEVELS = 16, ROWS = 128 };

typedef struct ct_frame {
    double x, y, width, height; /* of a panel, pixels */
} ct_frame;

static const ct_frame plane_frame = {70, 70, 520, 300}, time_frame = {70, 390, 520, 90},
                      beam_frame = {650, 70, 260, 260};

#define DRAW(...)                                                                                  \
    do {                                                                                           \
        ct_status drawn = ct_output_print(&c->picture, err, __VA_ARGS__);                          \
        if (drawn != CT_OK) return drawn;                                                          \
    } while (0)

/* Dark blue, through violet and orange, to light yellow. */
static void level_colour(double part, int rgb[3])
{
    static const double stops[4][3] = {
        {16, 18, 48}, {122, 28, 109}, {237, 105, 37}, {252, 246, 180}};
    const double at = 3.0 * fmin(fmax(part, 0.0), 1.0);
    const int low = at < 2.999 ? (int)at : 2;
    for (int i = 0; i < 3; i++)
        rgb[i] = (int)lround(stops[low][i] + (at - low) * (stops[low + 1][i] - stops[low][i]));
}

static double row_value(const ct_candidates *c, int64_t plane, int64_t trial, int64_t bin)
{
    return (double)ct_search_row(&c->search, plane * c->trials + trial)[bin];
}

/* The largest S/N of the trials that share a row of the picture. */
static double cell_value(const ct_candidates *c, int64_t plane, int64_t rows, int64_t row,
                         int64_t bin)
{
    double largest = 0;
    for (int64_t d = row * c->trials / rows; d < (row + 1) * c->trials / rows; d++)
        largest = fmax(largest, row_value(c, plane, d, bin));
    return largest;
}

static int cell_level(double snr, double top)
{
    const int level = (int)(LEVELS * sqrt(fmax(snr, 0.0) / top)); /* faint structure shows */
    return level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : level;
}

/* The levels of all cells. */
typedef struct ct_cells {
    int64_t rows;
    uint8_t level[ROWS][CT_SEARCH_COLUMNS];
} ct_cells;

static void find_levels(const ct_candidates *c, int64_t plane, ct_cells *cells)
{
    cells->rows = c->trials < ROWS ? c->trials : ROWS;
    for (int64_t row = 0; row < cells->rows; row++)
        for (int64_t bin = 0; bin < c->search.bins; bin++)
            cells->level[row][bin] = (uint8_t)cell_level(
                cell_value(c, plane, cells->rows, row, bin), c->best[plane].snr);
}

/* All cells of one level as one path of horizontal strokes. */
static ct_status draw_level(ct_candidates *c, const ct_cells *cells, int level, ct_error *err)
{
    const double high = plane_frame.height / (double)cells->rows;
    const double wide = plane_frame.width / (double)c->search.bins;
    int rgb[3];
    level_colour((level + 0.5) / LEVELS, rgb);
    DRAW("<path stroke=\"#%02x%02x%02x\" stroke-width=\"%.3f\" d=\"", (unsigned)rgb[0],
         (unsigned)rgb[1], (unsigned)rgb[2], high + 0.2);
    for (int64_t row = 0; row < cells->rows; row++)
        for (int64_t bin = 0; bin < c->search.bins; bin++) {
            const int64_t start = bin;
            while (bin < c->search.bins && cells->level[row][bin] == level)
                bin++;
            if (bin > start)
                DRAW("M%.1f %.1fh%.1f", plane_frame.x + (double)start * wide,
                     plane_frame.y + plane_frame.height - ((double)row + 0.5) * high,
                     (double)(bin - start) * wide);
        }
    DRAW("\"/>\n");
    return CT_OK;
}

static ct_status draw_levels(ct_candidates *c, int64_t plane, ct_error *err)
{
    ct_status status = CT_OK;
    ct_cells cells;
    if (!(c->best[plane].snr > 0.0)) return CT_OK;
    find_levels(c, plane, &cells);
    for (int level = 1; status == CT_OK && level < LEVELS; level++)
        status = draw_level(c, &cells, level, err);
    return status;
}

static double sample_spacing(const ct_candidates *c)
{
    return c->array.meta.sample_time_s > 0.0 ? c->array.meta.sample_time_s : 1.0;
}

/* Of the picture; of one sample if there was none. */
static double time_length(const ct_candidates *c)
{
    return sample_spacing(c) * fmax((double)(c->search.bins << c->search.shift), 1.0);
}

/* Pixels of a time or DM in the plane. */
static double time_at(const ct_candidates *c, double time_s)
{
    const double length = time_length(c);
    return plane_frame.x + plane_frame.width * (time_s - c->array.meta.start_s) / length;
}

static double dm_at(const ct_candidates *c, double dm)
{
    const double first = ct_candidates_dm(c, 0), last = ct_candidates_dm(c, c->trials - 1);
    const double part = last > first ? (dm - first) / (last - first) : 0.5;
    return plane_frame.y + plane_frame.height * (1.0 - part);
}

/* A round step that divides `span` into four to ten. */
static double round_step(double span)
{
    double step = pow(10.0, floor(log10(fmax(span, 1e-12))));
    while (span / step < 4.0)
        step /= step / pow(10.0, floor(log10(step) + 1e-9)) > 3.0 ? 2.5 : 2.0;
    return step;
}

static ct_status draw_time_axis(ct_candidates *c, ct_error *err)
{
    const double start = c->array.meta.start_s;
    const double length = time_length(c);
    const double step = round_step(length), bottom = time_frame.y + time_frame.height;
    DRAW("<g fill=\"#333\" text-anchor=\"middle\">\n");
    const int64_t end = (int64_t)floor((start + length) / step);
    for (int64_t i = (int64_t)ceil(start / step); i <= end; i++)
        DRAW("<text x=\"%.1f\" y=\"%.1f\">%.4g</text>\n", time_at(c, (double)i * step), bottom + 16,
             (double)i * step);
    DRAW("<text x=\"%.1f\" y=\"%.1f\">time at the highest frequency, s</text>\n</g>\n",
         plane_frame.x + plane_frame.width / 2, bottom + 34);
    return CT_OK;
}

static ct_status draw_dm_axis(ct_candidates *c, ct_error *err)
{
    const double first = ct_candidates_dm(c, 0), last = ct_candidates_dm(c, c->trials - 1);
    const double step = round_step(last - first);
    DRAW("<g fill=\"#333\" text-anchor=\"end\">\n");
    const int64_t end = (int64_t)floor(last / step + 1e-9);
    for (int64_t i = (int64_t)ceil(first / step); i <= end; i++)
        DRAW("<text x=\"%.1f\" y=\"%.1f\">%.5g</text>\n", plane_frame.x - 6,
             dm_at(c, (double)i * step) + 4, (double)i * step);
    DRAW("</g>\n<text transform=\"translate(22 %.1f) rotate(-90)\" text-anchor=\"middle\" "
         "fill=\"#333\">DM, pc cm\u207b\u00b3</text>\n",
         plane_frame.y + plane_frame.height / 2);
    return CT_OK;
}

static ct_status draw_profile(ct_candidates *c, int64_t plane, ct_error *err)
{
    const ct_peak *peak = &c->best[plane];
    const double wide = time_frame.width / (double)c->search.bins;
    DRAW("<path fill=\"none\" stroke=\"#7a1c6d\" stroke-width=\"1.5\" d=\"");
    for (int64_t bin = 0; bin < c->search.bins; bin++)
        DRAW("%c%.1f %.1f", bin == 0 ? 'M' : 'L', time_frame.x + ((double)bin + 0.5) * wide,
             time_frame.y +
                 time_frame.height * (1.0 - row_value(c, plane, peak->trial, bin) / peak->snr));
    DRAW("\"/>\n<text x=\"%.1f\" y=\"%.1f\" fill=\"#333\">S/N at DM %.5g, up to %.1f</text>\n",
         time_frame.x + 6, time_frame.y + 12, ct_candidates_dm(c, peak->trial), peak->snr);
    return CT_OK;
}

static ct_status draw_mark(ct_candidates *c, ct_error *err)
{
    const ct_value *mark = ct_step_value(c->step, "mark");
    if (ct_value_kind(mark) != CT_OBJECT) return CT_OK;
    const double x = time_at(c, ct_value_real(ct_value_get(mark, "time_s"), 0.0));
    const double y = dm_at(c, ct_value_real(ct_value_get(mark, "dm"), 0.0));
    DRAW("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"11\" fill=\"none\" stroke=\"#7fe3ff\" "
         "stroke-width=\"2\"/>\n<text x=\"%.1f\" y=\"%.1f\" fill=\"#7fe3ff\">injected</text>\n",
         x, y, x + 15, y + 4);
    return CT_OK;
}

/* Azimuth from north through east, elevation: onto a disc with the zenith in the middle. */
static bool direction_at(const ct_value *directions, int64_t beam, double *east, double *north)
{
    const double degree = 3.14159265358979323846 / 180.0;
    const ct_value *one = ct_value_at(directions, (size_t)beam);
    const ct_value *az = ct_value_at(one, 0), *el = ct_value_at(one, 1);
    if (ct_value_kind(one) == CT_OBJECT) {
        az = ct_value_get(one, "az");
        el = ct_value_get(one, "el");
    }
    if (az == NULL || el == NULL || ct_value_count(one) != 2) return false;
    const double flat = cos(ct_value_real(el, 0.0) * degree);
    *east = flat * sin(ct_value_real(az, 0.0) * degree);
    *north = flat * cos(ct_value_real(az, 0.0) * degree);
    return true;
}

typedef struct ct_sky {
    double east, north, scale; /* middle of the beams, pixels per unit */
} ct_sky;

/* A window on the sky that holds all beams. */
static bool sky_window(const ct_candidates *c, const ct_value *directions, ct_sky *sky)
{
    double low[2] = {2, 2}, high[2] = {-2, -2}, at[2];
    for (int64_t b = 0; b < c->planes / c->products; b++) {
        if (!direction_at(directions, b, &at[0], &at[1])) return false;
        for (int i = 0; i < 2; i++) {
            low[i] = fmin(low[i], at[i]);
            high[i] = fmax(high[i], at[i]);
        }
    }
    const double span = fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-4);
    *sky = (ct_sky){(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (beam_frame.width - 50) / span};
    return true;
}

static ct_status draw_beam(ct_candidates *c, int64_t beam, double x, double y, double radius,
                           ct_error *err)
{
    const int64_t best = ct_candidates_best(c), plane = ct_candidates_best_of(c, beam);
    int rgb[3];
    level_colour(sqrt(c->best[plane].snr / fmax(c->best[best].snr, 1e-9)), rgb);
    DRAW("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%02x%02x%02x\"%s>"
         "<title>beam %lld: S/N %.1f</title></circle>\n",
         x, y, radius, (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2],
         plane == best ? " stroke=\"#0a7\" stroke-width=\"3\"" : "", (long long)beam,
         c->best[plane].snr);
    return CT_OK;
}

static ct_status draw_beams(ct_candidates *c, ct_error *err)
{
    ct_sky sky = {0};
    const ct_value *directions = ct_step_value(c->step, "directions");
    const bool placed = sky_window(c, directions, &sky);
    const double middle = beam_frame.x + beam_frame.width / 2;
    const int64_t beams = c->planes / c->products, across = (int64_t)ceil(sqrt((double)beams));
    const double radius = fmin(0.4 * beam_frame.width / (double)(across > 1 ? across : 2), 16);
    for (int64_t b = 0; b < beams; b++) {
        double east = 0, north = 0;
        if (placed) (void)direction_at(directions, b, &east, &north);
        const double spacing = beam_frame.width / (double)across;
        const int64_t row = b / across;
        const double x = placed ? middle + (east - sky.east) * sky.scale
                                : beam_frame.x + ((double)(b % across) + 0.5) * spacing;
        const double y =
            placed ? beam_frame.y + beam_frame.height / 2 - (north - sky.north) * sky.scale
                   : beam_frame.y + ((double)row + 0.5) * spacing;
        ct_status status = draw_beam(c, b, x, y, radius, err);
        if (status != CT_OK) return status;
    }
    DRAW("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#333\">S/N of each "
         "beam%s</text>\n",
         middle, beam_frame.y + beam_frame.height + 22, placed ? " (north up, east right)" : "");
    return CT_OK;
}

static ct_status draw_panel(ct_candidates *c, const ct_frame *frame, const char *fill,
                            ct_error *err)
{
    DRAW("<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"%s\" "
         "stroke=\"#999\"/>\n",
         frame->x, frame->y, frame->width, frame->height, fill);
    return CT_OK;
}

static ct_status draw_title(ct_candidates *c, int64_t plane, const char *where, ct_error *err)
{
    const ct_peak *peak = &c->best[plane];
    DRAW("<text x=\"70\" y=\"30\" font-size=\"17\" fill=\"#111\">");
    if (peak->snr > 0.0)
        DRAW("Strongest pulse: beam %s, DM %.5g pc cm\u207b\u00b3, %.4f s, S/N %.1f", where,
             ct_candidates_dm(c, peak->trial), ct_candidates_time(c, peak), peak->snr);
    else
        DRAW("No pulse: there was no noise to compare with");
    DRAW("</text>\n");
    return CT_OK;
}

static ct_status draw_head(ct_candidates *c, int64_t plane, ct_error *err)
{
    char product[24], where[64];
    ct_candidates_product(product, c, plane);
    const char *axis = ct_candidates_axis(c);
    const char *comma = axis[0] == 'S' ? ", Stokes " : axis[0] ? ", product " : "";
    snprintf(where, sizeof where, "%lld%s%s", (long long)(plane / c->products), comma, product);
    DRAW("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 530\" "
         "font-family=\"sans-serif\" font-size=\"13\">\n"
         "<rect width=\"960\" height=\"530\" fill=\"#fff\"/>\n");
    ct_status status = draw_title(c, plane, where, err);
    if (status != CT_OK) return status;
    DRAW("<text x=\"70\" y=\"54\" fill=\"#333\">S/N over time and dispersion measure in beam "
         "%s</text>\n",
         where);
    return CT_OK;
}

ct_status ct_candidates_draw(ct_candidates *c, ct_error *err)
{
    const int64_t plane = ct_candidates_best(c);
    ct_status status = draw_head(c, plane, err);
    if (status == CT_OK) status = draw_panel(c, &plane_frame, "#101230", err);
    if (status == CT_OK) status = draw_panel(c, &time_frame, "#fff", err);
    if (status == CT_OK) status = draw_panel(c, &beam_frame, "#f4f4f6", err);
    if (status == CT_OK) status = draw_levels(c, plane, err);
    if (status == CT_OK) status = draw_time_axis(c, err);
    if (status == CT_OK) status = draw_dm_axis(c, err);
    if (status == CT_OK && c->best[plane].snr > 0.0) status = draw_profile(c, plane, err);
    if (status == CT_OK) status = draw_mark(c, err);
    if (status == CT_OK) status = draw_beams(c, err);
    if (status == CT_OK) status = ct_output_print(&c->picture, err, "</svg>\n");
    return status;
}
