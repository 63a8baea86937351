/* columns.cl: tiles of which each column, the samples of one channel or trial, is worked on by itself, for stages
 * with a port X, flags M, a tile A of X, and tunables TILE_T, TILE_C and WG. The stage defines BY_TRIAL: 1
 * where columns are trials.
 *
 * What has no say is not finite in a tile, and what is no number stays so until it is stored. */

#if WG > 1
#define LANES 1
typedef float lanes;
#define LOAD(at) (*(at))
#else
#define LANES 16
typedef float16 lanes;
#define LOAD(at) (*(A_SPACE const lanes *)(at))
static inline float total(const lanes x)
{
    const float8 a = x.lo + x.hi;
    const float4 b = a.lo + a.hi;
    return (b.x + b.z) + (b.y + b.w);
}
#endif

#define IS_FINITE(x) (fabs(x) <= MAXFLOAT)
#define EITHER(holds, a, b) ((holds) ? (lanes)(a) : (lanes)(b))

/* A tile's rows: times side by side, or columns. */
#define ALONG_T (WG > 1 || X_FASTEST == DIM_T)
#define FAST (ALONG_T ? TILE_T : TILE_C)
#define SLOW (ALONG_T ? TILE_C : TILE_T)
#define X_COLUMNS (BY_TRIAL ? X_N_D : X_N_C)

#if BY_TRIAL
#define PACK_COLUMNS(a, b, q, t, c) PACK_A(a, b, q, c, t, 0)
#define STORE_COLUMNS(a, b, q, t, c) STORE_R(a, b, q, c, t, 0)
#else
#define PACK_COLUMNS(a, b, q, t, c) PACK_A(a, b, q, 0, t, c)
#define STORE_COLUMNS(a, b, q, t, c) STORE_R(a, b, q, 0, t, c)
#endif

/* A work-item of a group works on one column, a single one on all of the tile. */
#if WG > 1
#define COLUMNS 1
#elif ALONG_T
#define ROWS TILE_C
#define EACH (TILE_T / LANES)
#define COLUMNS TILE_C
#define COLUMN(row, v) (row)
#define ELEMENT(row, v) A_AT(row, (v) * LANES)
#else
#define ROWS TILE_T
#define EACH (TILE_C / LANES)
#define COLUMNS (TILE_C / LANES)
#define COLUMN(row, v) (v)
#define ELEMENT(row, v) A_AT(row, (v) * LANES)
#endif

/* Over the lanes, where these are times of one column. */
#if ALONG_T && LANES > 1
#define WHOLE(x) ((lanes)total(x))
#else
#define WHOLE(x) (x)
#endif

#if HAVE_M
#define STATION(b) (M_N_S > 1 ? (b) : 0)
#define FLAGS global const M_TYPE *restrict M_data
#define FLAGS_DATA M_data

/* The tile's times and columns that are inside the array, from t and c on, become no number where flagged. */
static inline void leave_out(A_SPACE A_TYPE *a, FLAGS, const int s, const int t, const int c)
{
#if M_STRIDE_C == 0
    for (int n = CT_LID; n < TILE_T; n += CT_ITEMS)
        if (t + n < X_N_T && M_LEFT_OUT(s, t + n, 0))
            for (int k = 0; k < TILE_C; k++)
                a[ALONG_T ? A_AT(k, n) : A_AT(n, k)] = NAN;
#else
    for (int n = CT_LID; n < SLOW * (FAST / LANES); n += CT_ITEMS) {
        const int row = n / (FAST / LANES), place = n % (FAST / LANES) * LANES;
        const int t0 = t + (ALONG_T ? place : row), c0 = c + (ALONG_T ? row : place);
#if LANES > 1
        const bool inside = ALONG_T ? M_STRIDE_T == 1 && t0 + LANES <= X_N_T && c0 < X_N_C
                                    : M_STRIDE_C == 1 && c0 + LANES <= X_N_C && t0 < X_N_T;
        if (inside) {
            const ulong2 any = as_ulong2(vload16(0, &M(s, t0, c0)));
            if ((any.x | any.y) == 0) continue;
        }
#endif
        for (int lane = 0; lane < LANES; lane++) {
            const int tn = t0 + (ALONG_T ? lane : 0), cn = c0 + (ALONG_T ? 0 : lane);
            if (tn < X_N_T && cn < X_N_C && M_LEFT_OUT(s, tn, cn)) a[A_AT(row, place + lane)] = NAN;
        }
    }
#endif
    CT_BARRIER;
}
#else
#define STATION(b) 0
#define FLAGS_DATA 0
#define leave_out(a, m, s, t, c)
#endif

/* A work-item of a group has one column, and no need of a tile: neighbours read neighbours. */
#if WG > 1
#if BY_TRIAL
#define VALUE(s, b, q, t, k) (M_LEFT_OUT(s, t, 0) ? NAN : X_LOAD(b, q, k, t, 0))
#define SAVE_COLUMN(b, q, t, k, value) Y_SAVE(b, q, k, t, 0, value)
#else
#define VALUE(s, b, q, t, k) (M_LEFT_OUT(s, t, k) ? NAN : X_LOAD(b, q, 0, t, k))
#define SAVE_COLUMN(b, q, t, k, value) Y_SAVE(b, q, 0, t, k, value)
#endif
#endif
