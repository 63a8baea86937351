/* correlator.cl: V[m][l][c][ab] = sum_t x_j[b] conj(x_i[a]). See README.md.
 *
 * A row is one polarization of one station. PACK brings TILE_T times of all rows of TILE_C channels
 * into a tile, PANEL rows (a panel) together. COMPUTE takes cells: a strip of CELL_SP rows i against
 * one panel of rows j, or with STRIP_J a strip of rows j against a panel of rows i; only cells on or
 * below the diagonal. COMPUTE is put before this text: correlator_plain.cl or correlator_pairs.cl, or
 * for integers correlator_vnni.cl with correlator_bytes.cl, correlator_words.cl or correlator_amx.cl;
 * one work-item takes all cells, one after another. Where a group shares the work, correlator_group.cl is
 * put there instead, which divides the work in another way. */

#define SAMPLES (X_N_T / Y_N_T)

/* Where a firing has a part of an integration, the first of its samples that are added, and their end.
 */
#if CARRIED
#define FIRST CT_FIRST
#define END CT_END
#else
#define FIRST 0
#define END SAMPLES
#endif

/* The place of a firing's sample t in the grid of the stream by which an engine adds; 0: it has none.
 */
#ifdef GRID
#define GRID_PLACE(t) ((int)((CT_START + (t)) % GRID))
#else
#define GRID_PLACE(t) 0
#endif

/* Sums of floats begin with what stands in Y, so that their order is the same if a firing ends between
 * two of them. Integers are added to it at the end. */
#if Y_IS_cf32
#define LOADED CT_ADD
#define ADDED 0
#else
#define LOADED 0
#define ADDED CT_ADD
#endif

/* Beams are flagged together. A sum of which a part was left out counts as it is. */
#define FLAGS_S(s) (M_N_S > 1 ? (s) : 0)
#define FLAGGED(s, t, c) M_LEFT_OUT(FLAGS_S(s), t, c)

/* The largest j with j(j+1)/2 <= n. */
INLINE int triangle_row(const int n)
{
    const int j = (int)((sqrt(8.0f * n + 1.0f) - 1.0f) / 2);
    return j - (j * (j + 1) / 2 > n) + ((j + 1) * (j + 2) / 2 <= n);
}

/* Each group counts the samples of some of its integration's baselines, channel by channel where flags
 * have channels. */
INLINE void count(
#if HAVE_M
    global const M_TYPE *restrict M_data,
#endif
    global COUNTS_TYPE *restrict COUNTS_data, const int CT_ADD, const int m, const int begin,
    const int end, const size_t first, const size_t step)
{
    for (size_t k = first; k < COUNTS_N_L * COUNTS_N_C; k += step) {
        const int n = (int)k, l = n / COUNTS_N_C, c = n % COUNTS_N_C;
        const int j = triangle_row(l), i = l - j * (j + 1) / 2;
        uint valid = 0;
        for (int t = begin; t < end; t++)
            valid += !(FLAGGED(i, t, c) | FLAGGED(j, t, c));
        COUNTS(m, l, c) = (CT_ADD ? COUNTS(m, l, c) : 0) + valid;
    }
}

#if HAVE_M
#define COUNT(first, step)                                                                         \
    count(M_data, COUNTS_data, CT_ADD, m, m * SAMPLES + FIRST, m * SAMPLES + END, first, step)
#else
#define COUNT(first, step)                                                                         \
    count(COUNTS_data, CT_ADD, m, m * SAMPLES + FIRST, m * SAMPLES + END, first, step)
#endif

#if WG == 1

#define STRIPS (PANEL / CELL_SP) /* cells beside each other in a square of PANEL x PANEL */
#define CELLS_BEFORE(j) (STRIPS * (j) * ((j) + 1) / 2)
#define PANELS_J (CELLS_SP < PANELS ? CELLS_SP : PANELS) /* panels of rows j of a work-item */
#define SUMS (CELL_SP * PANEL * sizeof(Y_TYPE) / sizeof(total)) /* vectors of a cell's sums */

#define STATIONS (PANEL / X_N_P) /* of a panel; rows left over belong to none */
#if PANEL % X_N_P || CELL_SP % X_N_P
#define PIECE 1 /* rows that are surely of one station */
#else
#define PIECE X_N_P
#endif

/* Rows that the last panel has, and strips of them. */
#define LAST_ROWS ((X_N_S - (PANELS - 1) * STATIONS) * X_N_P)
#define LAST_STRIPS ((LAST_ROWS + CELL_SP - 1) / CELL_SP)

