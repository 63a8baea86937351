/* beamformer_count.cl: how many stations went into the beams, sample by sample; those that did not are
 * 0 in X. Put before beamformer.cl where it is asked for. */

kernel void beamformer_count(CT_ARGS)
{
    const int c = get_global_id(0), t = get_global_id(1);
    uint stations = 0;
    for (int s = 0; s < X_N_S; s++)
        stations += !M_MISSING(s, t, c);
    COUNTS(t, c) = stations;
}
