/* legal_rules_test.c: what stages' `where` allows, against the same rules in C, so that a wrong
 * term shows: random layouts and tunables for verify's cases, and larger arrays. Room: tests. */
#include "beamformer_rules.h"
#include "layout.h"
#include "step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LAYOUTS = 16, COMBINATIONS = 300, SIZES = 3 };

/* ---- fir: tiles of 8-byte elements, only where rows are not contiguous */

static bool fir_cut(const ct_step *step)
{
    const int64_t vector = tunable(step, "VECTOR_C"), channels = extent(step, "Y", 'C');
    const bool alone = tunable(step, "WG") == 1;
    return tunable(step, "TILE_T") % tunable(step, "CELL_T") == 0 &&
           tunable(step, "TILE_C") % vector == 0 &&
           tunable(step, "TILE_C") % tunable(step, "WG") == 0 && channels % vector == 0 &&
           (alone || (vector == 1 && !tunable(step, "PREFETCH"))) &&
           (alone || !tunable(step, "NONTEMPORAL")) &&
           tunable(step, "TILE_T") < 2 * extent(step, "Y", 'T') + tunable(step, "CELL_T") &&
           tunable(step, "TILE_C") < 2 * channels &&
           tunable(step, "TILE_S") < 2 * extent(step, "X", 'S') &&
           tunable(step, "TILE_P") < 2 * extent(step, "X", 'P') &&
           tunable(step, "TILE_F") < 2 * extent(step, "Y", 'F');
}

static bool fir_legal(const ct_step *step)
{
    const int64_t spectra = tunable(step, "TILE_T"), channels = tunable(step, "TILE_C");
    const int64_t series =
        tunable(step, "TILE_S") * tunable(step, "TILE_P") * tunable(step, "TILE_F");
    const bool packs = ct_array_stride(ct_step_array(step, "X"), 'T') != 1;
    int64_t bytes = 0;
    if (packs) bytes += (spectra + ct_step_int(step, "taps") - 1) * series * channels * 8;
    if (ct_array_stride(ct_step_array(step, "Y"), 'C') != 1)
        bytes += series * spectra * (channels + 8) * 8;
    return fir_cut(step) && !(packs && tunable(step, "PREFETCH")) &&
           bytes <= (step->gpu ? 32 << 10 : 512 << 10);
}

/* ---- correlator */

/* Blocks of rows, each of as many whole stations as fit. */
static int64_t correlator_blocks(const ct_step *step)
{
    const int64_t rows = tunable(step, "VECTORS_SP") * tunable(step, "VECTOR_SP");
    int64_t blocks = 0, filled = 0;
    const int64_t beams = extent(step, "X", 'B'); /* in the place of stations */
    for (int64_t s = 0; s < extent(step, "X", 'S') * beams; s++) {
        filled += extent(step, "X", 'P');
        if (s == 0 || filled > rows) {
            filled = extent(step, "X", 'P');
            blocks++;
        }
    }
    return blocks;
}

/* Tile and kept sums of a work-item, counted cell by cell: row blocks i <= j. */
static int64_t correlator_stack(const ct_step *step, bool dots)
{
    const bool matrices = tunable(step, "DOT") == 2;
    const int64_t rows = tunable(step, "VECTORS_SP") * tunable(step, "VECTOR_SP");
    const int64_t tile = tunable(step, "TILE_T"), blocks = correlator_blocks(step);
    const bool wide = is_type(step, "Y", CT_CI64),
               adds = extent(step, "X", 'T') / extent(step, "Y", 'T') > tile;
    int64_t cells = 0, bytes = wide ? 12 : 8;
    if (dots && !wide) bytes = matrices ? 2 : 4;
    for (int64_t j = blocks - 1; j >= 0 && j >= blocks - tunable(step, "CELLS_SP"); j--)
        cells += (j + 1) * (rows / tunable(step, "CELL_SP"));
    return tunable(step, "TILE_C") *
               (blocks * rows * tile * bytes +
                (adds ? cells * tunable(step, "CELL_SP") * rows * (wide ? 16 : 8) : 0)) +
           (matrices ? 64 * tile : 0); /* two copies of 16 rows, two bytes each */
}

