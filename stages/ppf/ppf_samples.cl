/* LANES samples of any type, from wherever they begin, as real and imaginary parts. X_SAMPLES: as they
 * are in X; TILE_SAMPLES: in a tile, where nibbles are bytes. AREA is the address space. */
INLINE void part_nibbles(const char16 pairs, V *re, V *im) /* low real, high imaginary, both signed */
{
    const int16 both = convert_int16(pairs);
    *re = convert_float16((both << 28) >> 28);
    *im = convert_float16(both >> 4);
}
INLINE void part_bytes(const short16 pairs, V *re, V *im)
{
    const int16 both = convert_int16(pairs);
    *re = convert_float16((both << 24) >> 24);
    *im = convert_float16(both >> 8);
}
INLINE void part_shorts(const int16 both, V *re, V *im)
{
    *re = convert_float16((both << 16) >> 16);
    *im = convert_float16(both >> 16);
}

#if X_IS_ci4
typedef char16 NIBBLES __attribute__((aligned(1)));
#endif
#if X_IS_ci4 || X_IS_ci8
typedef short16 PAIRS __attribute__((aligned(1)));
#define TILE_SAMPLES(AREA, p, re, im) part_bytes(*(AREA const PAIRS *)(p), &re, &im)
#elif X_IS_ci16
typedef int16 PAIRS __attribute__((aligned(2)));
#define TILE_SAMPLES(AREA, p, re, im) part_shorts(*(AREA const PAIRS *)(p), &re, &im)
#elif X_IS_cf32
#define TILE_SAMPLES(AREA, p, re, im)                                                              \
    do {                                                                                           \
        const V a = ((AREA const V_NEAR *)(p))[0], b = ((AREA const V_NEAR *)(p))[1];              \
        re = SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);             \
        im = SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);             \
    } while (0)
#else
#if X_IS_i8
typedef char16 REALS __attribute__((aligned(1)));
#elif X_IS_i16
typedef short16 REALS __attribute__((aligned(2)));
#else
typedef float16 REALS __attribute__((aligned(4)));
#endif
#define TILE_SAMPLES(AREA, p, re, im) re = convert_float16(*(AREA const REALS *)(p)), im = 0.0f
#endif
#if X_IS_ci4
#define X_SAMPLES(AREA, p, re, im) part_nibbles(*(AREA const NIBBLES *)(p), &re, &im)
#else
#define X_SAMPLES TILE_SAMPLES
#endif
