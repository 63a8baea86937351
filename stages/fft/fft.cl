/* The FFT without a library. A work-item makes a tile of spectra, each LANES of them side by side
 * (fft_rows.cl), or one after the other where their channels are contiguous on both sides
 * (fft_channels.cl). They are of one subband, as if there were no others. Radices and the like are defined
 * by fft_emit.c. On GPUs the kernel is that of fft_group_rows.cl. */
#if !GPU || !ENGINE_IS_native
#if ENGINE_IS_native && !CLIPS /* the last tile moves back, or of stations leaves PART of a vector */
#define START(first, tile, extent) min((first), (extent) - (tile))
#else
#define START(first, tile, extent) (first)
#endif
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fft(CT_ARGS)
{
#if ENGINE_IS_native
    const int t = get_global_id(0) * TILE_T, p = get_global_id(1) * TILE_P,
              s = get_global_id(2) / N_F * TILE_S, f = get_global_id(2) % N_F;
    transform_tile(X_data + (long)f * X_STRIDE_F, Y_data + (long)f * N_C * Y_STRIDE_C, W_data,
                   PART ? s : START(s, TILE_S, Y_N_S), START(p, TILE_P, Y_N_P), START(t, TILE_T, Y_N_T));
#endif
}
#endif
