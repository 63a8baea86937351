/* shift.cl: series along time, each taken from where it lies in the window before and after them. Where
 * times lie alike on both sides (SHIFT_RUN elements of each together, with SHIFT_POLS polarizations apart) a
 * work-item copies TILE_T of them from memory to memory; else a tile of a few stations goes from one order
 * to the other. See README.md. */

/* The last shift that begins at this sample or before it. */
static inline int shift_of(global const N_TYPE *restrict N_data, const int t)
{
    int k = 0;
    for (int end = N_K; end - k > 1;) {
        const int middle = (k + end) / 2;
        if (N(middle) <= t)
            k = middle;
        else
            end = middle;
    }
    return k;
}

/* Up to where shift k of a series holds; the next ones may be the same. */
static inline int shift_end(global const H_TYPE *restrict H_data, global const N_TYPE *restrict N_data,
                            const int s, const int q, const int k, const int end)
{
    for (int m = k + 1; m < N_K && N(m) < end; m++)
        if (H(s, q, m) != H(s, q, k)) return N(m);
    return end;
}

#if SHIFT_RUN
#define LINE (64 / (int)sizeof(Y_TYPE)) /* elements of a cache line */
#ifdef __clang__
typedef ulong8 line __attribute__((may_alias));
typedef ulong8 line_anywhere __attribute__((aligned(2), may_alias));
#define COPY_LINE(to, from) STORE_LINE(*(global const line_anywhere *)(from), (global line *)(to))
#else
#define COPY_LINE(to, from) \
    for (int n = 0; n < LINE; n++) \
    (to)[n] = (from)[n]
#endif
#if NONTEMPORAL && defined CT_STORE_NONTEMPORAL /* only where tiles are stored by vectors */
#define STORE_LINE(value, place) CT_STORE_NONTEMPORAL(value, place)
#else
#define STORE_LINE(value, place) (*(place) = (value))
#endif

/* Whole cache lines of the output, and what lies before and after them. */
static inline void copy_run(global Y_TYPE *restrict to, global const X_TYPE *restrict from, const int count)
{
    const int before = (int)(-(size_t)to % 64 / sizeof(Y_TYPE));
    int n = 0;
    for (; n < min(before, count); n++)
        to[n] = from[n];
    for (; n + LINE <= count; n += LINE)
        COPY_LINE(to + n, from + n);
    for (; n < count; n++)
        to[n] = from[n];
}

kernel void shift(CT_ARGS)
{
    const int t = get_global_id(0) * TILE_T, c = get_global_id(1);
    const int s = get_global_id(2) / SHIFT_POLS, p = get_global_id(2) % SHIFT_POLS, q = H_N_P > 1 ? p : 0;
    const int end = min(t + TILE_T, Y_N_T);
    for (int i = t, next; i < end; i = next) {
        const int k = shift_of(N_data, i);
        next = shift_end(H_data, N_data, s, q, k, end);
        copy_run(Y_data + Y_AT(s, p, i, c), X_data + X_AT(s, p, i + H(s, q, k), c), (next - i) * SHIFT_RUN);
    }
}
#else
#if H_N_P > 1
#define IN_TILE(t, c, p) A_AT(t, c)
#define POLS 1 /* of a station's tile */
#else
#define IN_TILE(t, c, p) A_AT(t, c, p)
#define POLS Y_N_P
#endif

/* A tile in which the shift changes. */
static void pack_apart(R_TYPE *restrict a, const int s, const int q, const int t, const int c, CT_ARGS)
{
    for (int row = 0; row < min(TILE_T, Y_N_T - t); row++) {
        const int from = t + row + H(s, q, shift_of(N_data, t + row));
        for (int n = 0; n < min(TILE_C, Y_N_C - c); n++)
            for (int p = 0; p < POLS; p++)
                a[IN_TILE(row, n, p)] = X(s, q + p, from, c + n);
    }
}

kernel void shift(CT_ARGS)
{
    R_TYPE r[R_SIZE] __attribute__((aligned(64)));
    const int c = get_global_id(0) * TILE_C, t = get_global_id(1) * TILE_T, s = get_global_id(2) * TILE_S;
    const int k = shift_of(N_data, t), end = min(t + TILE_T, Y_N_T);
    for (int i = s; i < min(s + TILE_S, Y_N_S); i++)
        for (int q = 0; q < H_N_P; q++) {
            R_TYPE *a = r + ((i - s) * H_N_P + q) * A_SIZE;
            if (shift_end(H_data, N_data, i, q, k, end) == end)
                PACK_A(a, i, q, t + H(i, q, k), c);
            else
                pack_apart(a, i, q, t, c, X_data, H_data, N_data, Y_data);
        }
    STORE_R(r, s, 0, t, c);
}
#endif
