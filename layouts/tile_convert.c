/* tile_convert.c: how words are loaded and stored at the array's and the tile's side, with the
 * conversion of types on the way.
 *
 * Room: layouts. Knows OpenCL C's conversions. Does not know loops or layouts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "tile_inner.h"

static const char *tile_type(const ct_tile_vectors *vectors)
{
    return vectors->plan->box->type;
}

/* The array's numbers; ci4's two are expanded to chars first. */
static const char *array_type(const ct_tile_vectors *vectors)
{
    const ct_type type = vectors->plan->box->access.array->type;
    return type == CT_CI4 ? "char2" : ct_access_type(type);
}

/* "float16"; "float" for one */
static void add_vector(ct_text *text, const char *type, int count)
{
    char part[16];
    ct_access_part(part, type);
    if (count == 1)
        ct_text_add(text, "%s", part);
    else
        ct_text_add(text, "%s%d", part, count);
}

void ct_tile_vectors_pointer(ct_text *text, const ct_tile_vectors *vectors, bool array)
{
    const ct_box *box = vectors->plan->box;
    const bool source = array != box->access.write;
    char part[16];
    ct_text_add(text, array ? "global %s" : "%s_SPACE %s", array ? "" : box->name, "");
    if (source) ct_text_add(text, "const ");
    if (vectors->conversion == (array ? CT_CONVERT_AT_ARRAY : CT_CONVERT_AT_TILE)) {
        ct_access_part(part, array ? "half" : box->type);
        ct_text_add(text, "%s", part);
    } else {
        ct_text_add(text, "ct_word%d", vectors->registers.copy.word);
    }
}

/* ---- words as they are */

/* A vector at any element: some compilers take vloadn and vstoren apart, and their scalar pointers,
 * unlike vector types, may not alias what the kernel keeps in its tile. */
static void add_anywhere(ct_text *text, const ct_tile_vectors *vectors, int words, bool source)
{
    const ct_box *box = vectors->plan->box;
    const bool array = source != box->access.write;
    ct_text_add(text, array ? "*(global " : "*(%s_SPACE ", box->name);
    ct_text_add(text, "%sct_word%d_%d *)", source ? "const " : "", vectors->registers.copy.word,
                words);
}

static void load_words(ct_text *text, const ct_tile_vectors *vectors, int words, const char *index)
{
    if (words > 1) {
        ct_text_add(text, "(");
        add_anywhere(text, vectors, words, true);
        ct_text_add(text, "(from + (%s)))", index);
    } else {
        ct_text_add(text, "from[%s]", index);
    }
}

static void store_words(ct_text *text, const ct_tile_vectors *vectors, int words, const char *index,
                        const char *value)
{
    if (words > 1) {
        add_anywhere(text, vectors, words, false);
        ct_text_add(text, "(to + (%s)) = %s", index, value);
    } else {
        ct_text_add(text, "to[%s] = %s", index, value);
    }
}

/* ---- with conversion */

static void add_as(ct_text *text, int word, int words)
{
    ct_text_add(text, "as_");
    ct_register_transpose_type(text, word, words);
}

/* Halves become floats while they are loaded. */
static void load_halves(ct_text *text, const ct_tile_vectors *vectors, int words, const char *index)
{
    const int count = words * vectors->parts;
    add_as(text, vectors->registers.copy.word, words);
    ct_text_add(text, "(vload_half");
    if (count > 1) ct_text_add(text, "%d", count);
    ct_text_add(text, "(0, from + (size_t)(%s) * %d))", index, vectors->parts);
}

static void store_halves(ct_text *text, const ct_tile_vectors *vectors, int words,
                         const char *index, const char *value)
{
    const int count = words * vectors->parts;
    ct_text_add(text, "vstore_half");
    if (count > 1) ct_text_add(text, "%d", count);
    ct_text_add(text, "(as_");
    add_vector(text, "float", count);
    ct_text_add(text, "(%s), 0, to + (size_t)(%s) * %d)", value, index, vectors->parts);
}

/* Vectors of floats to integers of 8 or 16 bits, by functions of ct_tile_round_emit. */
static bool is_rounded(const char *to, const char *from, int count)
{
    return count >= 4 && strncmp(from, "float", 5) == 0 &&
           (strstr(to, "char") != NULL || strstr(to, "short") != NULL);
}

/* "convert_float16" of integers; to integers with saturation, rounding where floats come in. */
static void add_convert(ct_text *text, const char *to, const char *from, int count)
{
    const bool to_float = strncmp(to, "float", 5) == 0, from_float = strncmp(from, "float", 5) == 0;
    ct_text_add(text, is_rounded(to, from, count) ? "CT_CONVERT_" : "convert_");
    add_vector(text, to, count);
    ct_text_add(text, "%s", to_float ? "" : from_float ? "_sat_rte" : "_sat");
}

static void store_tile(ct_text *text, const ct_tile_vectors *vectors, int words, const char *index,
                       const char *value)
{
    const int count = words * vectors->parts;
    const bool nibbles = vectors->plan->box->access.array->type == CT_CI4;
    if (count == 1)
        ct_text_add(text, "to[%s] = ", index);
    else
        ct_text_add(text, "vstore%d(", count);
    add_convert(text, tile_type(vectors), array_type(vectors), count);
    if (nibbles)
        ct_text_add(text, "(ct_ci4_expand%d(as_uchar", count / 2);
    else
        ct_text_add(text, "(as_");
    if (nibbles && count > 2) ct_text_add(text, "%d", count / 2);
    if (!nibbles) add_vector(text, array_type(vectors), count);
    ct_text_add(text, nibbles ? "(%s)))" : "(%s))", value);
    if (count > 1) ct_text_add(text, ", 0, to + (%s) * %d)", index, vectors->parts);
}

