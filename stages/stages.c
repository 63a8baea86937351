/* stages.c: the stages that come with the library, in the order in which `cornerturn info stages`
 * prints them.
 * Room: stages. A stage is its folder and its one line here: ROW(fir) declares and registers
 * ct_stage_fir. Sources and sinks are listed in io/formats.c; stages/own reads those of users from
 * their files. */
#include "description.h"

/* clang-format off */
#define STAGES(ROW)       \
    ROW(fir)              \
    ROW(fft)              \
    ROW(ppf)              \
    ROW(delay)            \
    ROW(shift)            \
    ROW(flag)             \
    ROW(convert)          \
    ROW(baseline)         \
    ROW(zerodm)           \
    ROW(beamformer)       \
    ROW(beamdetect)       \
    ROW(correlator)       \
    ROW(detect)           \
    ROW(products)         \
    ROW(dedisp)           \
    ROW(pulses)           \
    ROW(transpose)
/* clang-format on */

#define DECLARE(name) extern const ct_stage ct_stage_##name;
#define REGISTER(name) &ct_stage_##name,

STAGES(DECLARE)

/* core/context/context.c knows no more of this folder. */
const ct_stage *const ct_stages[] = {STAGES(REGISTER) NULL};

/* Nor does core/context/context_file.c: this reads the stages that are in files. */
ct_description_read ct_own_read;
ct_description_read *const ct_stages_read = ct_own_read;
