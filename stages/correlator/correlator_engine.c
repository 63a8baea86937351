/* correlator_engine.c: which arithmetic makes the sums.
 * Room: stages/correlator. Knows only cornerturn_stage.h. The device's own compiler says which
 * instructions it takes. */
#include "correlator.h"
#include "correlator_dp4a_cl.h"
#include "correlator_vnni_cl.h"
#include <stdio.h>

/* Beyond plain arithmetic, what DOT4_BY of correlator_dp4a.cl needs. */
static const char *const dot4_ways[] = {NULL, "cl_khr_integer_dot_product", "ptx_dp4a"};
enum { DOT4_WAYS = sizeof dot4_ways / sizeof *dot4_ways };

ct_correlator_engine ct_correlator_engine_of(const ct_step *step)
{
    const ct_type sums = step->port[CT_CORRELATOR_Y].type;
    if ((sums != CT_CI32 && sums != CT_CI64) || !ct_step_tunable(step, "DOT"))
        return CT_CORRELATOR_PLAIN;
    return ct_step_tunable(step, "WG") == 1 ? CT_CORRELATOR_VNNI : CT_CORRELATOR_DP4A;
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

ct_correlator_engine ct_correlator_engine_suggest(const ct_step *step)
{
    const ct_type sums = step->port[CT_CORRELATOR_Y].type;
    if (sums != CT_CI32 && sums != CT_CI64) return CT_CORRELATOR_PLAIN;
    if (ct_correlator_engine_takes_vnni(step)) return CT_CORRELATOR_VNNI;
    if (sums == CT_CI32 && step->gpu && ct_correlator_engine_dot4(step)) return CT_CORRELATOR_DP4A;
    return CT_CORRELATOR_PLAIN;
}
