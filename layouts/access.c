/* access.c: writes the accessor macros of one port as OpenCL C text.
 *
 * Room: layouts. Knows arrays and OpenCL C's types. Does not know stages, arguments or launches. */
#include "access.h"
#include "layout.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* How a type is stored, loaded and saved. Macros take the element's index: %s stands for the port.
 */
typedef struct ct_access_form {
    const char *type;
    const char *load; /* of `at` */
    const char *save; /* of `at` and `value` */
} ct_access_form;

/* clang-format off */
#define INTEGER(type, load, convert) \
    {type, load "(%s_data[at])", "(%s_data[at] = " convert "(value))"}
#define HALVES(type, n) \
    {type, "vload_half" n "((size_t)(at), (const global half *)%s_data)", \
     "vstore_half" n "((value), (size_t)(at), (global half *)%s_data)"}

static const ct_access_form forms[CT_TYPES] = {
    [CT_CI4] = INTEGER("uchar", "ct_ci4_load", "ct_ci4_save"),
    [CT_CI8] = INTEGER("char2", "convert_float2", "convert_char2_sat_rte"),
    [CT_CI16] = INTEGER("short2", "convert_float2", "convert_short2_sat_rte"),
    [CT_CI32] = INTEGER("int2", "convert_float2", "convert_int2_sat_rte"),
    [CT_CI64] = INTEGER("long2", "convert_float2", "convert_long2_sat_rte"),
    [CT_U8] = INTEGER("uchar", "convert_float", "convert_uchar_sat_rte"),
    [CT_U16] = INTEGER("ushort", "convert_float", "convert_ushort_sat_rte"),
    [CT_U32] = INTEGER("uint", "convert_float", "convert_uint_sat_rte"),
    [CT_I8] = INTEGER("char", "convert_float", "convert_char_sat_rte"),
    [CT_I16] = INTEGER("short", "convert_float", "convert_short_sat_rte"),
    [CT_I32] = INTEGER("int", "convert_float", "convert_int_sat_rte"),
    [CT_F16] = HALVES("half", ""),
    [CT_CF16] = HALVES("ushort2", "2"),
    [CT_F32] = INTEGER("float", "", ""),
    [CT_CF32] = INTEGER("float2", "", ""),
    [CT_F64] = INTEGER("double", "convert_float", "convert_double"),
    [CT_CF64] = INTEGER("double2", "convert_float2", "convert_double2"),
};

static const char ci4_functions[] =
    "#ifndef CT_CI4\n"
    "#define CT_CI4\n"
    "static float2 ct_ci4_load(uchar b)\n"
    "{\n"
    "    return (float2)((float)((char)(b << 4) >> 4), (float)((char)b >> 4));\n"
    "}\n"
    "static uchar ct_ci4_save(float2 v)\n"
    "{\n"
    "    const int2 n = clamp(convert_int2_sat_rte(v), -8, 7);\n"
    "    return (uchar)((n.x & 15) | (n.y & 15) << 4);\n"
    "}\n"
    "static char2 ct_ci4_unpack(uchar b)\n"
    "{\n"
    "    return (char2)((char)(b << 4) >> 4, (char)b >> 4);\n"
    "}\n"
    "static uchar ct_ci4_pack(char2 v)\n"
    "{\n"
    "    const char2 n = clamp(v, (char)-8, (char)7);\n"
    "    return (uchar)((n.x & 15) | (n.y & 15) << 4);\n"
    "}\n"
    "#endif\n";
/* clang-format on */

const char *ct_access_type(ct_type type)
{
    assert(type > CT_NONE && type < CT_TYPES && forms[type].type);
    return forms[type].type;
}

int ct_access_part_bytes(const char *type)
{
    static const struct {
        const char *name;
        int bytes;
    } parts[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},
                 {"int", 4},  {"uint", 4},  {"float", 4}, {"long", 8},   {"double", 8}};
    char part[16];
    ct_access_part(part, type);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (strcmp(parts[k].name, part) == 0) return parts[k].bytes;
    return 4;
}

void ct_access_part(char out[16], const char *type)
{
    snprintf(out, 16, "%s", type);
    const size_t length = strlen(out);
    if (out[length - 1] == '2') out[length - 1] = '\0';
}

