/* dedisp_count.cl: how many samples of channels went into each sum. Put before dedisp.cl, behind RANGE,
 * where it is asked for. */
#define STATION (M_N_S > 1 ? b : 0) /* beams are flagged together */

/* Samples of channels that went into a sum; those that did not are 0 in X. */
kernel void dedisp_count(CT_ARGS)
{
    const int t = get_global_id(0), d = get_global_id(1), b = get_global_id(2);
    int r = 0;
    while (d > RANGE[r][LAST])
        r++;
    const int downsample = RANGE[r][HOLD] * DECIMATE, sample = t / RANGE[r][HOLD];
    uint valid = 0;
    for (int c = 0; c < X_N_C; c++) {
        const int shift = SHIFT(d, c);
        for (int k = 0; shift >= 0 && k < downsample; k++)
            valid += !M_MISSING(STATION, (sample + shift) * downsample + k, c);
    }
    COUNTS(b, d, t) = valid;
}
