/* pulses_boxcars.cl: sums of 1, 2, 4, .. samples, bin by bin, each from two neighbours of the width before.
 * Room: stages/pulses. Knows pulses_lanes.cl, lengths from pulses_emit.c. Does not know samples. */

#define BATCH (BIN * LANES <= 1024 ? LANES : BIN <= 1024 ? 1024 / BIN : 1) /* bins whose sums are in the first cache */
#define FEW_VECTORS (BIN / LANES <= 4) /* of a bin: in registers, if the compiler knows how many */
#define FRONT (P_WIDEST <= 2 * LANES ? 1 : P_WIDEST / (2 * LANES)) /* vectors that sums of twice as many reach back */
/* Whether sums of two neighbours are made while these are in registers: with enough of them, and an instruction that moves
 * lanes from one to the next. */
#if defined __AVX512F__ && LANES == 16
#define IN_REGISTERS 1
#else
#define IN_REGISTERS 0
#endif

/* Sums of 1, 2, 4, .. samples up to each of those of some bins, behind vectors of those before; and the largest of each
 * bin. */
typedef struct boxcars {
    float sums[WIDTHS][FRONT * LANES + BATCH * BIN] ALIGNED;
    vec most[WIDTHS][LANES];
} boxcars;

#define SUMS(of, log, k) HELD((of)->sums[log] + ((k) + FRONT) * LANES)

#if IN_REGISTERS
/* Sums that end so many lanes before those of vector b; of a, the vector before it. */
INLINE vec sums_before(const vec a, const vec b, const int lanes)
{
    return lanes == 1   ? SIDE(a, b, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
           : lanes == 2 ? SIDE(a, b, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
           : lanes == 4 ? SIDE(a, b, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
           : lanes == 8 ? SIDE(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
                        : a;
}

/* Sums of a bin's vectors, from its levels; `last` are those of the vector before. */
INLINE void add_in_registers(boxcars *of, int i, int vectors, vec last[WIDTHS], global const X_TYPE *next)
{
    vec largest[WIDTHS];
    UNROLL
    for (int log = 0; log < WIDTHS; log++)
        largest[log] = -INFINITY;
    UNROLL
    for (int k = i * vectors; k < (i + 1) * vectors; k++) {
        vec sum = SUMS(of, 0, k);
        PREFETCH(next + k * LANES);
        UNROLL
        for (int log = 0; log < WIDTHS; log++) {
            if (log > 0) SUMS(of, log, k) = sum;
            largest[log] = LARGER(sum, largest[log]);
            if (log + 1 == WIDTHS) break;
            const vec before = (1 << log) <= LANES ? sums_before(last[log], sum, 1 << log)
                                                   : SUMS(of, log, k - (1 << log) / LANES);
            last[log] = sum;
            sum += before;
        }
    }
    UNROLL
    for (int log = 0; log < WIDTHS; log++)
        of->most[log][i] = largest[log];
}

/* Of `bins` of so many vectors. */
INLINE void add_boxcars(boxcars *of, int bins, int vectors, global const X_TYPE *next)
{
    vec last[WIDTHS];
    UNROLL
    for (int log = 0; log < WIDTHS; log++)
        last[log] = SUMS(of, log, -1);
    AS_WRITTEN
    for (int i = 0; i < bins; i++)
        add_in_registers(of, i, vectors, last, next);
}
#else
/* Sums of 2^log samples of vector k, from those of half as many: of two neighbours. */
INLINE vec sum_of_two(const boxcars *of, int log, int k)
{
    return SUMS(of, log - 1, k) + LOAD(of->sums[log - 1] + (k + FRONT) * LANES - (1 << (log - 1)));
}

/* Of `bins` of so many vectors. All of one width come first: so none is read just after it was
 * written. */
INLINE void add_boxcars(boxcars *of, int bins, int vectors, global const X_TYPE *next)
{
#pragma unroll 1
    for (int log = 0; log < WIDTHS; log++)
        for (int i = 0; i < bins; i++) {
            vec largest = -INFINITY;
            UNROLL
            for (int k = i * vectors; k < (i + 1) * vectors; k++) {
                if (log == 0) PREFETCH(next + k * LANES);
                if (log > 0) SUMS(of, log, k) = sum_of_two(of, log, k);
                largest = LARGER(SUMS(of, log, k), largest);
            }
            of->most[log][i] = largest;
        }
}
#endif

/* The last ones of a batch stay before those that follow. */
INLINE void keep_last(boxcars *of, int vectors)
{
    for (int log = 0; log + 1 < WIDTHS; log++)
        for (int k = -(((1 << log) + LANES - 1) / LANES); k < 0; k++)
            SUMS(of, log, k) = SUMS(of, log, vectors + k);
}

/* Of a batch of bins of so many vectors, whose levels are there; `next` is read after it. */
INLINE void take_boxcars(boxcars *of, int bins, int vectors, global const X_TYPE *next)
{
    add_boxcars(of, bins, vectors, next);
    keep_last(of, bins * vectors);
}

/* The strongest boxcar that ends in each lane, of equal ones the narrowest: the logarithm of its
 * width. */
typedef struct strongest {
    vec snr, width;
} strongest;

INLINE strongest choose_widths(const boxcars *of, int k)
{
    const float scale[] = SCALES;
    strongest best = {SUMS(of, 0, k) * scale[0], 0.0f};
    for (int log = 1; log < WIDTHS; log++) {
        const vec snr = SUMS(of, log, k) * scale[log];
        const ivec larger = snr > best.snr;
        best.snr = larger ? snr : best.snr;
        best.width = larger ? (vec)(float)log : best.width;
    }
    return best;
}
