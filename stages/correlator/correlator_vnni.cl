/* correlator_vnni.cl: dot products of integers by one instruction per vector (x86, AVX-512 VNNI), and
 * the loop over time that correlator_bytes.cl and correlator_words.cl share.
 *
 * VNNI is 1 where the device's compiler takes the instructions: with PROBE this text is what it is
 * asked to build and run. Elsewhere the same sums are made by plain arithmetic. */

#define INLINE static inline __attribute__((always_inline))

/* Adds four products of an unsigned and a signed byte to each lane. */
INLINE int16 plain4(int16 sum, const int16 unsigned_bytes, const int16 signed_bytes)
{
    #pragma unroll
    for (int byte = 0; byte < 32; byte += 8)
        sum += ((unsigned_bytes >> byte) & 255) * ((signed_bytes << (24 - byte)) >> 24);
    return sum;
}

/* Adds two products of 16-bit words to each lane, modulo 2^32. */
INLINE int16 plain2(const int16 sum, const int16 a, const int16 b)
{
    const int16 low = ((a << 16) >> 16) * ((b << 16) >> 16), high = (a >> 16) * (b >> 16);
    return as_int16(as_uint16(sum) + as_uint16(low) + as_uint16(high));
}

#if VNNI && defined(__x86_64__)
INLINE int16 dot4(int16 sum, const int16 unsigned_bytes, const int16 signed_bytes)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(unsigned_bytes), "v"(signed_bytes));
    return sum;
}

INLINE int16 dot2(int16 sum, const int16 a, const int16 b)
{
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
}
#else
#define dot4 plain4
#define dot2 plain2
#endif

#ifdef PROBE

kernel void probe(global int *answer)
{
#ifndef dot4
    const int16 odd = (int16)(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    const int16 a = odd * (int)0x80ff017f, b = (int16)((int)0x80008000), sum = a ^ *answer;
    *answer = all(dot4(sum, a, a) == plain4(sum, a, a)) &&
              all(dot2(sum, a, b) == plain2(sum, a, b)) &&
              all(dot2(sum, b, b) == plain2(sum, b, b));
#endif
}

#else

#define PANEL (VECTORS_SP * VECTOR_SP) /* rows j of a cell */

/* a0 b0 a1 b1 ..: sums of real and of imaginary parts become complex numbers. */
#define ZIP_LOW(a, b) ((int16)((a).lo, (b).lo).s08192a3b4c5d6e7f)
#define ZIP_HIGH(a, b) ((int16)((a).hi, (b).hi).s08192a3b4c5d6e7f)

/* Adds `steps` steps in time of CELL_SP rows i, as they are and rotated, times the vectors from
 * `first` on of a panel of rows j: of bytes, where j becomes unsigned by adding 128, or of words.
 */
INLINE void accumulate(const int16 *restrict j, const int *restrict i, const int *restrict rotated,
                       const int steps, const int first, const int words,
                       int16 re[CELL_SP][VECTORS_SP], int16 im[CELL_SP][VECTORS_SP])
{
    for (int t = 0; t < steps; t++, j += VECTORS_SP, i += PANEL, rotated += PANEL) {
        #pragma unroll
        for (int w = first; w < VECTORS_SP; w++) {
            const int16 x = words ? j[w] : j[w] ^ (int)0x80808080;
            #pragma unroll
            for (int h = 0; h < CELL_SP; h++) {
                re[h][w] = words ? dot2(re[h][w], x, (int16)(i[h])) : dot4(re[h][w], x, (int16)(i[h]));
                im[h][w] = words ? dot2(im[h][w], x, (int16)(rotated[h]))
                                 : dot4(im[h][w], x, (int16)(rotated[h]));
            }
        }
    }
}

#endif
