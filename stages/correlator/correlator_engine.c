/* correlator_engine.c: which arithmetic makes the sums.
 * Room: stages/correlator. Knows only cornerturn_stage.h. The device's own compiler says which
 * instructions it takes. */
#include "correlator.h"
#include "correlator_amx_cl.h"
#include "correlator_dp4a_cl.h"
#include "correlator_mma_cl.h"
#include "correlator_vnni_cl.h"
#include <stdio.h>
#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#define AMX_CAN_BE 1
#endif

/* Beyond plain arithmetic, what DOT4_BY of correlator_dp4a.cl needs. */
static const char *const dot4_ways[] = {NULL, "cl_khr_integer_dot_product", "ptx_dp4a"};
enum {
    DOT4_WAYS = sizeof dot4_ways / sizeof *dot4_ways,
    AMX_LEAST = 16, /* times that are worth a step of 32 */
    MMA_LEAST = 8   /* of 16 */
};

ct_correlator_engine ct_correlator_engine_of(const ct_step *step)
{
    const ct_type sums = step->port[CT_CORRELATOR_Y].type;
    if ((sums != CT_CI32 && sums != CT_CI64) || !ct_step_tunable(step, "DOT"))
        return CT_CORRELATOR_PLAIN;
    const bool matrices = ct_step_tunable(step, "DOT") == 2;
    if (ct_step_tunable(step, "WG") > 1) return matrices ? CT_CORRELATOR_MMA : CT_CORRELATOR_DP4A;
    return matrices ? CT_CORRELATOR_AMX : CT_CORRELATOR_VNNI;
}

/* CPU devices are the host's own processor, which is asked first: a compiler may accept
 * instructions that the processor lacks, and prints errors about those that it does not accept. */
bool ct_correlator_engine_takes_vnni(const ct_step *step)
{
#if defined(__x86_64__)
    char text[sizeof correlator_vnni_cl + 128];
    if (step->gpu || !__builtin_cpu_supports("avx512vnni")) return false;
    snprintf(text, sizeof text, "// needs avx512vnni\n#define PROBE 1\n#define VNNI 1\n%s",
             correlator_vnni_cl);
    return ct_step_device_accepts(step, text);
#else
    (void)step;
    return false;
#endif
}

#if AMX_CAN_BE
/* The processor has tiles and multiplies bytes in them. */
static bool engine_has_amx(void)
{
    enum { LEAF = 7, TILE = 1 << 24, INT8 = 1 << 25 };
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(LEAF, 0, &eax, &ebx, &ecx, &edx) && (edx & TILE) && (edx & INT8);
}

/* Linux lets a process use tiles when it has asked; all of its threads then may, those too that run
 * already. No where the system does not know them, or a thread's stack for signals is too small. */
static bool engine_may_amx(void)
{
    enum { REQUEST = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA */
    return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}

bool ct_correlator_engine_takes_amx(const ct_step *step)
{
    char text[sizeof correlator_vnni_cl + sizeof correlator_amx_cl + 128];
    if (step->gpu || !engine_has_amx() || !engine_may_amx()) return false;
    snprintf(text, sizeof text,
             "// needs amx_int8\n#define VECTORS_SP 2\n#define VECTOR_SP 16\n#define CELL_SP "
             "16\n#define VNNI 0\n%s\n"
             "#define PROBE 1\n#define AMX 1\n%s",
             correlator_vnni_cl, correlator_amx_cl);
    return ct_step_device_accepts(step, text);
}
#else
bool ct_correlator_engine_takes_amx(const ct_step *step)
{
    (void)step;
    return false;
}
#endif

/* The best way to make a dot product of four signed bytes; 0: plain arithmetic. A GPU's instruction
 * is not tried with a CPU's compiler, which would print errors. */
int ct_correlator_engine_dot4(const ct_step *step)
{
    char text[sizeof correlator_dp4a_cl + 128];
    for (int way = 1; way < (step->gpu ? DOT4_WAYS : 2); way++) {
        snprintf(text, sizeof text, "// needs %s\n#define PROBE 1\n#define DOT4_BY %d\n%s",
                 dot4_ways[way], way, correlator_dp4a_cl);
        if (ct_step_device_accepts(step, text)) return way;
    }
    return 0;
}

/* Not tried with a CPU's compiler either. */
bool ct_correlator_engine_takes_mma(const ct_step *step)
{
    char text[sizeof correlator_dp4a_cl + sizeof correlator_mma_cl + 128];
    if (!step->gpu) return false;
    snprintf(text, sizeof text,
             "// needs ptx_mma_s8\n#define DOT4_BY 0\n%s\n#define PROBE 1\n"
             "#define MMA 1\n%s",
             correlator_dp4a_cl, correlator_mma_cl);
    return ct_step_device_accepts(step, text);
}

/* Of bytes. */
static ct_correlator_engine engine_for_groups(const ct_step *step)
{
    const bool dot4 = ct_correlator_engine_dot4(step) != 0;
    if (ct_correlator_engine_takes_mma(step) && ct_correlator_term(step, "TIMES") > MMA_LEAST)
        return CT_CORRELATOR_MMA;
    return dot4 ? CT_CORRELATOR_DP4A : CT_CORRELATOR_PLAIN;
}

/* All are asked, so that a plan remembers the answers of those too that it does not take. */
ct_correlator_engine ct_correlator_engine_suggest(const ct_step *step)
{
    const ct_type sums = step->port[CT_CORRELATOR_Y].type;
    if (sums != CT_CI32 && sums != CT_CI64) return CT_CORRELATOR_PLAIN;
    const bool vnni = ct_correlator_engine_takes_vnni(step);
    if (sums == CT_CI32 && ct_correlator_engine_takes_amx(step) &&
        ct_correlator_term(step, "TIMES") > AMX_LEAST)
        return CT_CORRELATOR_AMX;
    if (vnni) return CT_CORRELATOR_VNNI;
    return sums == CT_CI32 && step->gpu ? engine_for_groups(step) : CT_CORRELATOR_PLAIN;
}

/* Where the device lacks what DOT asks for, the same sums are made by what it has. */
const char *ct_correlator_engine_note(const ct_step *step)
{
    const bool vnni = ct_correlator_engine_takes_vnni(step);
    switch (ct_correlator_engine_of(step)) {
    case CT_CORRELATOR_AMX:
        if (ct_correlator_engine_takes_amx(step)) return NULL;
        return vnni ? "DOT=2 without AMX: dot products instead"
                    : "DOT=2 without AMX: multiplications instead";
    case CT_CORRELATOR_VNNI:
        return vnni ? NULL : "DOT=1 without VNNI: multiplications instead";
    case CT_CORRELATOR_DP4A:
        return ct_correlator_engine_dot4(step) ? NULL
                                               : "DOT=1 without DP4A: multiplications instead";
    case CT_CORRELATOR_MMA:
        if (ct_correlator_engine_takes_mma(step)) return NULL;
        return ct_correlator_engine_dot4(step) ? "DOT=2 without MMA: dot products instead"
                                               : "DOT=2 without MMA: multiplications instead";
    default:
        return NULL;
    }
}
