/* text_sort.c: a sorting network as text.
 * Room: base. Knows the order of comparisons. Does not know what is compared. */
#include "cornerturn_stage.h"

void ct_text_add_sort(ct_text *text, const char *name, int sorted, int count)
{
    if (!text || !name || sorted < 1) return;
    ct_text_add(text, "#define %s(ORDER)", name);
    for (int p = sorted; p < count; p *= 2)
        for (int k = p; k >= 1; k /= 2)
            for (int j = k % p; j + k < count; j += 2 * k)
                for (int i = j; i < j + k && i + k < count; i++)
                    if (i / (2 * p) == (i + k) / (2 * p))
                        ct_text_add(text, " ORDER(%d, %d)", i, i + k);
    ct_text_add(text, "\n");
}
