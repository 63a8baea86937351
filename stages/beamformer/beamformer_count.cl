/* beamformer_count.cl: how many stations went into the beams, sample by sample; those that did not are
 * 0 in X. Put before beamformer.cl where it is asked for. */
#if HAVE_M
#define LEFT_OUT(s, t, c) ((M(s, t, c) & 3) == 1) /* missing, within the stream */
#else
#define LEFT_OUT(s, t, c) 0
#endif

kernel void beamformer_count(CT_ARGS)
{
    const int c = get_global_id(0), t = get_global_id(1);
    uint stations = 0;
    for (int s = 0; s < X_N_S; s++)
        stations += !LEFT_OUT(s, t, c);
    COUNTS(t, c) = stations;
}
