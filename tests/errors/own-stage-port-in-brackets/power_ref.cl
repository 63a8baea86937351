/* power_ref.cl: what is right, as plain as can be: `cornerturn verify` compares with it. What X_LOAD
 * gives is double here. */
kernel void power_reference(CT_ARGS)
{
    double sum = 0;
    for (int k = 0; k < P_SUM; k++) {
        const double2 x = X_LOAD(ID_S, ID_P, ID_T * P_SUM + k);
        sum += x.x * x.x + x.y * x.y;
    }
    Y_SAVE(ID_S, ID_P, ID_T, sum);
}