/* Whether the rows of panel j are strips, against panels of rows i: where the stations fill the last
 * panel in part only, strips of what they fill are fewer than vectors of a whole one. */
#ifdef STRIP_J
#define IN_STRIPS(j) 1
#else
#define STRIP_J 0
#define IN_STRIPS(j) (LAST_STRIPS < STRIPS && (j) == PANELS - 1)
#endif

/* Where a cell stands: its panel, the first row of its strip, channel and integration; whether the
 * strip has rows j. */
typedef struct place {
    int panel, strip, c, m, strip_j;
} place;

/* Cells that belong to panel j of rows j, and the k-th of them. */
INLINE int strips_of(const int j)
{
    return IN_STRIPS(j) && j == PANELS - 1 ? LAST_STRIPS : STRIPS;
}

INLINE int cells_of(const int j)
{
    return (j + 1) * strips_of(j);
}

INLINE place place_of(const int j, const int k, const int c, const int m)
{
    if (IN_STRIPS(j))
        return (place){k % (j + 1), j * PANEL + k / (j + 1) * CELL_SP, c, m, 1};
    return (place){j, k * CELL_SP, c, m, 0};
}

/* A piece of the products of two stations, from a cell's sums at row h of its strip and row v of its
 * panel. */
INLINE void move_piece(global Y_TYPE *restrict to, Y_TYPE *restrict value, const int how,
                       const int strip_j)
{
    #pragma unroll
    for (int a = 0; a < PIECE; a++) {
        #pragma unroll
        for (int b = 0; b < PIECE; b++) {
            const Y_INDEX q = (strip_j ? b * X_N_P + a : a * X_N_P + b) * Y_STRIDE_Q;
            if (how == LOAD)
                value[a * PANEL + b] = to[q];
            else
                to[q] = how == ADD ? to[q] + value[a * PANEL + b] : value[a * PANEL + b];
        }
    }
}

/* The part of a cell that belongs to baselines. */
INLINE void move_cell(global Y_TYPE *restrict Y_data, const int how, const place at,
                      total *restrict sum, const int strip_j)
{
    for (int h = 0; h < CELL_SP; h += PIECE) {
        const int row = at.strip % PANEL + h, s = at.strip / PANEL * STATIONS + row / X_N_P;
        if (PIECE == 1 && row >= STATIONS * X_N_P)
            continue;
        for (int v = 0; v < STATIONS * X_N_P; v += PIECE) {
            const int other = at.panel * STATIONS + v / X_N_P;
            const int i = strip_j ? other : s, j = strip_j ? s : other;
            const int q = strip_j ? v % X_N_P * X_N_P + row % X_N_P : row % X_N_P * X_N_P + v % X_N_P;
            if (i <= j && j < X_N_S)
                move_piece(Y_data + Y_AT(at.m, j * (j + 1) / 2 + i, at.c, q),
                           (Y_TYPE *)sum + h * PANEL + v, how, strip_j);
        }
    }
}

INLINE void move(global Y_TYPE *restrict Y_data, const int how, const place at,
                 total *restrict sum)
{
    if (at.strip_j)
        move_cell(Y_data, how, at, sum, 1);
    else
        move_cell(Y_data, how, at, sum, 0);
}

#if HAVE_M
#define FLAG_C (M_N_C > 1 ? TILE_C : 1) /* channels of a tile that have flags of their own */
#if M_STRIDE_T == 1 && TILE_T % 16 == 0
#if TILE_T % 64
#define FLAGS 16 /* samples of a station that are looked at together */
typedef ulong2 flags __attribute__((aligned(1)));
#define ANY(v) ((v).x | (v).y)
#else
#define FLAGS 64
typedef ulong8 flags __attribute__((aligned(1)));
#define ANY(v) ((v).s0 | (v).s1 | (v).s2 | (v).s3 | (v).s4 | (v).s5 | (v).s6 | (v).s7)
#endif
#define FLAGS_AT(s, t, c) (*(global const flags *)(M_data + M_AT(FLAGS_S(s), t, c)))
#define NO_FLAGS(s, t, c) no_flags(FLAGS_AT(s, t, c))
INLINE int no_flags(const flags of)
{
    return ANY(of) == 0;
}

