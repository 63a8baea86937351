/* confirm.h: whole plans: what steps take in place, which candidates are compared at the end, and
 * which of them is taken.
 * Room: tuner/confirm. Knows whole plans' times. Does not know how they are measured.
 * time_candidates.c times candidates whole; in_place.c takes what steps take there into the
 * results; best_candidates.c lists the best that fit into memory; final_comparison.c chooses;
 * block_sizes.c tries other blocks. */
#ifndef CT_TUNER_CONFIRM_H
#define CT_TUNER_CONFIRM_H
#include "verdict.h"

enum { CT_CONFIRM_CANDIDATES = 4 };

/* What a journal calls it: "default", or the layouts of every step; then its block, if that is not
 * the default's. */
void ct_confirm_name(const ct_candidate *candidate, ct_text *out);
/* Times them in turn, and writes that down. `fresh`: in so many processes; 0: in the one that there
 * is. */
typedef struct ct_confirm_way {
    int rounds, fresh;
} ct_confirm_way;
ct_status ct_confirm_time(const ct_candidate *candidates, int count, ct_confirm_way way,
                          ct_plan_timing *out, ct_error *err);
enum { CT_CONFIRM_ROUNDS = 5 };

/* What each step of the default plan takes in place; from a journal. */
ct_status ct_confirm_default(ct_tuner *tuner, ct_error *err);
void ct_confirm_default_from(ct_tuner *tuner, const ct_plan_timing *defaults);
/* Once more, to know how long that takes after the driver has stored what it compiled. */
ct_status ct_confirm_pace(ct_tuner *tuner, ct_error *err);
/* Times the best candidates together with the default until the best one is one that was timed. */
ct_status ct_confirm_calibrate(ct_tuner *tuner, double share, ct_error *err);

/* The default, then the best candidates of measured parts that fit into memory:
 * CT_CONFIRM_CANDIDATES at most. */
ct_status ct_confirm_best(ct_tuner *tuner, ct_candidate *candidates, int *count, ct_error *err);
ct_status ct_confirm_fits(const ct_candidate *candidate, bool *fits, ct_error *err);
/* Whether there is room for the default plan, or at least for the one with the smallest copies. */
ct_status ct_confirm_room(ct_tuner *tuner, bool *fits, ct_error *err);

/* Tuners of one pipeline, fused in different ways; the first one's default is compared with. */
/* CT_INVALID where there is no room even for the plan with the least copies: no measurement would
 * be of use. */
ct_status ct_confirm_any_room(ct_tuner *const *tuners, int count, ct_error *err);
/* In fresh processes, until the best candidate is clearly better than each other one, or as good as
 * that, as far as the budget allows; takes it if it is clearly better than the default, otherwise
 * the default. The verdict is of these two by themselves. Candidates of all tuners are ranked
 * together; the last of them are left out, and then processes, where the budget is nearly spent. */
ct_status ct_confirm_choose(ct_tuner *const *tuners, int count, ct_candidate *chosen,
                            ct_verdict *verdict, ct_error *err);
/* guess.c: the best by what was measured so far, without timing anything. */
ct_status ct_confirm_guess(ct_tuner *const *tuners, int count, ct_candidate *chosen,
                           ct_verdict *verdict, ct_error *err);
/* What ct_confirm_choose probably takes, where a plan takes so many seconds to be rehearsed. */
double ct_confirm_seconds(double plan_s, int tuners);

/* Rehearses the candidate with a few more or fewer samples per block. The one that takes least per
 * sample is compared once more, by fresh pairs, with the candidate as it was; if it is clearly
 * faster then, too, it is taken, and the verdict is of fresh pairs with `defaults`. Does nothing
 * where the budget is spent. */
ct_status ct_confirm_block_sizes(const ct_candidate *defaults, ct_candidate *candidate,
                                 ct_verdict *verdict, ct_verdict_block *block, ct_error *err);
/* What that takes, about, where a plan takes so many seconds to be rehearsed. */
double ct_confirm_block_sizes_seconds(double plan_s);

#endif
