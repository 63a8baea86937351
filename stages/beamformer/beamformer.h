/* beamformer.h: what the beam former's files share.
 * Room: stages/beamformer. Knows only cornerturn_stage.h. Order: ct_beams_load in infer(), then
 * ct_beams_weight as often as wanted. */
#ifndef CT_BEAMFORMER_H
#define CT_BEAMFORMER_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_beamformer, ct_stage_beamdetect; /* lines in stages/stages.c */
extern const ct_tunable ct_beamformer_tunables[];               /* of both */

/* Extents of the piece of the next tile that is prefetched before each cell: some stations where
 * cells are fewer than stations, else some of a station's times. */
#define CT_BEAMFORMER_TILE_CELLS "(WRITES_B*CELLS_B*TILE_C*(TILE_T*X_N_P/VECTOR_TP/VECTORS_TP))"
#define CT_BEAMFORMER_PARTS                                                                        \
    "(" CT_BEAMFORMER_TILE_CELLS "/X_N_S+(" CT_BEAMFORMER_TILE_CELLS "<X_N_S))"
#define CT_BEAMFORMER_PREFETCH                                                                     \
    "TILE_C,(X_N_S+" CT_BEAMFORMER_TILE_CELLS "-1)/" CT_BEAMFORMER_TILE_CELLS                      \
    ",(TILE_T+" CT_BEAMFORMER_PARTS "-1)/" CT_BEAMFORMER_PARTS ",X_N_P"

/* Tiles of both: samples and weights, of a work-item (A, G) and of a group (U, H), and the piece of
 * the next tile that is prefetched (F). Of products of matrices, stations' rows are 4 numbers
 * further in the banks than whole ones, as a warp reads them. */
/* clang-format off */
#define CT_BEAMFORMER_TILES \
    {.name = "A", .port = "X", .order = "CSTP", .extents = "TILE_C,X_N_S,TILE_T,X_N_P", \
     .type = "float2", .when = "WG == 1"}, \
    {.name = "G", .port = "W", .order = "CBSb", .extents = "TILE_C,WRITES_B*CELLS_B,X_N_S,CELL_B", \
     .type = "float2", .when = "WG == 1"}, \
    {.name = "F", .port = "X", .order = "CSTP", .extents = CT_BEAMFORMER_PREFETCH, \
     .type = "float2", .when = "HAVE_W"}, \
    {.name = "U", .port = "X", .order = "STP", .extents = "TILE_S,TILE_T,X_N_P", .padding = "T:DOT==2?4:2", \
     .type = "float2", .when = "HAVE_W*(WG>1)"}, \
    {.name = "H", .port = "W", .order = "SB", .extents = "TILE_S,CELL_B*CELLS_B", \
     .padding = "DOT==2?4:2", .type = "float2", .when = "HAVE_W*(WG>1)"}
/* clang-format on */

/* What both say of legal tunables. Work-items of their own (cells) hold tiles on a stack: that of a
 * driver's thread, or of a GPU's, which has 512 KiB, all in memory. */
#define CT_BEAMFORMER_TERMS                                                                        \
    {"SAMPLES", "TILE_T * X_N_P", "times and polarizations of a tile"},                            \
        {"WRITE_B", "CELL_B * CELLS_B", "beams of a write"},                                       \
        {"STACK_BYTES",                                                                            \
         "8 * TILE_C * X_N_S * (SAMPLES + WRITE_B * WRITES_B) + "                                  \
         "8 * WRITE_C * WRITE_B * SAMPLES * (PARTS_T > 1 ? 2 : 1)",                                \
         "samples, weights and results of a work-item of its own"},                                \
    {                                                                                              \
        "MOST_BYTES", "GPU ? 262144 : 4194304", "of them together"                                 \
    }
/* Of cells: no value that does no more than a smaller one would. */
/* clang-format off */
#define CT_BEAMFORMER_CELLS \
    "(WG > 1 || CELL_B <= 5) && (WG > 1 || !HAVE_W || TILE_T <= 32) && (WG > 1 || TILE_S == 8) && " \
    "(WG > 1 || BELOW_CELL_B < Y_N_B) && (WG > 1 || BELOW_CELLS_B * CELL_B < Y_N_B) && " \
    "(WG > 1 || BELOW_WRITES_B * WRITE_B < Y_N_B) && (WG > 1 || BELOW_TILE_T < X_N_T) && " \
    "(WG > 1 || BELOW_TILES_T * TILE_T < X_N_T) && (WG > 1 || BELOW_TILE_C < Y_N_C) && " \
    "(WG > 1 || STACK_BYTES <= MOST_BYTES)"
