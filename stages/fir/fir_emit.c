/* fir_emit.c: what fir.cl finds under its own names: vectors of VECTOR_C channels, and how samples
 * of the input's type become them. Room: stages/fir. Knows types and strides. Does not know the
 * arithmetic. */
#include "fir.h"
#include <string.h>

enum { X = CT_FIR_X, Y = CT_FIR_Y };

enum { UNROLLED = 64 }; /* most taps whose arithmetic is written out */

/* A vector type's suffix: none for one element. */
static const char *emit_suffix(int64_t width)
{
    static const char *const suffixes[] = {"", "2", "4", "8", "16"};
    int place = 0;
    while (place < 4 && 1 << place < width)
        place++;
    return suffixes[place];
}

/* What the input's samples are made of. */
static const char *emit_component(ct_type type)
{
    static const struct {
        ct_type type;
        const char *name;
    } components[] = {{CT_CI4, "char"},  {CT_CI8, "char"},   {CT_I8, "char"},   {CT_CI16, "short"},
                      {CT_I16, "short"}, {CT_CF32, "float"}, {CT_F32, "float"}, {CT_NONE, NULL}};
    int place = 0;
    while (components[place].type != CT_NONE && components[place].type != type)
        place++;
    return components[place].name;
}

/* NAME(p): `width` numbers of a pointer's type, wherever they begin; a pair of them that is one
 * element begins where elements do. */
static void emit_load(ct_text *text, const char *name, const char *type, int64_t width,
                      bool element)
{
    if (width == 1)
        ct_text_add(text, "#define %s(p) (*(%s *)(p))\n", name, type);
    else if (element)
        ct_text_add(text, "#define %s(p) (*(p))\n", name);
    else
        ct_text_add(text, "#define %s(p) vload%lld(0, (%s *)(p))\n", name, (long long)width, type);
}

static void emit_vectors(ct_text *text, int64_t width)
{
    const char *one = emit_suffix(width), *two = emit_suffix(2 * width);
    ct_text_add(text, "#define REALS float%s\n#define VEC float%s\n", one, two);
    emit_load(text, "LOAD_TAPS", "global const float", 2 * width, width == 1);
}

static void emit_nibbles(ct_text *text, int64_t width)
{
    const char *one = emit_suffix(width), *two = emit_suffix(2 * width);
    ct_text_add(text,
                "#define BYTES char%s\n#define SHORTS short%s\n#define CHARS char%s\n"
                "#define CONVERT_SHORTS convert_short%s\n#define AS_CHARS as_char%s\n",
                one, one, two, one, two);
    emit_load(text, "LOAD_BYTES", "global const char", width, false);
    ct_text_add(text, "#define RAW(p) nibbles(LOAD_BYTES(p))\n");
}

static void emit_samples(ct_text *text, ct_type type, int64_t width)
{
    char component[32] = "global const ";
    int64_t count = ct_type_complex(type) ? 2 * width : width;
    strncat(component, emit_component(type), sizeof component - strlen(component) - 1);
    ct_text_add(text, "#define CONVERT(raw) convert_float%s(raw)\n", emit_suffix(count));
    if (type == CT_CI4)
        emit_nibbles(text, width);
    else
        emit_load(text, "RAW", component, count, width == 1);
}

/* Vectors anywhere in a tile. Vector types may alias the words by which tiles are filled and
 * emptied, which pointers to single numbers may not. */
static void emit_tiles(ct_text *text, ct_type type, int64_t width)
{
    int64_t count = ct_type_complex(type) ? 2 * width : width;
    const char *component = emit_component(type);
    ct_text_add(text,
                "typedef %s%s TILED __attribute__((aligned(sizeof(%s))));\n"
                "typedef VEC VEC_TILED __attribute__((aligned(8)));\n"
                "#define TILE_RAW(p) (*(A_SPACE const TILED *)(p))\n"
                "#define PUT_TILE(v, p) (*(R_SPACE VEC_TILED *)(p) = (v))\n",
                component, emit_suffix(count), component);
}

static void emit_prefetch(ct_text *text, bool gpu)
{
    ct_text_add(text, "#define PREFETCH_LINE(p) %s\n", gpu ? "" : "__builtin_prefetch(p)");
}

/* Whether every vector of a row begins on a vector's boundary. */
static bool emit_is_aligned(const ct_array *y, int64_t width)
{
    bool aligned = y->offset % width == 0;
    for (int i = 0; i < y->rank; i++)
        aligned = aligned && (y->dim[i] == 'C' || y->stride[i] % width == 0);
    return aligned;
}

static void emit_put(ct_text *text, const ct_step *step, int64_t width)
{
    bool past = ct_step_tunable(step, "NONTEMPORAL") && !step->gpu && width == 8;
    if (past && emit_is_aligned(&step->port[Y], width))
        ct_text_add(text, "#define PUT(v, p) __builtin_nontemporal_store(v, (global VEC *)(p))\n");
    else if (width == 1)
        ct_text_add(text, "#define PUT(v, p) (*(p) = (v))\n");
    else
        ct_text_add(text, "#define PUT(v, p) vstore%s(v, 0, (global float *)(p))\n",
                    emit_suffix(2 * width));
}

ct_status ct_fir_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    const ct_array *x = &step->port[X], *y = &step->port[Y];
    int64_t width = ct_step_tunable(step, "VECTOR_C");
    (void)err;
    ct_text_add(text, "#define UNROLL %s\n",
                ct_step_int(step, "taps") <= UNROLLED ? "_Pragma(\"unroll\")" : "");
    ct_text_add(text, "#define X_DIRECT %d\n#define Y_DIRECT %d\n", ct_array_stride(x, 'T') == 1,
                ct_array_stride(y, 'C') == 1);
    emit_vectors(text, width);
    emit_samples(text, x->type, width);
    emit_tiles(text, x->type, width);
    emit_prefetch(text, step->gpu);
    emit_put(text, step, width);
    return CT_OK;
}
