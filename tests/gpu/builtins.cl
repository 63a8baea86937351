/* builtins.cl: what kernels call of OpenCL C, for tests/gpu/gpu_test.sh: a driver links its own library of
 * them; without one every call would stay a call, and registers would be those of calls. */

#define DEFINE __attribute__((overloadable, always_inline))

/* ---- work-items */

#define BY_DIMENSION(name, type, x, y, z)                                                          \
    type DEFINE name(uint dimension) { return dimension == 0 ? x : dimension == 1 ? y : z; }

#ifdef __AMDGCN__
#define DISPATCH ((constant ushort *)__builtin_amdgcn_dispatch_ptr()) /* hsa_kernel_dispatch_packet_t */
#define TOTAL ((constant uint *)__builtin_amdgcn_dispatch_ptr())
BY_DIMENSION(get_local_id, size_t, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
             __builtin_amdgcn_workitem_id_z())
BY_DIMENSION(get_group_id, size_t, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
             __builtin_amdgcn_workgroup_id_z())
BY_DIMENSION(get_local_size, size_t, DISPATCH[2], DISPATCH[3], DISPATCH[4])
BY_DIMENSION(get_global_size, size_t, TOTAL[3], TOTAL[4], TOTAL[5])
BY_DIMENSION(get_num_groups, size_t, TOTAL[3] / DISPATCH[2], TOTAL[4] / DISPATCH[3], TOTAL[5] / DISPATCH[4])
#define BARRIER                                                                                    \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                         \
    __builtin_amdgcn_s_barrier();                                                                  \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")
#else
BY_DIMENSION(get_local_id, size_t, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(),
             __nvvm_read_ptx_sreg_tid_z())
BY_DIMENSION(get_group_id, size_t, __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(),
             __nvvm_read_ptx_sreg_ctaid_z())
BY_DIMENSION(get_local_size, size_t, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(),
             __nvvm_read_ptx_sreg_ntid_z())
BY_DIMENSION(get_num_groups, size_t, __nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(),
             __nvvm_read_ptx_sreg_nctaid_z())
size_t DEFINE get_global_size(uint dimension) { return get_num_groups(dimension) * get_local_size(dimension); }
#define BARRIER __asm__ volatile("bar.sync 0;" ::: "memory")
#endif

size_t DEFINE get_global_id(uint dimension)
{
    return get_group_id(dimension) * get_local_size(dimension) + get_local_id(dimension);
}

void DEFINE __attribute__((convergent)) barrier(cl_mem_fence_flags flags) { BARRIER; }

/* ---- arithmetic */

#define FMA_LANE(i) __builtin_fmaf(a[i], b[i], c[i])
float DEFINE rint(float a) { return __builtin_rintf(a); }
float DEFINE fabs(float a) { return __builtin_fabsf(a); }
float DEFINE fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
float2 DEFINE fma(float2 a, float2 b, float2 c) { return (float2)(FMA_LANE(0), FMA_LANE(1)); }
#define FMA_HALVES(type)                                                                           \
    type DEFINE fma(type a, type b, type c) { return (type)(fma(a.lo, b.lo, c.lo), fma(a.hi, b.hi, c.hi)); }
FMA_HALVES(float4)
FMA_HALVES(float8)
FMA_HALVES(float16)

float DEFINE dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
float DEFINE sqrt(float x) { return __builtin_sqrtf(x); }
float DEFINE clamp(float x, float low, float high) { return __builtin_fminf(__builtin_fmaxf(x, low), high); }

#define ORDER(type)                                                                                \
    type DEFINE min(type a, type b) { return a < b ? a : b; }                                      \
    type DEFINE max(type a, type b) { return a > b ? a : b; }
ORDER(int) ORDER(uint) ORDER(long) ORDER(ulong)

/* ---- conversions */

#define CONVERT_ONE(to, from) to DEFINE convert_##to(from x) { return (to)x; }
#define CONVERT_MANY(to, from) to DEFINE convert_##to(from x) { return __builtin_convertvector(x, to); }
#define CONVERT_EACH(to, from)                                                                     \
    CONVERT_ONE(to, from)                                                                          \
    CONVERT_MANY(to##2, from##2) CONVERT_MANY(to##4, from##4)                                      \
    CONVERT_MANY(to##8, from##8) CONVERT_MANY(to##16, from##16)
#define CONVERT(to)                                                                                \
    CONVERT_EACH(to, char) CONVERT_EACH(to, uchar) CONVERT_EACH(to, short) CONVERT_EACH(to, ushort) \
    CONVERT_EACH(to, int) CONVERT_EACH(to, uint) CONVERT_EACH(to, long) CONVERT_EACH(to, float)
CONVERT(char) CONVERT(uchar) CONVERT(short) CONVERT(ushort)
CONVERT(int) CONVERT(uint) CONVERT(long) CONVERT(float)

char DEFINE convert_char_sat_rte(float x)
{
    return (char)__builtin_fminf(__builtin_fmaxf(rint(x), -128.0f), 127.0f);
}
uchar DEFINE convert_uchar_sat_rte(float x)
{
    return (uchar)__builtin_fminf(__builtin_fmaxf(rint(x), 0.0f), 255.0f);
}
short DEFINE convert_short_sat_rte(float x)
{
    return (short)__builtin_fminf(__builtin_fmaxf(rint(x), -32768.0f), 32767.0f);
}
char2 DEFINE convert_char2_sat_rte(float2 x)
{
    return (char2)(convert_char_sat_rte(x.x), convert_char_sat_rte(x.y));
}

/* ---- vectors at any element's place */

#define MOVE_IN(space, type, n)                                                                    \
    type##n DEFINE vload##n(size_t at, const space type *from)                                     \
    {                                                                                              \
        return *(const space type##n##_any *)(from + at * n);                                      \
    }
#define MOVE_OUT(space, type, n)                                                                   \
    void DEFINE vstore##n(type##n x, size_t at, space type *to)                                    \
    {                                                                                              \
        *(space type##n##_any *)(to + at * n) = x;                                                 \
    }
#define ANYWHERE(type, n)                                                                          \
    typedef type##n type##n##_any __attribute__((aligned(sizeof(type))));
#define MOVE_ANY(space, type)                                                                      \
    MOVE_IN(space, type, 2) MOVE_IN(space, type, 4) MOVE_IN(space, type, 8) MOVE_IN(space, type, 16) \
    MOVE_OUT(space, type, 2) MOVE_OUT(space, type, 4) MOVE_OUT(space, type, 8) MOVE_OUT(space, type, 16)
#define MOVE(type)                                                                                 \
    ANYWHERE(type, 2) ANYWHERE(type, 4) ANYWHERE(type, 8) ANYWHERE(type, 16)                       \
    MOVE_ANY(global, type) MOVE_ANY(local, type) MOVE_ANY(private, type)
MOVE(char) MOVE(uchar) MOVE(short) MOVE(ushort) MOVE(int) MOVE(uint) MOVE(float)

/* ---- what work-items of a group count together */

int DEFINE atomic_or(volatile local int *at, int bits) { return __sync_fetch_and_or(at, bits); }
int DEFINE atomic_inc(volatile local int *at) { return __sync_fetch_and_add(at, 1); }
uint DEFINE atomic_inc(volatile global uint *at) { return __sync_fetch_and_add(at, 1u); }
uint DEFINE atomic_add(volatile local uint *at, uint more) { return __sync_fetch_and_add(at, more); }
uint DEFINE atomic_min(volatile local uint *at, uint other) { return __sync_fetch_and_umin(at, other); }
