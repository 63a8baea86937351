/* dedisp_group.cl: a work-group makes PANEL_D trials x GROUP_SAMPLES samples by way of local memory. Of
 * ROWS_C channels at a time it brings close the samples that any of its trials takes, once; then each
 * work-item adds CELL_D trials x VECTORS_T words from there. A word has PACKED samples, which lie WORDS
 * samples apart: so it is read whole whatever the shift, and neighbouring work-items read neighbouring
 * words. Of eight bits four are added at once: all of them in 32 bits, and the second and the fourth of them
 * again in halves of 16; what is left of the former without these are the first and the third. Put before
 * dedisp.cl, after dedisp_vectors.cl.
 * Room: stages/dedisp. Knows shifts; lengths from dedisp_group.c. Does not know how trials are divided over
 * work-groups. */

#define INLINE static inline __attribute__((always_inline))
#define PANEL_D (CELLS_D * CELL_D)
#define ACROSS (WG / CELLS_D) /* work-items along time */
#define WORDS (ACROSS * VECTORS_T)
#define GROUP_SAMPLES (WORDS * PACKED)

#if PACKED == 1
#define WORD NARROW
#else
#define WORD uint
#endif

/* Channels whose sums go into the total: of eight bits so many that 16 bits hold them; of floats TILE_C,
 * by which their order is defined. */
#if PACKED == 4
#define FLUSH 256
#elif PACKED == 1 && (HAVE_Z ? Z_IS_f32 : X_IS_f32)
#define FLUSH TILE_C
#else
#define FLUSH X_N_C
#endif

#if !HAVE_Z && X_IS_i8 /* bytes are moved by 128, so that they have no sign */
#define AS_BYTE(x) ((uint)(uchar)(x) ^ 0x80u)
#define VALUE(total) (float)((int)((total) - 128u * CHANNELS_USED))
#else
#define AS_BYTE(x) ((uint)(x))
#define VALUE(total) (float)(total)
#endif

typedef struct cell {
    WORD sum[CELL_D][VECTORS_T];
    uint other[CELL_D][VECTORS_T]; /* of packed ones */
    WIDE total[CELL_D][VECTORS_T][PACKED];
} cell;

INLINE void clear_sums(cell *of)
{
#pragma unroll
    for (int i = 0; i < CELL_D * VECTORS_T; i++) {
        of->sum[i / VECTORS_T][i % VECTORS_T] = 0;
        of->other[i / VECTORS_T][i % VECTORS_T] = 0;
    }
}

INLINE void clear_totals(cell *of)
{
#pragma unroll
    for (int i = 0; i < CELL_D * VECTORS_T * PACKED; i++)
        of->total[i / PACKED / VECTORS_T][i / PACKED % VECTORS_T][i % PACKED] = 0;
}

INLINE void add_word(WORD *sum, uint *other, WORD word)
{
    *sum += word;
#if PACKED == 4
    *other += (word >> 8) & 0x00ff00ffu;
#elif PACKED == 2
    *other += word >> 16;
#endif
}

INLINE void add_to_total(WIDE total[PACKED], WORD sum, uint other)
{
#if PACKED == 4
    const uint even = sum - (other << 8);
    total[0] += even & 0xffffu;
    total[1] += other & 0xffffu;
    total[2] += even >> 16;
    total[3] += other >> 16;
#elif PACKED == 2
    total[0] += sum - (other << 16);
    total[1] += other;
#else
    total[0] += sum;
#endif
}

INLINE void flush(cell *of)
{
#pragma unroll
    for (int i = 0; i < CELL_D * VECTORS_T; i++)
        add_to_total(of->total[i / VECTORS_T][i % VECTORS_T], of->sum[i / VECTORS_T][i % VECTORS_T],
                     of->other[i / VECTORS_T][i % VECTORS_T]);
    clear_sums(of);
}

/* ---- what lies in local memory */

#define LEFT_OUT INT_MIN

/* A channel's samples there begin with those that lie so much behind the highest channel's, or LEFT_OUT;
 * so many words. */
INLINE int2 span_of(SHIFTS, tile at, int c)
{
    const int last = min(at.first + PANEL_D - 1, at.last), of = min(c, X_N_C - 1);
    const int one = SHIFT(at.first, of), two = SHIFT(last, of);
    if (c >= X_N_C || one < 0) return (int2)(LEFT_OUT, WORDS);
    return (int2)(min(one, two) - SLACK, WORDS + max(one, two) - min(one, two) + 2 * SLACK);
}

/* Of the next channels, while the others are added. */
INLINE void look_ahead(local int2 *spans, SHIFTS, tile at, int c, int item)
{
    if (item < ROWS_C) spans[item] = span_of(SHIFT_data, at, c + item);
}

