/* correlator.cl: V[m][l][c][ab] = sum_t x_j[b] conj(x_i[a]). See README.md. */

#define SAMPLES (X_N_T / Y_N_T)

#if Y_IS_ci32
typedef int2 sum_t;
#define LOAD(s, p, t, c) convert_int2(X_LOAD(s, p, t, c))
#define ADD(m, l, c, q, v) Y(m, l, c, q) = CT_ADD ? Y(m, l, c, q) + (v) : (v)
#else
typedef float2 sum_t;
#define LOAD(s, p, t, c) X_LOAD(s, p, t, c)
#define ADD(m, l, c, q, v) Y(m, l, c, q) = CT_ADD ? Y(m, l, c, q) + (v) : (v)
#endif

#if HAVE_M
#define FLAGGED(t) (M(i, t) || M(j, t))
#else
#define FLAGGED(t) 0
#endif

kernel void correlator(CT_ARGS)
{
    const int c = get_global_id(0), l = get_global_id(1), m = get_global_id(2);
    int j = 0;
    while ((j + 1) * (j + 2) / 2 <= l)
        j++;
    const int i = l - j * (j + 1) / 2;
    for (int a = 0; a < X_N_P; a++)
        for (int b = 0; b < X_N_P; b++) {
            sum_t sum = 0;
            for (int t = m * SAMPLES; t < (m + 1) * SAMPLES; t++) {
                if (FLAGGED(t))
                    continue;
                const sum_t xj = LOAD(j, b, t, c), xi = LOAD(i, a, t, c);
                sum += (sum_t)(xj.x * xi.x + xj.y * xi.y, xj.y * xi.x - xj.x * xi.y);
            }
            ADD(m, l, c, a * X_N_P + b, sum);
        }
    if (c == 0) {
        uint count = 0;
        for (int t = m * SAMPLES; t < (m + 1) * SAMPLES; t++)
            count += !FLAGGED(t);
        COUNTS(m, l) = CT_ADD ? COUNTS(m, l) + count : count;
    }
}
