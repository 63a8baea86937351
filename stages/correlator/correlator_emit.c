/* correlator_emit.c: COMPUTE, before the kernel that uses it: the text of the arithmetic.
 * Room: stages/correlator. Knows the pieces of kernel text. Does not know which suits. */
#include "correlator.h"
#include "correlator_amx_cl.h"
#include "correlator_bytes_cl.h"
#include "correlator_dp4a_cl.h"
#include "correlator_group_cl.h"
#include "correlator_mma_cl.h"
#include "correlator_pairs_cl.h"
#include "correlator_plain_cl.h"
#include "correlator_rows_cl.h"
#include "correlator_vnni_cl.h"
#include "correlator_words_cl.h"

static void add(ct_text *text, const char *name, const char *source)
{
    ct_text_add(text, "#line 1 \"stages/correlator/correlator_%s.cl\"\n%s\n", name, source);
}

/* What is put before the kernel where one work-item takes all cells, one after another. */
static void emit_cells(const ct_step *step, ct_text *text)
{
    const bool words = step->port[CT_CORRELATOR_Y].type == CT_CI64;
    if (words || ct_correlator_engine_of(step) == CT_CORRELATOR_PLAIN)
        add(text, "rows", correlator_rows_cl);
    if (ct_correlator_engine_of(step) == CT_CORRELATOR_PLAIN) {
        add(text, words ? "pairs" : "plain", words ? correlator_pairs_cl : correlator_plain_cl);
        return;
    }
    ct_text_add(text, "#define VNNI %d\n", ct_correlator_engine_takes_vnni(step));
    add(text, "vnni", correlator_vnni_cl);
    if (ct_correlator_engine_of(step) == CT_CORRELATOR_AMX) {
        ct_text_add(text, "#define AMX %d\n", ct_correlator_engine_takes_amx(step));
        add(text, "amx", correlator_amx_cl);
        return;
    }
    add(text, words ? "words" : "bytes", words ? correlator_words_cl : correlator_bytes_cl);
}

static void emit_group(const ct_step *step, ct_text *text)
{
    const ct_correlator_engine engine = ct_correlator_engine_of(step);
    if (engine != CT_CORRELATOR_PLAIN) {
        ct_text_add(text, "#define DOT4_BY %d\n", ct_correlator_engine_dot4(step));
        add(text, "dp4a", correlator_dp4a_cl);
    }
    if (engine == CT_CORRELATOR_MMA) {
        ct_text_add(text, "#define MMA %d\n", ct_correlator_engine_takes_mma(step));
        add(text, "mma", correlator_mma_cl);
    }
    add(text, "group", correlator_group_cl);
}

/* What all pieces know: whether a firing has a part of an integration; and what is done with sums.
 */
static void emit_common(const ct_step *step, ct_text *text)
{
    ct_text_add(text, "#define CARRIED %d\n", step->accumulate > 1);
    ct_text_add(text, "/* they become Y, are added to it, or become what it is */\n"
                      "enum { SET, ADD, LOAD };\n");
}

ct_status ct_correlator_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    emit_common(step, text);
    if (ct_step_tunable(step, "WG") == 1)
        emit_cells(step, text);
    else
        emit_group(step, text);
    return CT_OK;
}