#if SLACK > 0 /* what lies outside of the array is not needed */
#define STORED_AT(series, t, c) AT(series, clamp(t, 0, STORED_N - 1), c)
#else
#define STORED_AT(series, t, c) AT(series, t, c)
#endif

INLINE WORD load_word(INPUT, tile at, int c, int t)
{
#if PACKED == 4
    return AS_BYTE(STORED_AT(at.series, t, c)) | AS_BYTE(STORED_AT(at.series, t + WORDS, c)) << 8 |
           AS_BYTE(STORED_AT(at.series, t + 2 * WORDS, c)) << 16 |
           AS_BYTE(STORED_AT(at.series, t + 3 * WORDS, c)) << 24;
#elif PACKED == 2
    return (uint)STORED_AT(at.series, t, c) | (uint)STORED_AT(at.series, t + WORDS, c) << 16;
#else
    return STORED_AT(at.series, t, c);
#endif
}

/* Where each trial's words of each channel begin. A channel that is left out has zeros. */
INLINE void place_trials(local int *places, local const int2 *spans, SHIFTS, tile at, int c,
                         int item)
{
    for (int i = item; i < ROWS_C * PANEL_D; i += WG) {
        const int k = i / PANEL_D, d = min(at.first + i % PANEL_D, at.last), low = spans[k].x;
        places[i] = k * SPAN + (low == LEFT_OUT ? 0 : SHIFT(d, c + k) - low);
    }
}

INLINE void fill_rows(local WORD *rows, local const int2 *spans, INPUT, tile at, int c, int item)
{
    for (int i = item; i < SPAN; i += WG) {
        WORD word[ROWS_C]; /* so that all loads are under way at once */
#pragma unroll
        for (int k = 0; k < ROWS_C; k++) {
            const int2 of = spans[k];
            word[k] = of.x != LEFT_OUT && i < of.y
                          ? load_word(INPUT_DATA, at, c + k, at.t + of.x + i)
                          : 0;
        }
#pragma unroll
        for (int k = 0; k < ROWS_C; k++)
            rows[k * SPAN + i] = word[k];
    }
}

/* ---- what a work-item does */

/* Adds ROWS_C channels; rows and places are those of its first sample and trial. */
INLINE void add_rows(cell *of, local const WORD *rows, local const int *places)
{
#pragma unroll
    for (int k = 0; k < ROWS_C; k++) {
        int place[CELL_D];
#pragma unroll
        for (int d = 0; d < CELL_D; d += 4)
            vstore4(*(local const int4 *)(places + k * PANEL_D + d), 0, place + d);
#pragma unroll
        for (int i = 0; i < CELL_D * VECTORS_T; i++)
            add_word(&of->sum[i / VECTORS_T][i % VECTORS_T],
                     &of->other[i / VECTORS_T][i % VECTORS_T],
                     rows[place[i / VECTORS_T] + i % VECTORS_T * ACROSS]);
    }
}

/* at.t: the group's first sample. A group behind the end of its range has no trials, adds nothing and stores
 * nothing: where it returns before its barriers, PoCL 3.1 makes a kernel of vectors that stores at wrong places. */
INLINE void add_channels(cell *of, local WORD *rows, local int *places, local int2 *spans, INPUT,
                         SHIFTS, tile at, int item)
{
    const int cell_d = item / ACROSS * CELL_D, channels = at.last < at.first ? 0 : X_N_C;
    clear_sums(of);
    clear_totals(of);
    if (channels > 0) look_ahead(spans, SHIFT_data, at, 0, item);
    for (int c = 0; c < channels; c += ROWS_C) {
        barrier(CLK_LOCAL_MEM_FENCE);
        place_trials(places, spans, SHIFT_data, at, c, item);
        fill_rows(rows, spans, INPUT_DATA, at, c, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        look_ahead(spans, SHIFT_data, at, c + ROWS_C, item);
        add_rows(of, rows + item % ACROSS, places + cell_d);
        if (FLUSH < X_N_C && (c + ROWS_C) % FLUSH == 0) flush(of);
    }
    flush(of);
}

/* t: the group's first sample, in the output. */
INLINE void store_cell(global Y_TYPE *restrict Y_data, cell *of, tile at, int t, int item, int hold)
{
    const int first = at.first + item / ACROSS * CELL_D, begin = t + item % ACROSS;
#pragma unroll
    for (int i = 0; i < CELL_D * VECTORS_T * PACKED; i++) {
        const int d = i / (VECTORS_T * PACKED), v = i / PACKED % VECTORS_T, k = i % PACKED;
        if (first + d <= at.last)
            store(Y_data, VALUE(of->total[d][v][k]), at.series, first + d,
                  begin + v * ACROSS + k * WORDS, hold);
    }
}