static int64_t extent_of(const ct_access *access, int k)
{
    return ct_array_extent(access->array, access->aliases[k]);
}

static int64_t stride_of(const ct_access *access, int k)
{
    return ct_array_stride(access->array, access->aliases[k]);
}

bool ct_access_wide(const ct_access *access)
{
    return ct_array_span(access->array) > INT32_MAX;
}

/* "s, p, t, c" */
static void add_arguments(ct_text *text, const ct_access *access)
{
    for (int k = 0; access->letters[k]; k++)
        ct_text_add(text, "%s%c", k ? ", " : "", tolower((unsigned char)access->letters[k]));
}

/* The suffix of the literals is all that makes the whole sum 64-bit where it must be. */
static void emit_shape(ct_text *text, const ct_access *access)
{
    const char *name = access->name, *suffix = ct_access_wide(access) ? "L" : "";
    for (int k = 0; access->letters[k]; k++)
        ct_text_add(text, "#define %s_N_%c %" PRId64 "\n", name, access->letters[k],
                    extent_of(access, k));
    for (int k = 0; access->letters[k]; k++)
        ct_text_add(text, "#define %s_STRIDE_%c %" PRId64 "%s\n", name, access->letters[k],
                    stride_of(access, k), suffix);
    ct_text_add(text, "#define %s_OFFSET %" PRId64 "%s\n", name, access->array->offset, suffix);
}

/* Sum of index times stride: parts that do not change move out of loops, and padding costs nothing.
 */
static void emit_index(ct_text *text, const ct_access *access)
{
    const char *name = access->name;
    ct_text_add(text, "#define %s_INDEX %s\n#define %s_AT(", name,
                ct_access_wide(access) ? "long" : "int", name);
    add_arguments(text, access);
    ct_text_add(text, ") (%s_OFFSET", name);
    for (int k = 0; access->letters[k]; k++)
        ct_text_add(text, " + (%c) * %s_STRIDE_%c", tolower((unsigned char)access->letters[k]),
                    name, access->letters[k]);
    ct_text_add(text, ")\n");
}

static void emit_element(ct_text *text, const ct_access *access)
{
    const char *name = access->name;
    ct_text_add(text, "#define %s(", name);
    add_arguments(text, access);
    ct_text_add(text, ") (%s_data[%s_AT(", name, name);
    add_arguments(text, access);
    ct_text_add(text, ")])\n");
}

/* Prints a form: %s becomes the port's name, `at` the index, `value` the value. */
static void add_form(ct_text *text, const char *form, const char *name, const char *index,
                     const char *value)
{
    for (; *form; form++) {
        if (strncmp(form, "%s", 2) == 0) {
            ct_text_add(text, "%s", name);
            form++;
        } else if (strncmp(form, "(value)", 7) == 0) {
            ct_text_add(text, "(%s)", value);
            form += 6;
        } else if (strncmp(form, "at)", 3) == 0 || strncmp(form, "at]", 3) == 0) {
            ct_text_add(text, "%s", index);
            form++;
        } else {
            ct_text_add(text, "%c", *form);
        }
    }
}

/* Of an array in double that stands for one of another type; and of floats that double comes to. */
static const ct_access_form precise[2] = {INTEGER("double", "", "convert_double"),
                                          INTEGER("double2", "", "convert_double2")};
static const ct_access_form loose[2] = {INTEGER("float", "", "convert_float"),
                                        INTEGER("float2", "", "convert_float2")};

static const ct_access_form *form_of(const ct_access *access)
{
    const ct_type type = access->array->type;
    const bool is_float = type == CT_F32 || type == CT_CF32;
    if (access->said != CT_NONE) return &precise[ct_type_complex(type)];
    return access->loose && is_float ? &loose[ct_type_complex(type)] : &forms[type];
}

static void emit_load_save(ct_text *text, const ct_access *access)
{
    const ct_access_form *form = form_of(access);
    ct_text index = {0};
    ct_text_add(&index, "%s_AT(", access->name);
    add_arguments(&index, access);
    ct_text_add(&index, ")");
    ct_text_add(text, "#define %s_LOAD(", access->name);
    add_arguments(text, access);
    ct_text_add(text, ") (");
    add_form(text, form->load, access->name, index.data, "");
    ct_text_add(text, ")\n");
    if (access->write) {
        ct_text_add(text, "#define %s_SAVE(", access->name);
        add_arguments(text, access);
        ct_text_add(text, "%svalue) ", access->letters[0] ? ", " : "");
        add_form(text, form->save, access->name, index.data, "value");
        ct_text_add(text, "\n");
    }
    ct_text_end(&index, text);
}

