/* candidates_say.c: the strongest pulses in a few lines, for who ends the run.
 * Room: io/candidates. Does not know who reads them. */
#include "candidates.h"

enum { SAID = 3 };    /* pulses */
#define LEAST_SNR 6.0 /* of series, in which nobody has told pulses from noise */

static void say_peak(const ct_candidates *c, const char *before, int64_t plane, const ct_peak *peak,
                     const char *mark)
{
    char product[24];
    ct_candidates_product(product, c, plane);
    const long long beam = plane / c->products;
    ct_step_say(c->step, "%sS/N %.1f at %.4f s, DM %.6g, beam %lld%s%s%s%s", before, peak->snr,
                ct_candidates_time(c, peak), ct_candidates_dm(c, peak->trial), beam,
                product[0] ? ", " : "", product, mark[0] ? ", " : "", mark);
}

void ct_candidates_say(const ct_candidates *c)
{
    const int64_t plane = ct_candidates_best(c);
    const ct_peak *best = &c->best[plane];
    const long long found = c->bins ? c->bins->listed + c->bins->unlisted : 0;
    if (!(best->snr > 0.0)) {
        ct_step_say(c->step, "no pulses");
    } else if (c->bins && found > 0) {
        ct_step_say(c->step, "%lld pulse%s", found, found == 1 ? "" : "s, the strongest");
        for (int64_t i = 0; i < SAID && i < c->bins->listed; i++)
            say_peak(c, "  ", c->list[i].plane, &c->list[i].peak, ct_list_mark(c, &c->list[i]));
    } else if (c->bins || best->snr < LEAST_SNR) {
        say_peak(c,
                 c->bins ? "none above the threshold; the strongest: "
                         : "none above 6; the strongest: ",
                 plane, best, "");
    } else {
        say_peak(c, "the strongest: ", plane, best, "");
    }
}
