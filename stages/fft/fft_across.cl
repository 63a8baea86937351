/* Passes of transforms side by side: a vector's lanes are as many spectra, and no number ever changes
 * its lane.
 *
 * The ROWS spectra of a tile lie in `tile`, position p of one at AT(p): LANES real parts, then LANES
 * imaginary ones, for each LANES rows. Passes work in place. After the last one position b R + q has the
 * channel CHANNEL(b) + q N / R: digits of b reversed. INNER positions follow each other A_STRIDE_c
 * apart, A_STRIDE_C from the first of them to the first of the next. FACTORS are those of the table. */
#define ROWS (TILE_S * TILE_P * TILE_T)
#define AT(p) ((p) / INNER * A_STRIDE_C + (p) % INNER * A_STRIDE_c)
/* Between two positions `far` numbers of a pass apart, k times: a pass of steps within one INNER, or
 * from one to the next. */
#define APART(k, far) ((far) % INNER == 0 ? (k) * ((far) / INNER) * A_STRIDE_C : (k) * (far) * A_STRIDE_c)
#define NEAR(p) (*(private V_NEAR *)(p))

#define GET_Z(k, re, im)                                                                           \
    do {                                                                                           \
        private float *p = at + 2 * APART(k, SPAN);                                                \
        re = NEAR(p), im = NEAR(p + LANES);                                                        \
    } while (0)
/* Times exp(-2 pi i k n / (SPAN R)), from the table: (R - 1) SPAN cosines, then as many sines. */
#define PUT_Z(k, re, im)                                                                           \
    do {                                                                                           \
        private float *p = at + 2 * APART(k, SPAN);                                                \
        V a = re, b = im;                                                                          \
        if (k) times(&a, &b, w[((k) - 1) * SPAN + n], w[(RADIX - 1 + (k) - 1) * SPAN + n]);        \
        NEAR(p) = a, NEAR(p + LANES) = b;                                                          \
    } while (0)
#define PUT_Y(k, re, im)                                                                           \
    do {                                                                                           \
        global Y_TYPE *p = y + (long)(CHANNEL(n) + (k) * (N_C / RADIX)) * Y_STRIDE_C;              \
        STREAM(LOWER(re, im), (global float *)p);                                                  \
        STREAM(UPPER(re, im), (global float *)p + LANES);                                          \
    } while (0)
#define PUT_R(k, re, im)                                                                           \
    do {                                                                                           \
        private float *p = row + 2 * AT(CHANNEL(n) + (k) * (N_C / RADIX));                         \
        NEAR(p) = LOWER(re, im), NEAR(p + LANES) = UPPER(re, im);                                  \
    } while (0)

/* In place, over `count` transforms of radix * span numbers. */
#define MIDDLE_PASS(radix, count, span, weights)                                                   \
    do {                                                                                           \
        enum { RADIX = radix, SPAN = span };                                                       \
        global const float *w = FACTORS + (weights);                                               \
        for (int v = 0; v < ROWS; v += LANES)                                                      \
            for (int part = 0; part < count; part++)                                               \
                for (int n = 0; n < SPAN; n++) {                                                   \
                    private float *at = tile + 2 * v + 2 * AT(part * RADIX * SPAN + n);            \
                    RUN(radix, GET_Z, PUT_Z, NOTHING);                                             \
                }                                                                                  \
    } while (0)
#define LAST_PASS(radix, GET, PUT)                                                                 \
    do {                                                                                           \
        enum { RADIX = radix, SPAN = 1 };                                                          \
        for (int n = 0; n < N_C / RADIX; n++)                                                      \
            for (int v = 0; v < ROWS; v += LANES) {                                                \
                global Y_TYPE *y = to + v;                                                         \
                private float *z = tile + 2 * v, *at = z + 2 * AT(n * RADIX), *row = out + 2 * v;  \
                RUN(radix, GET, PUT, NOTHING);                                                     \
            }                                                                                      \
    } while (0)
