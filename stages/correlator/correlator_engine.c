/* correlator_engine.c: which arithmetic makes the sums, and its text before the kernel.
 * Room: stages/correlator. Knows cornerturn.h alone. The device's own compiler says which
 * instructions it takes.
 * Called by: correlator_tune.c (what suits) while a plan is made, then correlator.c (emit). */
#include "correlator.h"
#include "correlator_bytes_cl.h"
#include "correlator_dp4a_cl.h"
#include "correlator_group_cl.h"
#include "correlator_plain_cl.h"
#include "correlator_vnni_cl.h"
#include "correlator_words_cl.h"
#include <stdio.h>

enum { DOT4_WAYS = 2 }; /* beyond plain arithmetic: see DOT4_BY in correlator_dp4a.cl */

ct_correlator_engine ct_correlator_engine_of(const ct_step *step)
{
    const ct_type sums = step->port[CT_CORRELATOR_Y].type;
    if ((sums != CT_CI32 && sums != CT_CI64) || !ct_step_tunable(step, "DOT"))
        return CT_CORRELATOR_PLAIN;
    return ct_step_tunable(step, "WG") == 1 ? CT_CORRELATOR_VNNI : CT_CORRELATOR_DP4A;
}

/* CPU devices are the host's own processor. A compiler may take what it then cannot run, and it
 * complains aloud of what it does not take: so neither is tried in vain. */
static bool takes_vnni(const ct_step *step)
{
#if defined(__x86_64__)
    char text[sizeof correlator_vnni_cl + 64];
    if (step->gpu || !__builtin_cpu_supports("avx512vnni")) return false;
    snprintf(text, sizeof text, "#define PROBE 1\n#define VNNI 1\n%s", correlator_vnni_cl);
    return ct_step_device_accepts(step, text);
#else
    (void)step;
    return false;
#endif
}

/* The best way to make a dot product of four signed bytes; 0: plain arithmetic. A CPU's compiler is
 * not asked for a GPU's instruction, of which it would complain aloud. */
static int dot4_way(const ct_step *step)
{
    char text[sizeof correlator_dp4a_cl + 64];
    for (int way = 1; way <= (step->gpu ? DOT4_WAYS : 1); way++) {
        snprintf(text, sizeof text, "#define PROBE 1\n#define DOT4_BY %d\n%s", way,
                 correlator_dp4a_cl);
        if (ct_step_device_accepts(step, text)) return way;
    }
    return 0;
}

ct_correlator_engine ct_correlator_engine_suggest(const ct_step *step)
{
    const ct_type sums = step->port[CT_CORRELATOR_Y].type;
    if (sums != CT_CI32 && sums != CT_CI64) return CT_CORRELATOR_PLAIN;
    if (takes_vnni(step)) return CT_CORRELATOR_VNNI;
    if (sums == CT_CI32 && step->gpu && dot4_way(step)) return CT_CORRELATOR_DP4A;
    return CT_CORRELATOR_PLAIN;
}

static void add(ct_text *text, const char *name, const char *source)
{
    ct_text_add(text, "#line 1 \"stages/correlator/correlator_%s.cl\"\n%s\n", name, source);
}

/* What stands before the kernel where one work-item takes all cells, one after another. */
static void emit_cells(const ct_step *step, ct_text *text)
{
    const bool words = step->port[CT_CORRELATOR_Y].type == CT_CI64;
    if (ct_correlator_engine_of(step) == CT_CORRELATOR_PLAIN) {
        add(text, "plain", correlator_plain_cl);
        return;
    }
    ct_text_add(text, "#define VNNI %d\n", takes_vnni(step));
    add(text, "vnni", correlator_vnni_cl);
    add(text, words ? "words" : "bytes", words ? correlator_words_cl : correlator_bytes_cl);
}

static void emit_group(const ct_step *step, ct_text *text)
{
    if (ct_correlator_engine_of(step) == CT_CORRELATOR_DP4A) {
        ct_text_add(text, "#define DOT4_BY %d\n", dot4_way(step));
        add(text, "dp4a", correlator_dp4a_cl);
    }
    add(text, "group", correlator_group_cl);
}

void ct_correlator_engine_emit(const ct_step *step, ct_text *text)
{
    if (ct_step_tunable(step, "WG") == 1)
        emit_cells(step, text);
    else
        emit_group(step, text);
}
