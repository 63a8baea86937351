/* correlator_rows.cl: the tile that COMPUTE reads rows from as they are, by the names that correlator.cl
 * has for it. Put before correlator_plain.cl, correlator_pairs.cl and correlator_words.cl. */

#define PANELS A_N_S
#define TILE_SPACE A_SPACE
#define TILE_TYPE A_TYPE
#define TILE_SIZE A_SIZE
#define TILE_AT(c, s, t, p) A_AT(c, (s) / A_N_s, t, (s) % A_N_s, p)
#define PACK_TILE PACK_A