static bool correlator_alone(const ct_step *step, bool dots)
{
    const int64_t rows = tunable(step, "VECTORS_SP") * tunable(step, "VECTOR_SP");
    const int64_t cell = tunable(step, "CELL_SP"), pols = extent(step, "X", 'P');
    if (dots && tunable(step, "VECTOR_SP") != 16) return false;
    if (dots && is_type(step, "Y", CT_CI64) && tunable(step, "TILE_T") > 128) return false;
    if (tunable(step, "DOT") == 2 && (rows > 32 || tunable(step, "TILE_T") % 32 != 0)) return false;
    if (tunable(step, "DOT") == 2 ? cell != 16 : cell >= 8) return false;
    if (is_type(step, "Y", CT_CF32) && tunable(step, "TILE_T") < 32 &&
        tunable(step, "TILE_T") < extent(step, "X", 'T') / extent(step, "Y", 'T'))
        return false;
    return rows >= pols && rows % cell == 0 &&
           correlator_stack(step, dots) <= (step->gpu ? 256 << 10 : 4 << 20);
}

static bool correlator_grouped(const ct_step *step, bool dots)
{
    const int64_t side = tunable(step, "WG") == 64 ? 8 : 16, cell = tunable(step, "CELL_SP");
    const bool wide = is_type(step, "Y", CT_CI64);
    const int64_t each = dots ? 2 : wide ? 4 : 8;
    const int64_t bytes = 2 * tunable(step, "TILE_T") * (side * cell * each + 16);
    return !(dots && wide) && tunable(step, "TILE_C") == 1 && tunable(step, "CELLS_SP") == 1 &&
           !tunable(step, "PREFETCH") && tunable(step, "VECTOR_SP") <= 2 &&
           cell == tunable(step, "VECTORS_SP") * tunable(step, "VECTOR_SP") &&
           side * cell >= extent(step, "X", 'P') && bytes <= 32 << 10;
}

static bool correlator_legal(const ct_step *step)
{
    const bool dots = tunable(step, "DOT") && !is_type(step, "Y", CT_CF32);
    if (!dots && (tunable(step, "DOT") || tunable(step, "VECTOR_SP") > 8)) return false;
    const bool matrices = tunable(step, "DOT") == 2, units = matrices && tunable(step, "WG") > 1;
    if (matrices && !is_type(step, "Y", CT_CI32)) return false;
    if (units && (tunable(step, "VECTOR_SP") != 2 || tunable(step, "TILE_T") % 16)) return false;
    if (below(step, "TILE_T") >= extent(step, "X", 'T') / extent(step, "Y", 'T') &&
        !(matrices && tunable(step, "TILE_T") == (units ? 16 : 32)))
        return false;
    if (below(step, "CELLS_SP") >= correlator_blocks(step) ||
        below(step, "TILE_C") >= extent(step, "X", 'C'))
        return false;
    return tunable(step, "WG") == 1 ? correlator_alone(step, dots) : correlator_grouped(step, dots);
}

/* ---- detect, transpose */

static bool detect_legal(const ct_step *step)
{
    if (!tunable(step, "TILED"))
        return tunable(step, "TILE_T") == 1 && tunable(step, "TILE_C") == 8 &&
               tunable(step, "TILE_B") == 1 && !tunable(step, "NONTEMPORAL") &&
               !tunable(step, "PREFETCH") &&
               (tunable(step, "WG") == 1 || tunable(step, "VECTOR_X") == 1);
    return !step->gpu && tunable(step, "WG") == 1 && tunable(step, "VECTOR_X") == 8 &&
           tunable(step, "VECTORS_X") == 1 && tunable(step, "VECTORS_Y") == 1;
}

static bool transpose_legal(const ct_step *step)
{
    if (tunable(step, "WG") == 1)
        return !tunable(step, "STAGED") ||
               (tunable(step, "NONTEMPORAL") && tunable(step, "LINES_Y") == 1);
    return tunable(step, "BOXES_X") == 1 && tunable(step, "BOXES_Y") == 1 &&
           tunable(step, "LINES_Y") == 1 && !tunable(step, "NONTEMPORAL") &&
           !tunable(step, "STAGED");
}

static bool products_legal(const ct_step *step)
{
    int64_t bytes = ct_type_complex(step->port[1].type) ? 8 : 4;
    bytes *= tunable(step, "TILE_B") * tunable(step, "TILE_D") * tunable(step, "TILE_T");
    bytes *= tunable(step, "TILE_C") * (extent(step, "X", 'Q') + extent(step, "Y", 'Q'));
    if (tunable(step, "WG") == 1) return !step->gpu && bytes <= 65536;
    return !tunable(step, "NONTEMPORAL") && bytes <= 32768;
}

/* ---- walking */

static uint64_t seed = 88172645463325252u;

static int below_count(int64_t count)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)(seed % (uint64_t)count);
}

/* Where a stage's cases are small, larger arrays reach the limits of memory. */
static int64_t sized(char dim, int64_t is, int size, bool geometry)
{
    static const int times[] = {1, 64, 8}, channels[] = {1, 8, 3}, stations[] = {1, 1, 9};
    if (dim == 'S') return geometry ? is : is * stations[size];
    return dim == 'T' ? is * times[size] : dim == 'C' ? is * channels[size] : is;
}

