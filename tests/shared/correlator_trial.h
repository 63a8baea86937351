/* correlator_trial.h: what the correlator's tests share: integers that leave none out, tunables by
 * name.
 * Room: tests. Knows stages/correlator and stage_device.h. */
#ifndef CT_CORRELATOR_TRIAL_H
#define CT_CORRELATOR_TRIAL_H
#include "stage_device.h"
#include "stages/correlator/correlator.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum {
    X = CT_CORRELATOR_X,
    M = CT_CORRELATOR_M,
    Y = CT_CORRELATOR_Y,
    COUNTS = CT_CORRELATOR_COUNTS
};

/* A fixed sequence, different for each coordinate. */
static inline int64_t scramble(int64_t seed)
{
    uint64_t z = (uint64_t)seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
    return (int64_t)((z ^ (z >> 32)) >> 33);
}

/* Every integer of the type may occur, the most negative ones too. */
static inline void fill_integers(ct_array *x)
{
    int64_t span = x->type == CT_CI16 ? 65536 : x->type == CT_CI8 ? 256 : 16;
    for (int64_t n = 0; n < ct_array_count(x); n++)
        ct_array_save(x, n, (double)(scramble(2 * n) % span - span / 2),
                      (double)(scramble(2 * n + 1) % span - span / 2));
}

static inline void give_words(stage_case *made, const char *words)
{
    char name[16], value[16];
    int length;
    ct_error err = {0};
    for (; words && sscanf(words, " %15[A-Z_]=%15s%n", name, value, &length) == 2; words += length)
        assert_int_equal(ct_step_set_tunable(made->step, name, value, &err), CT_OK);
}

/* What words leave out is not what the processor at hand would get: the same on each. */
static inline void give_tunables(stage_case *made, const char *words)
{
    if (words) give_words(made, "VECTORS_SP=2 CELLS_SP=1");
    give_words(made, words);
}

static inline void set_tunables(stage_case *made, const char *words)
{
    ct_step_default_tunables(made->step);
    give_tunables(made, words);
    if (!ct_step_is_legal(made->step)) fail_msg("not legal: %s", words ? words : "the defaults");
}

#endif
