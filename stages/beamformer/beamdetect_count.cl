/* beamdetect_count.cl: how many samples went into each sum: those that some station had. Put before
 * beamformer.cl where it is asked for. */
#if HAVE_M
#define STATION_FLAGS(s, t, c) M(s, t, c)
#else
#define STATION_FLAGS(s, t, c) 0
#endif

/* All beams are of the same stations. */
kernel void beamdetect_count(CT_ARGS)
{
    const int c = get_global_id(0), t = get_global_id(1);
    uint valid = 0;
    for (int k = 0; k < DECIMATE; k++) {
        int all = 3;
        for (int s = 0; s < X_N_S; s++)
            all &= STATION_FLAGS(s, t * DECIMATE + k, c);
        valid += all != 1; /* missing, within the stream */
    }
    for (int b = 0; b < COUNTS_N_B; b++)
        COUNTS(b, t, c) = valid;
}
