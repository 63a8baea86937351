/* products.cl: a work-item, or a group of them, packs a box of all products of the input, makes the output's
 * of it, and stores these. SUMS(n) is emitted by products_emit.c: each product of place n in the box, as a sum
 * of the input's, with factors as literals. */

#define BOX (TILE_B * TILE_D * TILE_T * TILE_C)

/* i v */
#define ROTATED(v) ((float2)(-(v).y, (v).x))

kernel void products(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    R_SPACE R_TYPE r[R_SIZE] __attribute__((aligned(64)));
    const int c = get_group_id(0) * TILE_C, t = get_group_id(1) * TILE_T;
    const int series = get_group_id(2), boxes = (X_N_D + TILE_D - 1) / TILE_D;
    const int b = series / boxes * TILE_B, d = series % boxes * TILE_D;
    PACK_A(a, b, d, 0, t, c);
    CT_BARRIER;
    for (int n = CT_LID; n < BOX; n += CT_ITEMS) {
        SUMS(n);
    }
    CT_BARRIER;
    STORE_R(r, b, d, 0, t, c);
}
