/* type.c: the element types: names, widths, kinds.
 *
 * Room: layouts. Knows types. Does not know arrays, OpenCL or signals. */
#include <string.h>

#include "cornerturn_stage.h"
#include "layout.h"

typedef struct ct_type_facts {
    const char *name;
    unsigned bits;
    bool is_complex, is_integer;
} ct_type_facts;

static const ct_type_facts facts[CT_TYPES] = {
    [CT_NONE] = {"none", 0, false, false}, [CT_CI4] = {"ci4", 8, true, true},
    [CT_CI8] = {"ci8", 16, true, true},    [CT_CI16] = {"ci16", 32, true, true},
    [CT_CI32] = {"ci32", 64, true, true},  [CT_U1] = {"u1", 1, false, true},
    [CT_U2] = {"u2", 2, false, true},      [CT_U4] = {"u4", 4, false, true},
    [CT_U8] = {"u8", 8, false, true},      [CT_U16] = {"u16", 16, false, true},
    [CT_U32] = {"u32", 32, false, true},   [CT_I8] = {"i8", 8, false, true},
    [CT_I16] = {"i16", 16, false, true},   [CT_I32] = {"i32", 32, false, true},
    [CT_F16] = {"f16", 16, false, false},  [CT_F32] = {"f32", 32, false, false},
    [CT_F64] = {"f64", 64, false, false},  [CT_CF16] = {"cf16", 32, true, false},
    [CT_CF32] = {"cf32", 64, true, false}, [CT_CF64] = {"cf64", 128, true, false},
    [CT_CI64] = {"ci64", 128, true, true},
};

static const ct_type_facts *facts_of(ct_type type)
{
    return &facts[(int)type >= 0 && type < CT_TYPES ? type : CT_NONE];
}

const char *ct_type_name(ct_type type)
{
    return facts_of(type)->name;
}

ct_type ct_type_parse(const char *name)
{
    if (!name) return CT_NONE;
    for (int type = CT_NONE + 1; type < CT_TYPES; type++)
        if (strcmp(facts[type].name, name) == 0) return (ct_type)type;
    return CT_NONE;
}

unsigned ct_type_bits(ct_type type)
{
    return facts_of(type)->bits;
}

bool ct_type_complex(ct_type type)
{
    return facts_of(type)->is_complex;
}

bool ct_type_integer(ct_type type)
{
    return facts_of(type)->is_integer;
}
