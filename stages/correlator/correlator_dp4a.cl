/* correlator_dp4a.cl: the dot product of four signed bytes, for correlator_group.cl.
 *
 * DOT4_BY says what makes it: 1 the function of cl_khr_integer_dot_product, 2 NVIDIA's instruction,
 * 0 plain arithmetic. With PROBE this text is what the device's compiler is asked to build and run. */

#define INLINE static inline __attribute__((always_inline))

/* Adds four products. */
INLINE int plain4(int sum, const int a, const int b)
{
    #pragma unroll
    for (int byte = 0; byte < 32; byte += 8)
        sum += ((a << (24 - byte)) >> 24) * ((b << (24 - byte)) >> 24);
    return sum;
}

#if DOT4_BY == 1 && (defined(cl_khr_integer_dot_product) ||                                        \
                     defined(__opencl_c_integer_dot_product_input_4x8bit_packed))
INLINE int dot4(const int sum, const int a, const int b)
{
    return sum + dot_4x8packed_ss_int(as_uint(a), as_uint(b));
}
#elif DOT4_BY == 2 && (defined(__NV_CL_C_VERSION) || defined(__NVPTX__)) /* others do not know the instruction */
INLINE int dot4(const int sum, const int a, const int b)
{
    int result;
    __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
    return result;
}
#else
#define PLAIN4
#define dot4 plain4
#endif

/* [re, im] -> [~im, re] in both halves: -im - 1 exists for -128 too. */
INLINE int rotate_pairs(const int v)
{
    return ((v >> 8 & 0x00ff00ff) ^ 0x00ff00ff) | (v << 8 & (int)0xff00ff00);
}

#ifdef PROBE
kernel void probe(global int *answer)
{
#ifndef PLAIN4
    const int a = (int)0x80ff017f ^ *answer, b = (int)0x80808080, c = 0x7f80ff01;
    *answer = dot4(a, a, a) == plain4(a, a, a) && dot4(a, a, b) == plain4(a, a, b) &&
              dot4(b, c, a) == plain4(b, c, a);
#endif
}
#endif