/* Nothing of a tile is flagged, as a rule: one look at all of it. */
#define NONE_FLAGGED(t0, c0) (t0 + TILE_T <= X_N_T && none_flagged(M_data, t0, c0))
INLINE int none_flagged(global const M_TYPE *restrict M_data, const int t0, const int c0)
{
    flags any = 0;
    for (int c = c0; c < min(c0 + FLAG_C, X_N_C); c++)
        for (int s = 0; s < (M_N_S > 1 ? X_N_S : 1); s++) {
            #pragma unroll
            for (int t = 0; t < TILE_T; t += FLAGS)
                any |= FLAGS_AT(s, t0 + t, c);
        }
    return no_flags(any);
}
#else
#define FLAGS 1
#define NONE_FLAGGED(t0, c0) 0
#define NO_FLAGS(s, t, c) (!FLAGGED(s, t, c))
#endif

/* Flagged samples become zero in the tile, so that they add nothing. */
INLINE void blank(global const M_TYPE *restrict M_data, TILE_SPACE TILE_TYPE *restrict tile,
                  const int t0, const int c0)
{
    if (NONE_FLAGGED(t0, c0)) return;
    for (int k = CT_LID; k < X_N_S * (TILE_T / FLAGS) * FLAG_C; k += WG) {
        const int f = k % FLAG_C, n = k / FLAG_C;
        const int s = n / (TILE_T / FLAGS), first = n % (TILE_T / FLAGS) * FLAGS;
        const int end = min(first + FLAGS, X_N_T - t0);
        if (first >= end || c0 + f >= X_N_C)
            continue;
        if (end - first == FLAGS && NO_FLAGS(s, t0 + first, c0 + f))
            continue;
        for (int t = first; t < end; t++)
            for (int c = f; FLAGGED(s, t0 + t, c0 + f) && c < TILE_C; c += FLAG_C)
                for (int p = 0; p < X_N_P; p++)
                    tile[TILE_AT(c, s, t, p)] = 0;
    }
}
#define BLANK(t0, c0) blank(M_data, tile, t0, c0)
#else
#define BLANK(t0, c0)
#endif


/* Pieces of the next tile, and how many of them are prefetched before each cell. */
#define PIECES                                                                                     \
    ((X_N_S + F_N_S - 1) / F_N_S * ((TILE_T + F_N_T - 1) / F_N_T))
#define CELLS_LEFT_OUT ((STRIPS - strips_of(PANELS - 1)) * PANELS)
#define CELLS                                                                                      \
    (TILE_C * (CELLS_BEFORE(PANELS) - CELLS_BEFORE(PANELS - PANELS_J) - CELLS_LEFT_OUT))
#define PIECES_EACH ((PIECES + CELLS - 1) / CELLS)

/* Prefetches the n-th piece of the next tile, which begins at t, so that COMPUTE hides the wait for
 * memory. */
INLINE void prefetch_piece(global const X_TYPE *restrict X_data, const int n, const int m,
                           const int t, const int end, const int c)
{
    const int strips = (X_N_S + F_N_S - 1) / F_N_S;
    const int offset = n / strips * F_N_T;
    if (offset < TILE_T && t + offset < end && c < X_N_C)
        PREFETCH_F(n % strips * F_N_S, 0, m * SAMPLES + t + offset, c);
}

#if !STRIP_J
#define STRIP_PREPARE(work, tile, c, strip, first, times, add)
#define ENGINE_BEGIN()
#define ENGINE_END()
#define SAVE_CELL(how, at, sum, work, c) move(Y_data, how, at, sum)

/* On the diagonal, vectors whose rows all stand above it are left out. Where the strip has rows j, a
 * cell is the same, and its sums are conjugated. */
static void compute(total *sum, const int add, const TILE_TYPE *tile, const TILE_WORK *work,
                    const int c, const int j, const int i, const int times, const int in_strip)
{
    const int strip_j = IN_STRIPS(PANELS - 1) && in_strip; /* known where all panels are full */
    const int first =
        i < j * PANEL || strip_j ? 0 : (i - j * PANEL) / X_N_P * X_N_P / VECTOR_SP;
    if (first == 0)
        compute_from(sum, add, tile, work, c, j, i, times, 0, strip_j);
#if VECTORS_SP > 1
    else if (first == 1)
        compute_from(sum, add, tile, work, c, j, i, times, 1, 0);
#endif
#if VECTORS_SP > 2
    else if (first == 2)
        compute_from(sum, add, tile, work, c, j, i, times, 2, 0);
    else
        compute_from(sum, add, tile, work, c, j, i, times, 3, 0);
#endif
}
#endif

