/* transpose.cl: moves words as integers, so that every bit pattern survives. The whole copy is
 * generated for the step's two layouts (CT_TRANSPOSE; see docs/generator.md). */

kernel void transpose(CT_ARGS)
{
    CT_TRANSPOSE_TILE;
    CT_TRANSPOSE(X_data, Y_data);
}