/* How a stored type becomes a kernel's: as it is, by the accessor's own form (floats), or by a
 * conversion between integers. */
typedef enum ct_access_way { NO_WAY, SAME, FORM, NIBBLES, CONVERT } ct_access_way;

static bool starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static ct_access_way way_of(ct_type type, const char *wanted)
{
    const char last = wanted[strlen(wanted) - 1];
    if ((last == '2') != ct_type_complex(type)) return NO_WAY;
    if (strcmp(ct_access_type(type), wanted) == 0) return SAME;
    if (starts(wanted, "float")) return FORM;
    if (type == CT_CI4) return strcmp(wanted, "char2") == 0 ? NIBBLES : NO_WAY;
    if (type == CT_F16 || type == CT_CF16) return NO_WAY;
    return CONVERT;
}

bool ct_access_converts(ct_type type, const char *wanted)
{
    return way_of(type, wanted) != NO_WAY;
}

void ct_access_load(ct_text *text, const ct_access *access, const char *wanted, const char *index)
{
    const ct_type type = access->array->type;
    const char *rounding = ct_type_integer(type) ? "_sat" : "_sat_rte";
    switch (way_of(type, wanted)) {
    case SAME:
        ct_text_add(text, "%s_data[%s]", access->name, index);
        break;
    case FORM:
        add_form(text, forms[type].load, access->name, index, "");
        break;
    case NIBBLES:
        ct_text_add(text, "ct_ci4_unpack(%s_data[%s])", access->name, index);
        break;
    default:
        ct_text_add(text, "convert_%s%s(%s_data[%s])", wanted, rounding, access->name, index);
    }
}

void ct_access_save(ct_text *text, const ct_access *access, const char *wanted, const char *index,
                    const char *value)
{
    const ct_type type = access->array->type;
    const char *name = access->name, *to = ct_access_type(type);
    switch (way_of(type, wanted)) {
    case SAME:
        ct_text_add(text, "%s_data[%s] = %s", name, index, value);
        break;
    case FORM:
        add_form(text, forms[type].save, name, index, value);
        break;
    case NIBBLES:
        ct_text_add(text, "%s_data[%s] = ct_ci4_pack(%s)", name, index, value);
        break;
    default:
        ct_text_add(text, "%s_data[%s] = convert_%s%s(%s)", name, index, to,
                    ct_type_integer(type) ? "_sat" : "", value);
    }
}

/* The accessor's letter of the array's contiguous dimension; '\0' for a scalar. */
static char fastest_letter(const ct_access *access)
{
    const ct_array *array = access->array;
    char own = array->rank > 0 ? array->dim[array->rank - 1] : '\0';
    if (array->layout.rank > 0) own = array->layout.dim[array->layout.rank - 1];
    const char *place = own ? strchr(access->aliases, own) : NULL;
    return place ? access->letters[place - access->aliases] : '\0';
}

static void emit_facts(ct_text *text, const ct_access *access)
{
    const char *name = access->name;
    const ct_type type = access->array->type;
    const char fastest = fastest_letter(access);
    ct_text_add(text, "#define %s_TYPE %s\n", name, ct_access_type(type));
    ct_text_add(text, "#define %s_IS_%s 1\n", name,
                ct_type_name(access->said != CT_NONE ? access->said : type));
    ct_text_add(text, "#define %s_COMPLEX %d\n", name, ct_type_complex(type));
    ct_text_add(text, "#define %s_FASTEST %d%s%c%s\n", name, fastest, fastest ? " /* " : "",
                fastest ? fastest : ' ', fastest ? " */" : "");
}

void ct_access_emit(ct_text *text, const ct_access *access)
{
    assert(strlen(access->letters) == strlen(access->aliases));
    if (access->array->type == CT_CI4) ct_text_add(text, "%s", ci4_functions);
    emit_facts(text, access);
    emit_shape(text, access);
    emit_index(text, access);
    emit_element(text, access);
    emit_load_save(text, access);
}