#define CT_BEAMFORMER_MATRICES \
    "(DOT == 0 || WG > 1) && (DOT == 0 || HAVE_W) && (DOT == 0 || VECTOR_TP == 2) && " \
    "(DOT == 0 || CELL_B % 2 == 0) && (DOT == 0 || CELLS_B == 8)"
#define CT_BEAMFORMER_GROUP \
    "(WG == 1 || TILE_C == 1) && (WG == 1 || WRITES_B == 1) && (WG == 1 || TILES_T == 1) && " \
    "(WG == 1 || NONTEMPORAL == 0) && (WG == 1 || PREFETCH == 0) && (WG == 1 || VECTOR_TP <= 2) && " \
    "(WG == 1 || !HAVE_W || SAMPLES / (VECTOR_TP * VECTORS_TP) * CELLS_B == WG) && " \
    "(WG == 1 || GROUP_BYTES <= 32768)"
#define CT_BEAMFORMER_WHERE \
    "SAMPLES % (VECTOR_TP * VECTORS_TP) == 0 && TILE_C % WRITE_C == 0 && " \
    "(!HAVE_W || W_N_K == 1 || (HAVE_N ? 32 : X_N_T / W_N_K) % TILE_T == 0) && " \
    CT_BEAMFORMER_MATRICES " && " CT_BEAMFORMER_GROUP " && " CT_BEAMFORMER_CELLS
/* clang-format on */

enum {
    CT_BEAMFORMER_X,
    CT_BEAMFORMER_W,
    CT_BEAMFORMER_Y,
    CT_BEAMFORMER_M,
    CT_BEAMFORMER_COUNTS,
    CT_BEAMFORMER_N
}; /* places in .ports of both */

/* The same of both. */
#define CT_BEAMFORMER_BEGINS                                                                       \
    {                                                                                              \
        "N", CT_TABLE, CT_PORT_OPTIONAL | CT_PORT_BLOCK, "K", "i32", "K", NULL,                    \
            "samples of the block at which segments begin, where these may end inside a block"     \
    }

/* Their scale, a function of beamformer.c. */
#define CT_BEAMFORMER_SCALES(ROW) ROW(none, scale_none) ROW(mean, scale_mean)
/* Whether voltages are added up with weights, which a detection can be fused with, or powers. */
#define CT_BEAMFORMER_VOLTAGES(ROW) ROW(coherent, true)
#define CT_BEAMFORMER_MODES(ROW) CT_BEAMFORMER_VOLTAGES(ROW) ROW(incoherent, false)

/* Parameters of both: where the weights come from, and their scale. */
/* clang-format off */
#define CT_BEAMFORMER_PARAMS \
    {"weights", CT_PARAM_ANY, NULL, NULL, 0, 0, \
     "a .npy of complex weights with axes B,S,C or B,S, or a list of directions"}, \
    {"positions", CT_PARAM_ANY, NULL, NULL, 0, 0, \
     "of the stations, metres: a .npy of shape [stations, 3] or a list of [x, y, z]; default: the " \
     "observation's stations"}, \
    {"directions", CT_PARAM_ANY, NULL, NULL, 0, 0, \
     "of the beams: a list of [azimuth, elevation] in degrees or of unit vectors"}, \
    {"radec", CT_PARAM_ANY, NULL, NULL, 0, 0, \
     "of the beams, which follow the sky: a list of [right ascension, declination], ICRS, degrees"}, \
    {"step_s", CT_PARAM_REAL, "1", NULL, 1e-9, 1e9, \
     "from one row of directions to the next; the first is at the observation's start"}, \
    {"normalise", CT_PARAM_TEXT, "none", CT_WORDS(CT_BEAMFORMER_SCALES), 0, 0, \
     "mean: divide by the stations"}
/* clang-format on */

/* Five stations and seven beams for verify: the object is left open for more parameters. */
#define CT_BEAMFORMER_GEOMETRY                                                                     \
    "{\"positions\": [[0, 0, 0], [31, -7, 0.5], [-12, 40, 1], [55, 23, -2], [9, -61, 0]],"         \
    " \"directions\": [[0, 90], [40, 60], {\"az\": 200, \"el\": 35}, [0.6, 0, 0.8],"               \
    " [310, 72.5], [120, 15], [45, 45]]"

/* Three stations and three beams that move across the sky within a few samples. */
#define CT_BEAMFORMER_MOVING                                                                       \
    "{\"positions\": [[0, 0, 0], [31, -7, 0.5], [-1200, 4000, 1]], \"step_s\": 0.05,"              \
    " \"directions\": [[[0, 90], [2, 80], [3, 81]], [[40, 60], [41, 61], [44, 62]],"               \
    " [[0.6, 0, 0.8], [0, 0.6, 0.8], [0, 0, 1]]]"

