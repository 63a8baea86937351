/* limits.cl: kernels that do one thing as often as the device can. A work-item is one group on a
 * CPU (VECTOR_T elements in explicit vectors), one element on a GPU. */

#if VECTOR_T == 1
typedef float real;
typedef int whole;
#define REAL_LOAD(i, p) (p)[i]
#define REAL_STORE(v, i, p) (p)[i] = (v)
#define AS_REAL as_float
#else
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, VECTOR_T) real;
typedef JOIN(int, VECTOR_T) whole;
#define REAL_LOAD JOIN(vload, VECTOR_T)
#define REAL_STORE JOIN(vstore, VECTOR_T)
#define AS_REAL JOIN(as_float, VECTOR_T)
#endif

#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STORE_NONTEMPORAL(value, place) __builtin_nontemporal_store(value, place)
#endif
#endif
#ifndef STORE_NONTEMPORAL
#define STORE_NONTEMPORAL(value, place) *(place) = (value)
#endif

#define ITEM (ID_T)

/* Twelve chains hide the latency of four cycles in two pipes, and leave registers for the rest. */
#define TWELVE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

#define SUM(n) +sum##n

CT_GROUP kernel void fma_f32(CT_ARGS)
{
    const real scale = REAL_LOAD(0, X_data), offset = REAL_LOAD(1, X_data);
#define START(n) real sum##n = offset + (float)n;
#define STEP(n) sum##n = sum##n * scale + offset;
    TWELVE(START)
    for (int i = 0; i < P_LOOPS; i++) {
        TWELVE(STEP)
    }
    REAL_STORE(TWELVE(SUM), ITEM, Y_data);
#undef START
#undef STEP
}

/* Products of four bytes, or of two shorts, and their sum into each 32-bit lane. DOT_WIDTH says what
 * the host's processor has: OpenCL's compiler does not. */
#if GPU && defined(__NV_CL_C_VERSION)
#define DOT_I8(s, a, b) asm volatile("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(s) : "r"(a), "r"(b));
#elif DOT_WIDTH == 16 && VECTOR_T == 16
#define DOT_I8(s, a, b) __asm__ volatile("vpdpbusd %2, %1, %0" : "+v"(s) : "v"(a), "v"(b));
#define DOT_I16(s, a, b) __asm__ volatile("vpdpwssd %2, %1, %0" : "+v"(s) : "v"(a), "v"(b));
#endif

#if P_KIND_IS_dot_i8 && defined(DOT_I8)
#define DOT DOT_I8
#elif P_KIND_IS_dot_i16 && defined(DOT_I16)
#define DOT DOT_I16
#endif

#ifdef DOT
CT_GROUP kernel void dot_integer(CT_ARGS)
{
    const whole a = (whole)(int)X_data[0], b = (whole)(int)X_data[1];
#define START(n) whole sum##n = a + n;
#define STEP(n) DOT(sum##n, a, b)
    TWELVE(START)
    for (int i = 0; i < P_LOOPS; i++) {
        TWELVE(STEP)
    }
    const whole sum = TWELVE(SUM);
    REAL_STORE(AS_REAL(sum), ITEM, Y_data);
#undef START
#undef STEP
}
#elif P_KIND_IS_dot_i8 || P_KIND_IS_dot_i16
#error no integer dot product of this width is known here
#endif

/* TILE_T elements per work-item; neighbours of a group take neighbouring vectors. */
CT_GROUP kernel void copy(CT_ARGS)
{
    const int items = get_local_size(0), base = get_group_id(0) * items * (TILE_T / VECTOR_T);
    const global real *from = (const global real *)X_data + base + get_local_id(0);
    global real *to = (global real *)Y_data + base + get_local_id(0);
    for (int i = 0; i < TILE_T / VECTOR_T; i++) {
#if P_KIND_IS_nt_copy
        STORE_NONTEMPORAL(from[i * items], to + i * items);
#else
        to[i * items] = from[i * items];
#endif
    }
}

/* Every work-item reads the whole tile, eight vectors at once. */
#define TILE 256
#define EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
CT_GROUP kernel void local_read(CT_ARGS)
{
    local real tile[TILE];
    const int me = get_local_id(0), items = get_local_size(0);
    for (int i = me; i < TILE; i += items)
        tile[i] = REAL_LOAD(i % 64, X_data);
#if WG > 1
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#define START(n) real sum##n = 0.0f;
#define STEP(n) sum##n += tile[(i + n + me) % TILE];
    EIGHT(START)
    for (int k = 0; k < P_LOOPS; k++)
        for (int i = 0; i < TILE; i += 8) {
            EIGHT(STEP)
        }
    REAL_STORE(EIGHT(SUM), ITEM, Y_data);
}