static void load_tile(ct_text *text, const ct_tile_vectors *vectors, int words, const char *index)
{
    const int count = words * vectors->parts;
    add_as(text, vectors->registers.copy.word, words);
    ct_text_add(text, "(");
    add_convert(text, array_type(vectors), tile_type(vectors), count);
    if (count == 1)
        ct_text_add(text, "(from[%s]))", index);
    else
        ct_text_add(text, "(vload%d(0, from + (%s) * %d)))", count, index, vectors->parts);
}

/* ---- either */

static void load(ct_text *text, const void *of, int words, const char *index)
{
    const ct_tile_vectors *vectors = of;
    const bool write = vectors->plan->box->access.write;
    if (vectors->conversion == CT_CONVERT_AT_ARRAY && !write)
        load_halves(text, vectors, words, index);
    else if (vectors->conversion == CT_CONVERT_AT_TILE && write)
        load_tile(text, vectors, words, index);
    else
        load_words(text, vectors, words, index);
}

static void store(ct_text *text, const void *of, int words, const char *index, const char *value)
{
    const ct_tile_vectors *vectors = of;
    const bool write = vectors->plan->box->access.write;
    if (vectors->conversion == CT_CONVERT_AT_ARRAY && write)
        store_halves(text, vectors, words, index, value);
    else if (vectors->conversion == CT_CONVERT_AT_TILE && !write)
        store_tile(text, vectors, words, index, value);
    else
        store_words(text, vectors, words, index, value);
}

static void store_nontemporal(ct_text *text, const void *of, int words, const char *index,
                              const char *value)
{
    const ct_tile_vectors *vectors = of;
    ct_text_add(text, "CT_STORE_NONTEMPORAL(%s, ", value);
    if (words > 1) {
        ct_text_add(text, "(global ");
        ct_register_transpose_type(text, vectors->registers.copy.word, words);
        ct_text_add(text, " *)");
    }
    ct_text_add(text, "(to + (%s)))", index);
}

ct_register_transpose_io ct_tile_vectors_io(const ct_tile_vectors *vectors, bool nontemporal)
{
    return (ct_register_transpose_io){vectors, load, nontemporal ? store_nontemporal : store};
}

/* Low nibbles are real, high ones imaginary; both signed. */
static void emit_expand(ct_text *text, int count)
{
    ct_text_add(text, "static char%d ct_ci4_expand%d(uchar%d b)\n{\n", 2 * count, count, count);
    ct_text_add(text, "    const char%d low = as_char%d(b << (uchar)4) >> (char)4;\n", count,
                count);
    ct_text_add(text, "    const char%d high = as_char%d(b) >> (char)4;\n", count, count);
    ct_text_add(text, "    return __builtin_shufflevector(low, high");
    for (int k = 0; k < count; k++)
        ct_text_add(text, ", %d, %d", k, count + k);
    ct_text_add(text, ");\n}\n");
}

/* What some CPUs' compilers make of convert_char16_sat_rte takes five times as long as this: a
 * float of 1.5 * 2^23 and more has no fraction, so that adding rounds to the nearest even, and the
 * low bits of the sum are the integer's. What is no number becomes 0. */
static void emit_round_one(ct_text *text, const char *type, int count, int64_t least, int64_t most)
{
    ct_text_add(text, "static inline %s%d ct_round_%s%d(const float%d x)\n{\n", type, count, type,
                count, count);
    ct_text_add(text, "    const float%d low = x > %lld.0f ? x : (float%d)%lld.0f;\n", count,
                (long long)least, count, (long long)least);
    ct_text_add(text, "    const float%d near = low < %lld.0f ? low : (float%d)%lld.0f;\n", count,
                (long long)most, count, (long long)most);
    ct_text_add(text,
                "    return convert_%s%d(as_int%d((x == x ? near : (float%d)0.0f) + 12582912.0f));"
                "\n}\n",
                type, count, count, count);
}

void ct_tile_round_emit(ct_text *text, const ct_box *box)
{
    static const struct {
        const char *name;
        int64_t least, most;
    } types[] = {
        {"char", -128, 127}, {"uchar", 0, 255}, {"short", -32768, 32767}, {"ushort", 0, 65535}};
    char part[16];
    ct_access_part(part, ct_access_type(box->access.array->type));
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        if (strcmp(types[k].name, part) != 0) continue;
        ct_text_add(text, "#ifndef CT_ROUND_%s\n#define CT_ROUND_%s\n", part, part);
        for (int count = 4; count <= 16; count *= 2) {
            ct_text_add(text, "#if GPU\n#define CT_CONVERT_%s%d_sat_rte convert_%s%d_sat_rte\n",
                        part, count, part, count);
            ct_text_add(text, "#else\n#define CT_CONVERT_%s%d_sat_rte ct_round_%s%d\n", part, count,
                        part, count);
            emit_round_one(text, part, count, types[k].least, types[k].most);
            ct_text_add(text, "#endif\n");
        }
        ct_text_add(text, "#endif\n");
    }
}

void ct_tile_vectors_types(ct_text *text, const ct_tile_vectors *vectors)
{
    if (vectors->plan->box->access.array->type != CT_CI4) return;
    ct_text_add(text, "#ifndef CT_CI4_EXPAND\n#define CT_CI4_EXPAND\n"
                      "#define ct_ci4_expand1 ct_ci4_unpack\n");
    for (int count = 2; count <= 8; count *= 2)
        emit_expand(text, count);
    ct_text_add(text, "#endif\n");
}