/* Weights from geometry need the channels' frequencies, and those that move times. */
static void add_metadata(ct_step *step)
{
    ct_array *x = &step->port[0];
    const int64_t channels = ct_array_extent(x, 'C');
    double *frequency = ct_step_alloc(step, sizeof(double) * (size_t)channels);
    for (int64_t c = 0; c < channels; c++)
        frequency[c] = 150e6 + 1e5 * (double)c;
    x->meta.frequency_hz = frequency;
    x->meta.frequencies = channels;
    x->meta.sample_time_s = 0.001;
}

static ct_step *new_step(const ct_stage *stage, const ct_case *of, int size, ct_value **params)
{
    ct_step *step = NULL;
    const char *text = of->params ? of->params : "{}";
    const bool geometry = strstr(text, "positions") != NULL;
    assert_int_equal(ct_value_parse(params, text, stage->name, NULL), CT_OK);
    assert_int_equal(ct_step_new(&step, stage, stage->name, *params, NULL, NULL, NULL), CT_OK);
    step->port[0].type = ct_type_parse(of->type);
    for (const char *at = of->extents; *at;) {
        char *end, dim = *at;
        const int64_t is = strtoll(at + 2, &end, 10);
        ct_array_add(&step->port[0], dim, sized(dim, is, size, geometry));
        at = end + strspn(end, " ");
    }
    add_metadata(step);
    ct_error err = {0};
    if (ct_step_infer(step, &err) != CT_OK) fail_msg("%s %s: %s", stage->name, text, err.text);
    ct_step_extend(step);
    return step;
}

static void set_layouts(ct_step *step)
{
    for (int p = 0; p < ct_step_ports(step); p++) {
        ct_status status = step->port[p].type == CT_NONE ? CT_OK : CT_INVALID;
        while (status != CT_OK) {
            const int64_t all = ct_layout_permutations(step->port[p].rank);
            const ct_layout layout = ct_layout_permutation(step->port[p].dim, below_count(all));
            status = ct_step_set_layout(step, p, &layout, NULL);
        }
    }
}

/* All at random, or a few away from what is legal. */
static void set_tunables(ct_step *step, bool few)
{
    for (int t = 0; t < ct_step_tunables(step); t++)
        if (!few || below_count(4) == 0)
            step->tunable[t] =
                ct_step_tunable_value(step, t, below_count(ct_step_tunable_count(step, t)));
}

/* How many of a layout's combinations are legal. */
static int64_t walk(ct_step *step, bool (*legal)(const ct_step *))
{
    int64_t usual[CT_TUNABLES], count = 0;
    ct_step_default_tunables(step);
    memcpy(usual, step->tunable, sizeof usual);
    for (int n = 0; n < COMBINATIONS; n++) {
        memcpy(step->tunable, usual, sizeof usual);
        set_tunables(step, n % 3 > 0);
        if (ct_step_is_legal(step) != legal(step)) {
            for (int t = 0; t < ct_step_tunables(step); t++)
                print_error("%s=%lld ", step->stage->tuning.tunables[t].name,
                            (long long)step->tunable[t]);
            fail_msg("%s: `where` says %d, the rules say otherwise", step->stage->name,
                     ct_step_is_legal(step));
        }
        count += ct_step_is_legal(step);
    }
    return count;
}

static const struct {
    const char *stage;
    bool (*legal)(const ct_step *);
} rules[] = {{"fir", fir_legal},
             {"beamformer", beamformer_legal},
             {"beamdetect", beamdetect_legal},
             {"correlator", correlator_legal},
             {"detect", detect_legal},
             {"products", products_legal},
             {"transpose", transpose_legal}};

static void where_says_what_the_rules_say(void **state)
{
    (void)state;
    ct_context *context = NULL;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
        const ct_stage *stage = ct_context_stage(context, rules[r].stage);
        int64_t legal = 0, all = 0;
        for (const ct_case *of = stage->verify.cases; of->extents; of++)
            for (int size = 0; size < SIZES; size++) {
                ct_value *params = NULL;
                ct_step *step = new_step(stage, of, size, &params);
                for (int layout = 0; layout < LAYOUTS; layout++, all += COMBINATIONS) {
                    step->gpu = layout % 2;
                    set_layouts(step);
                    legal += walk(step, rules[r].legal);
                }
                ct_step_free(step);
                ct_value_free(params);
            }
        assert_true(legal > all / 50 && legal < all);
    }
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(where_says_what_the_rules_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
