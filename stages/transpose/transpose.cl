/* transpose.cl: moves elements as integers, so that every bit pattern survives.
 * The definitions TURN_* are written by transpose.c for the step's two layouts. */

kernel void transpose(CT_ARGS)
{
    global const TURN_WORD *from = (global const TURN_WORD *)X_data;
    global TURN_WORD *to = (global TURN_WORD *)Y_data;
    const size_t id = get_global_id(0);
    to[TURN_TO(id)] = from[TURN_FROM(id)];
}
