/* suggest.c: the nearest of several words to a misspelt one.
 * Room: base. Knows letters. Does not know what the words name. */
#include "suggest.h"

#include "cornerturn_stage.h"

#include <stdio.h>
#include <string.h>

#define CT_SUGGEST_LONGEST 63

static int ct_suggest_least(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours from a to b: the restricted edit
 * distance of Damerau, Commun. ACM 7 (1964), 171, by the table of Wagner and Fischer, J. ACM 21
 * (1974), 168. */
static int ct_suggest_distance(const char *a, const char *b)
{
    int cost[CT_SUGGEST_LONGEST + 1][CT_SUGGEST_LONGEST + 1];
    int rows = (int)strlen(a), columns = (int)strlen(b);
    for (int i = 0; i <= rows; i++) {
        for (int j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            int best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = ct_suggest_least(best, cost[i - 1][j] + 1);
            best = ct_suggest_least(best, cost[i][j - 1] + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = ct_suggest_least(best, cost[i - 2][j - 2] + 1);
            cost[i][j] = best;
        }
    }
    return cost[rows][columns];
}

/* "hanning" is "hann" with more letters, whatever else is as similar. */
static bool ct_suggest_begins(const char *word, const char *choice)
{
    const size_t length = strlen(choice);
    return length >= 3 && strlen(word) > length && strncmp(word, choice, length) == 0;
}

const char *ct_suggest_nearest(const char *word, const char *const *choices)
{
    if (!word || !choices) return NULL;
    size_t length = strlen(word);
    if (length > CT_SUGGEST_LONGEST) return NULL;
    const char *nearest = NULL;
    int least = (length >= 6 ? (int)length / 3 : 1) + 1;
    for (; *choices != NULL; choices++) {
        if (strlen(*choices) > CT_SUGGEST_LONGEST) continue;
        int distance = ct_suggest_distance(word, *choices);
        if (ct_suggest_begins(word, *choices) && distance > 1) distance = 1;
        /* Words with nothing in common are not similar: "a" is not a misspelt "b". */
        if (distance >= least || (distance > 0 && (size_t)distance >= length)) continue;
        least = distance;
        nearest = *choices;
    }
    return nearest;
}

const char *ct_suggest_say(char out[CT_SUGGEST_SAY], const char *word, const char *const *choices)
{
    const char *near = ct_suggest_nearest(word, choices);
    out[0] = 0;
    if (near) snprintf(out, CT_SUGGEST_SAY, "; did you mean \"%s\"?", near);
    return out;
}
