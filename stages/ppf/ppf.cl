/* Poly-phase filter bank: y[t] = DFT over c of sum_k W[k][c] x[(t + k) N + c].
 *
 * A work-item makes TILE_S x TILE_P x TILE_T spectra of one subband, as if there were no others: `spectra` stands in ppf_channels.cl where a
 * vector's lanes are channels, in ppf_spectra.cl where they are spectra, in ppf_plain.cl where there are
 * no vectors. The passes of the transform are those of stages/fft. On GPUs the
 * kernel is that of ppf_group.cl. */
#if !GPU
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void ppf(CT_ARGS)
{
    const int t = get_global_id(0) * REACH_T, p = get_global_id(1) * TILE_P,
              s = get_global_id(2) / X_N_F * TILE_S, f = get_global_id(2) % X_N_F;
    if (WG > 1 && t >= Y_N_T) return;
    spectra(X_data + (long)f * X_STRIDE_F, Y_data + (long)f * N_C * Y_STRIDE_C, W_data, F_data, PART ? s : START(s, TILE_S, Y_N_S),
            START(p, TILE_P, Y_N_P), START(t, REACH_T, Y_N_T));
}
#endif
