/* step_uses.c: which files a step reads and writes, as far as its parameters do not say so
 * themselves. Room: core/step. Knows names of files. Does not know what is in them, or other steps.
 */
#include "step_inner.h"
#include <string.h>

static void step_use(ct_step *step, const char *param, const char *file, bool written)
{
    ct_step_inner *inner = ct_step_in(step);
    if (inner->use_count == inner->use_room) {
        const int room = 2 * inner->use_room + 4;
        const size_t bytes = (size_t)room * sizeof *inner->uses;
        if (ct_memory_grow(&inner->uses, bytes, NULL) != CT_OK) {
            ct_arena_lacks(inner->arena, bytes);
            return;
        }
        inner->use_room = room;
    }
    inner->uses[inner->use_count++] = (ct_step_file_use){
        .param = param, .file = ct_arena_copy(inner->arena, file), .written = written};
}

void ct_step_reads(ct_step *step, const char *param, const char *file)
{
    step_use(step, param, file, false);
}

void ct_step_writes(ct_step *step, const char *param, const char *file)
{
    step_use(step, param, file, true);
}

const ct_step_file_use *ct_step_uses(const ct_step *step, int *count)
{
    *count = ct_step_in(step)->use_count;
    return ct_step_in(step)->uses;
}
