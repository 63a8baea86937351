/* transpose.cl: moves words as integers, so that every bit pattern survives. The whole copy is
 * generated for the step's two layouts (CT_TURN; see docs/generator.md). */

kernel void transpose(CT_ARGS)
{
    CT_TURN_TILE;
    CT_TURN(X_data, Y_data);
}