/* A cell's sums as they stand in Y; of rows that belong to no baseline 0. */
INLINE void load(global Y_TYPE *restrict Y_data, const place at, total *restrict sum)
{
    for (int n = 0; n < SUMS; n++)
        sum[n] = 0;
    move(Y_data, LOAD, at, sum);
}

kernel void correlator(CT_ARGS)
{
    const int j0 = (int)get_global_id(0) * CELLS_SP, j1 = min(j0 + CELLS_SP, PANELS);
    const int c0 = (int)get_global_id(1) * TILE_C, m = get_global_id(2);
    TILE_TYPE tile[TILE_SIZE] __attribute__((aligned(64)));
    TILE_WORK work[1];
#if SAMPLES > TILE_T
    total kept[TILE_C * (CELLS_BEFORE(PANELS) - CELLS_BEFORE(PANELS - PANELS_J))][SUMS];
#endif
    ENGINE_BEGIN();
    for (int t = FIRST, times; t < END; t += times) {
        const int channels = min(TILE_C, X_N_C - c0), phase = GRID_PLACE(m * SAMPLES + t);
        times = END - t <= TILE_T ? END - t : TILE_T - phase; /* in between it ends at the grid's */
        const int last = t + times == END;
        PACK_TILE(tile, 0, 0, m * SAMPLES + t, c0);
        BLANK(m * SAMPLES + t, c0);
        TILE_PREPARE(work, tile, times, phase);
        for (int c = 0, n = 0, ahead = 0; c < channels; c++)
            for (int j = j0; j < j1; j++)
                for (int k = 0; k < cells_of(j); k++, n++) {
                    const place at = place_of(j, k, c0 + c, m);
#if SAMPLES > TILE_T
                    total *sum = kept[n];
#else
                    total sum[SUMS];
#endif
                    if (at.panel == 0)
                        STRIP_PREPARE(work, tile, c, at.strip, j0 * PANEL, times, t > FIRST);
                    if (LOADED && t == FIRST)
                        load(Y_data, at, sum);
                    for (int piece = 0; piece < PIECES_EACH; piece++)
                        prefetch_piece(X_data, ahead++, m, last ? FIRST : t + times, END,
                                       last ? c0 + TILE_C : c0);
                    compute(sum, t > FIRST || LOADED, tile, work, c, at.panel, at.strip, times,
                            at.strip_j);
                    if (!last)
                        continue;
                    if (ADDED)
                        SAVE_CELL(ADD, at, sum, work, c);
                    else
                        SAVE_CELL(SET, at, sum, work, c);
                }
    }
    ENGINE_END();
    COUNT(get_global_id(1) * get_global_size(0) + get_global_id(0),
          get_global_size(0) * get_global_size(1));
}

#else

#define WHOLE_TILES (SAMPLES % TILE_T == 0 && !CARRIED)

/* A group's square of products: rows i of panel n - j(j+1)/2 against rows j of panel j. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void correlator(CT_ARGS)
{
    local B_TYPE tile_i[B_SIZE] __attribute__((aligned(16)));
    local B_TYPE tile_j[B_SIZE] __attribute__((aligned(16)));
    const int n = get_group_id(0), c = get_global_id(1), m = get_global_id(2);
    const int j = triangle_row(n), i0 = (n - j * (j + 1) / 2) * STATIONS, j0 = j * STATIONS;
    for (int first = FIRST; first < END; first += TOGETHER) {
        const int end = min(first + TOGETHER, END);
        cell sum;
        clear(&sum);
        if (LOADED)
            move(Y_data, LOAD, m, c, i0, j0, &sum);
        for (int t = first; t < end; t += TILE_T) {
            const int times = WHOLE_TILES ? TILE_T : min(TILE_T, end - t);
            CT_BARRIER;
            PACK_B(tile_i, i0, 0, m * SAMPLES + t, c);
            PACK_B(tile_j, j0, 0, m * SAMPLES + t, c);
            BLANK(tile_i, i0, m * SAMPLES + t, c);
            BLANK(tile_j, j0, m * SAMPLES + t, c);
            CT_BARRIER;
            if (!MATRICES && i0 == j0)
                accumulate(&sum, tile_i, tile_j, times, 1);
            else /* a second loop would take registers that products of matrices need */
                accumulate(&sum, tile_i, tile_j, times, MATRICES && i0 == j0);
        }
        move(Y_data, ADDED || first > FIRST ? ADD : SET, m, c, i0, j0, &sum);
    }
    COUNT(get_global_id(1) * get_global_size(0) + get_global_id(0),
          get_global_size(0) * get_global_size(1));
}

#endif
