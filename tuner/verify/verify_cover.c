/* verify_cover.c: few layouts among which every dimension has every place once, and every two
 * dimensions follow each other both ways: what a quick call tries of the many of four dimensions
 * and more (a design balanced for neighbours: Williams 1949; here built greedily, since a port may
 * not have all layouts). Room: tuner/verify. Knows layouts as text. Does not know which are right
 * or fast. */
#include "verify_inner.h"
#include <string.h>

typedef struct cover_seen {
    bool at[26][CT_DIMS]; /* letter, place */
    bool before[26][26];  /* letter, the next one */
} cover_seen;

/* What this layout would add, or adds. */
static int cover_gain(cover_seen *seen, const ct_layout *layout, bool add)
{
    int gain = 0;
    for (int i = 0; i < layout->rank; i++) {
        const int letter = layout->dim[i] - 'A';
        bool *const at = &seen->at[letter][i];
        bool *const before = i ? &seen->before[layout->dim[i - 1] - 'A'][letter] : at;
        gain += !*at + (i && !*before);
        if (add) *at = *before = true;
    }
    return gain;
}

/* The first of those that add most; -1 where none adds anything. */
static int64_t cover_best(cover_seen *seen, const ct_layout *list, int64_t first, int64_t count)
{
    int64_t best = -1;
    int most = 0;
    for (int64_t n = first; n < count; n++) {
        const int gain = cover_gain(seen, &list[n], false);
        best = gain > most ? n : best;
        most = gain > most ? gain : most;
    }
    return best;
}

int64_t ct_verify_cover(ct_layout *list, int64_t count)
{
    cover_seen seen = {0};
    int64_t chosen = 0, best;
    while ((best = cover_best(&seen, list, chosen, count)) >= 0) {
        const ct_layout layout = list[best];
        memmove(list + chosen + 1, list + chosen, (size_t)(best - chosen) * sizeof *list);
        list[chosen++] = layout;
        (void)cover_gain(&seen, &layout, true);
    }
    return chosen;
}
