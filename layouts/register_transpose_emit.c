/* register_transpose_emit.c: writes the loads, swaps and stores of one box.
 *
 * Room: layouts. Knows bits and lanes. Does not know what the words mean or where they lie. Order
 * inside: load, join (vectors grow to the wider side's width), swap, permute, split, store. */
#include <assert.h>
#include <inttypes.h>

#include "register_transpose.h"
#include "text.h"

/* Which bit of the box each bit of the lane number and of the register number stands for, now. */
typedef struct ct_register_transpose_state {
    ct_text *text;
    const ct_register_transpose *registers;
    int lane[CT_REGISTER_TRANSPOSE_BITS], lanes;
    int number[CT_REGISTER_TRANSPOSE_BITS], numbers;
    int wanted[CT_REGISTER_TRANSPOSE_BITS]; /* the lanes of a store */
    int stage;                              /* registers are v<stage>_<number> */
} ct_register_transpose_state;

static const char *const word_names[] = {
    [1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};

void ct_register_transpose_type(ct_text *text, int word, int words)
{
    if (words == 1)
        ct_text_add(text, "%s", word_names[word]);
    else
        ct_text_add(text, "%s%s%d", words > 16 ? "ct_" : "", word_names[word], words);
}

/*
 * Non-temporal stores and prefetches, where the compiler has them. GPUs gain nothing from the
 * latter, and NVIDIA's compiler takes no pointer of ours for it.
 */
static const char builtins_text[] =
    "#ifdef __has_builtin\n"
    "#if __has_builtin(__builtin_nontemporal_store)\n"
    "#define CT_STORE_NONTEMPORAL(value, place) __builtin_nontemporal_store(value, place)\n"
    "#endif\n"
    "#if __has_builtin(__builtin_prefetch) && (defined(__x86_64__) || defined(__aarch64__))\n"
    "#define CT_PREFETCH(place) __builtin_prefetch((const void *)(size_t)(place))\n"
    "#endif\n"
    "#endif\n"
    "#ifndef CT_STORE_NONTEMPORAL\n"
    "#define CT_STORE_NONTEMPORAL(value, place) (*(place) = (value))\n"
    "#endif\n"
    "#ifndef CT_PREFETCH\n"
    "#define CT_PREFETCH(place)\n"
    "#endif\n";

static void add_wide_type(ct_text *text, int word, int words)
{
    ct_text_add(text, "typedef %s ct_%s%d __attribute__((ext_vector_type(%d)));\n",
                word_names[word], word_names[word], words, words);
    ct_text_add(text, "typedef ct_%s%d ct_%s%d_anywhere __attribute__((aligned(%d)));\n",
                word_names[word], words, word_names[word], words, word);
}

/* Words of memory of any type, single and side by side. */
static void add_words(ct_text *text, int word)
{
    ct_text_add(text, "typedef %s ct_word%d __attribute__((may_alias));\n", word_names[word], word);
    for (int words = 2; words <= 16; words *= 2)
        ct_text_add(text, "typedef %s%d ct_word%d_%d __attribute__((aligned(%d), may_alias));\n",
                    word_names[word], words, word, words, word);
    for (int words = 32; words * word <= 64; words *= 2)
        ct_text_add(text,
                    "typedef %s ct_word%d_%d __attribute__((ext_vector_type(%d), aligned(%d), "
                    "may_alias));\n",
                    word_names[word], word, words, words, word);
}

void ct_register_transpose_types(ct_text *text)
{
    ct_text_add(text, "#ifndef CT_WEAVE\n#define CT_WEAVE\n");
    for (int word = 1; word <= 8; word *= 2)
        add_words(text, word);
    add_wide_type(text, 2, 32);
    add_wide_type(text, 1, 32);
    add_wide_type(text, 1, 64);
    ct_text_add(text, "%s#endif\n", builtins_text);
}

static int find(const int *list, int count, int bit)
{
    for (int k = 0; k < count; k++)
        if (list[k] == bit) return k;
    return -1;
}

static int bit_with_stride(const ct_register_transpose *registers, int64_t stride, bool to)
{
    for (int k = 0; k < registers->count; k++)
        if ((to ? registers->bit[k].to : registers->bit[k].from) == stride) return k;
    return -1;
}

static void start(ct_register_transpose_state *state, ct_text *text,
                  const ct_register_transpose *registers)
{
    *state = (ct_register_transpose_state){
        .text = text, .registers = registers, .lanes = registers->from_lanes};
    for (int k = 0; k < registers->from_lanes; k++)
        state->lane[k] = bit_with_stride(registers, (int64_t)1 << k, false);
    for (int k = 0; k < registers->to_lanes; k++)
        state->wanted[k] = bit_with_stride(registers, (int64_t)1 << k, true);
    for (int k = 0; k < registers->count; k++)
        if (find(state->lane, state->lanes, k) < 0) state->number[state->numbers++] = k;
}

static int64_t offset_of(const ct_register_transpose_state *state, int number, bool to)
{
    int64_t offset = 0;
    for (int k = 0; k < state->numbers; k++) {
        const ct_register_transpose_bit *bit = &state->registers->bit[state->number[k]];
        if (number >> k & 1) offset += to ? bit->to : bit->from;
    }
    return offset;
}

/* "const ulong8 v2_5 = " of the stage that is being written. */
static void declare(ct_register_transpose_state *state, int lanes, int number)
{
    ct_text_add(state->text, "        const ");
    ct_register_transpose_type(state->text, state->registers->copy.word, 1 << lanes);
    ct_text_add(state->text, " v%d_%d = ", state->stage + 1, number);
}

static void add_index(ct_text *index, const char *base, int64_t offset)
{
    ct_text_add(index, offset ? "%s + %" PRId64 : "%s", base, offset);
}

/* Numbers of registers in the order of their places: neighbouring lines follow each other. */
static void sort_numbers(const ct_register_transpose_state *state, int *order, bool to)
{
    for (int n = 0; n < 1 << state->numbers; n++) {
        int place = n;
        for (; place > 0 && offset_of(state, order[place - 1], to) > offset_of(state, n, to);
             place--)
            order[place] = order[place - 1];
        order[place] = n;
    }
}

static void emit_loads(ct_register_transpose_state *state, const ct_register_transpose_io *io,
                       const char *from)
{
    int order[1 << CT_REGISTER_TRANSPOSE_BITS] = {0};
    sort_numbers(state, order, false);
    for (int k = 0; k < 1 << state->numbers; k++) {
        const int n = order[k];
        ct_text index = {0};
        add_index(&index, from, offset_of(state, n, false));
        state->stage = -1;
        declare(state, state->lanes, n);
        io->load(state->text, io->of, 1 << state->lanes, index.data);
        ct_text_add(state->text, ";\n");
        ct_text_end(&index, state->text);
    }
    state->stage = 0;
}

/* A shuffle of two registers of the last stage; lane[k] counts through both. */
static void emit_shuffle(ct_register_transpose_state *state, int a, int b, const int *lane,
                         int count)
{
    ct_text_add(state->text, "__builtin_shufflevector(v%d_%d, v%d_%d", state->stage, a,
                state->stage, b);
    for (int k = 0; k < count; k++)
        ct_text_add(state->text, ", %d", lane[k]);
    ct_text_add(state->text, ");\n");
}

static int without_bit(int number, int place)
{
    const int low = number & ((1 << place) - 1);
    return low | (number >> (place + 1) << place);
}

/* Register bit `place` becomes the highest lane bit. */
static void join(ct_register_transpose_state *state, int place)
{
    const int lanes = 1 << state->lanes, last = 1 << state->numbers;
    int order[1 << 6];
    for (int k = 0; k < 2 * lanes; k++)
        order[k] = k;
    for (int n = 0; n < last; n++) {
        if (n >> place & 1) continue;
        declare(state, state->lanes + 1, without_bit(n, place));
        if (lanes == 1) {
            ct_text_add(state->text, "(");
            ct_register_transpose_type(state->text, state->registers->copy.word, 2);
            ct_text_add(state->text, ")(v%d_%d, v%d_%d);\n", state->stage, n, state->stage,
                        n | 1 << place);
        } else {
            emit_shuffle(state, n, n | 1 << place, order, 2 * lanes);
        }
    }
    state->lane[state->lanes++] = state->number[place];
    int kept = 0;
    for (int k = 0; k < state->numbers; k++)
        if (k != place) state->number[kept++] = state->number[k];
    state->numbers = kept;
    state->stage++;
}

static void emit_joins(ct_register_transpose_state *state)
{
    while (state->lanes < state->registers->to_lanes) {
        int place = find(state->number, state->numbers, state->wanted[state->lanes]);
        for (int k = 0; place < 0; k++)
            place = find(state->number, state->numbers, state->wanted[k]);
        join(state, place);
    }
}

/* Swaps register bit `place` with lane bit `lane`. */
static void swap(ct_register_transpose_state *state, int place, int lane)
{
    const int lanes = 1 << state->lanes, mask = 1 << lane;
    int low[1 << 6], high[1 << 6];
    for (int k = 0; k < lanes; k++) {
        low[k] = k & mask ? lanes + (k & ~mask) : k;
        high[k] = k & mask ? lanes + k : (k | mask);
    }
    for (int n = 0; n < 1 << state->numbers; n++) {
        const int other = n | 1 << place;
        if (n == other) continue;
        declare(state, state->lanes, n);
        emit_shuffle(state, n, other, low, lanes);
        declare(state, state->lanes, other);
        emit_shuffle(state, n, other, high, lanes);
    }
    const int bit = state->number[place];
    state->number[place] = state->lane[lane];
    state->lane[lane] = bit;
    state->stage++;
}

static bool is_wanted(const ct_register_transpose_state *state, int bit)
{
    return find(state->wanted, state->registers->to_lanes, bit) >= 0;
}

static void emit_swaps(ct_register_transpose_state *state)
{
    for (int k = 0; k < state->registers->to_lanes; k++) {
        const int place = find(state->number, state->numbers, state->wanted[k]);
        int lane = k;
        if (place < 0) continue;
        for (int other = 0; is_wanted(state, state->lane[lane]); other++)
            lane = other;
        swap(state, place, lane);
    }
}

/* The wanted lanes in order, the others above them. */
static void emit_permute(ct_register_transpose_state *state)
{
    int target[CT_REGISTER_TRANSPOSE_BITS] = {0}, order[1 << 6], count = state->registers->to_lanes;
    bool same = true;
    for (int k = 0; k < count; k++)
        target[k] = state->wanted[k];
    for (int k = 0; k < state->lanes; k++)
        if (!is_wanted(state, state->lane[k])) target[count++] = state->lane[k];
    for (int k = 0; k < 1 << state->lanes; k++) {
        order[k] = 0;
        for (int j = 0; j < state->lanes; j++)
            if (k >> j & 1) order[k] |= 1 << find(state->lane, state->lanes, target[j]);
        same = same && order[k] == k;
    }
    if (same) return;
    for (int n = 0; n < 1 << state->numbers; n++) {
        declare(state, state->lanes, n);
        emit_shuffle(state, n, n, order, 1 << state->lanes);
    }
    for (int k = 0; k < state->lanes; k++)
        state->lane[k] = target[k];
    state->stage++;
}

/* The highest lane bit becomes a register bit. */
static void split(ct_register_transpose_state *state)
{
    const int half = 1 << (state->lanes - 1);
    int order[1 << 6];
    for (int n = 0; n < 2 << state->numbers; n++) {
        const int from = n & ((1 << state->numbers) - 1), upper = n >> state->numbers;
        declare(state, state->lanes - 1, n);
        for (int k = 0; k < half; k++)
            order[k] = k + upper * half;
        if (half == 1)
            ct_text_add(state->text, "v%d_%d.s%d;\n", state->stage, from, upper);
        else
            emit_shuffle(state, from, from, order, half);
    }
    state->number[state->numbers++] = state->lane[--state->lanes];
    state->stage++;
}

static void emit_stores(ct_register_transpose_state *state, const ct_register_transpose_io *io,
                        const char *to)
{
    int order[1 << CT_REGISTER_TRANSPOSE_BITS] = {0};
    sort_numbers(state, order, true);
    for (int k = 0; k < 1 << state->numbers; k++) {
        const int n = order[k];
        ct_text index = {0}, value = {0};
        add_index(&index, to, offset_of(state, n, true));
        ct_text_add(&value, "v%d_%d", state->stage, n);
        ct_text_add(state->text, "        ");
        io->store(state->text, io->of, 1 << state->lanes, index.data, value.data);
        ct_text_add(state->text, ";\n");
        ct_text_end(&index, state->text);
        ct_text_end(&value, state->text);
    }
}

void ct_register_transpose_emit(ct_text *text, const ct_register_transpose *registers,
                                const ct_register_transpose_io *io, const char *from,
                                const char *to)
{
    ct_register_transpose_state state;
    start(&state, text, registers);
    emit_loads(&state, io, from);
    emit_joins(&state);
    emit_swaps(&state);
    emit_permute(&state);
    while (state.lanes > registers->to_lanes)
        split(&state);
    emit_stores(&state, io, to);
}