/* The same, so slowly that 64 samples share weights, which 32 times an odd number of them do not
 * fill. */
#define CT_BEAMFORMER_SLOW                                                                         \
    "{\"positions\": [[0, 0, 0], [31, -7, 0.5], [-1200, 4000, 1]], \"step_s\": 2000,"              \
    " \"directions\": [[[0, 90], [2, 80], [3, 81]], [[40, 60], [41, 61], [44, 62]],"               \
    " [[10, 20], [12, 20], [14, 21]]]"

/* Of a work-group that multiplies matrices. */
#define CT_BEAMFORMER_UNITS                                                                        \
    "VECTOR_TP=2 CELLS_B=8 TILES_T=1 WRITES_B=1 TILE_C=1 WRITE_C=1 PARTS_T=1 WG=64 "               \
    "NONTEMPORAL=0 PREFETCH=0"

/* Where weights come from: numbers of a file, or geometry. Lives as the step (its `state`). */
typedef struct ct_beams {
    int64_t count;    /* beams */
    ct_array numbers; /* of the file, dims among B,S,C; type CT_NONE: from geometry */
    int64_t pair;     /* elements from a real to its imaginary part; 0: the type is complex */
    const double (*position)[3];  /* of the stations, m */
    const double (*direction)[3]; /* of the beams, unit vectors: [beams][rows] */
    int64_t rows;                 /* 1: they stay; else rows of them, step_s apart */
    double step_s;
    const double (*radec)[2]; /* beams on the sky, ICRS, degrees; NULL: `direction` counts */
    bool relative;            /* to the phase centre, which comes after them in `radec` */
    double (*toward)[3];      /* room for where they look at an instant */
    int64_t segment;          /* samples that share weights; 0: all do */
} ct_beams;

/* Reads and checks "weights", "positions" and "directions", or "radec". */
ct_status ct_beams_load(ct_step *step, ct_beams **out, ct_error *err);
/* One weight of a beam that stays, "normalise" not included. */
ct_complex ct_beams_weight(const ct_step *step, int64_t beam, int64_t station, int64_t channel);

/* Beams that move, tracks.c. Blocks begin and end at multiples of this many samples, which divides
 * a segment. */
enum { CT_TRACKS_GRAIN = 32 };
/* Their segments. */
ct_status ct_tracks_plan(ct_step *step, ct_beams *beams, ct_error *err);
/* The shapes of both tables: with the most segments that a block of so many samples touches. */
void ct_tracks_shape(ct_step *step, const ct_beams *beams, int64_t samples);
/* A block's weights of dims K,B,S,C times `scale`; where in the block their segments begin. */
ct_status ct_tracks_fill(const ct_step *step, ct_array *fill, double scale, ct_error *err);
void ct_tracks_begins(const ct_step *step, ct_array *fill);
/* Which of the table's segments has this sample of the block. */
int64_t ct_tracks_segment(const ct_step *step, const ct_array ports[], int64_t t);

/* "positions" and "directions", read by geometry.c. */
ct_status ct_geometry_positions(ct_step *step, const double (**out)[3], ct_error *err);
ct_status ct_geometry_directions(ct_step *step, const char *param, ct_beams *beams, ct_error *err);

/* Whether powers are stored instead of beams: the stage is beamdetect. */
static inline bool ct_beamformer_detects(const ct_step *step)
{
    return step->stage->fuses != NULL;
}

/* Whether somebody wants to know how many stations, or samples, went in. */
static inline bool ct_beamformer_counts(const ct_step *step)
{
    return step->port[CT_BEAMFORMER_COUNTS].type != CT_NONE;
}

/* What sums over `stations` are multiplied by: the parameter "normalise". */
double ct_beamformer_scale(const ct_step *step, int64_t stations);
bool ct_beamformer_is_coherent(const ct_step *step);
/* Samples side by side that share weights, as a rule. */
int64_t ct_beamformer_times(const ct_step *step);
void ct_beamformer_suggest(ct_step *step);
int ct_beamformer_launch(const ct_step *step, ct_launch *out);

/* The same where a work-group shares the work, and what both stages add before beamformer.cl. */
void ct_beamformer_group_suggest(ct_step *step);
int ct_beamformer_group_launch(const ct_step *step, ct_launch *out);
/* Products of matrices: whether the device has them; what is said where a plan wants them and it
 * has not. */
bool ct_beamformer_takes_mma(const ct_step *step);
const char *ct_beamformer_note(const ct_step *step);
ct_status ct_beamformer_emit(const ct_step *step, ct_text *text, ct_error *err);

ct_status ct_beamformer_reference(const ct_step *step, ct_array ports[], ct_error *err);
ct_status ct_beamdetect_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif
