/* fuzz_step.c: see fuzz_step.h.
 * Room: tests/fuzz. Knows core/step/step.h. Does not know formats. */
#include "fuzz_step.h"

#include "layout.h"
#include "memory.h"

void fuzz_step_look(ct_step *step)
{
    int64_t value;
    const ct_stage *stage = step->stage;
    for (int p = 0; p < ct_step_ports(step); p++) {
        ct_layout *list = NULL;
        if (step->port[p].type == CT_NONE || stage->ports[p].layout[0] == '=') continue;
        const int64_t count = step->port[p].rank > 5 ? 0 : ct_step_layouts(&list, step, p, NULL);
        for (int64_t i = 0; i < count; i++)
            if (ct_step_set_layout(step, p, &list[i], NULL) != CT_OK)
                fuzz_fail("a layout that may be chosen may not be set");
        ct_memory_free(list);
    }
    ct_step_default_tunables(step);
    (void)ct_step_is_legal(step);
    for (const ct_term *term = stage->tuning.terms; term && term->name; term++) {
        ct_error err = {0};
        fuzz_said(ct_step_evaluate(step, term->name, &value, &err), &err);
    }
}
