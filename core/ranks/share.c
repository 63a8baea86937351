/* share.c: see share.h. Room: core/ranks. */
#include "share.h"

#include <stdio.h>
#include <string.h>

static int coordinate(const ct_share *share, int way, int rank)
{
    for (int k = share->ways - 1; k > way; k--)
        rank /= share->way[k].parts;
    return rank % share->way[way].parts;
}

/* The part that counts: surplus ranks have what earlier ones have. */
static int64_t part_of(const ct_share *share, int way, int rank)
{
    return coordinate(share, way, rank) % share->way[way].units;
}

static int64_t parts_of(const ct_share_way *way)
{
    return way->parts < way->units ? way->parts : way->units;
}

void ct_share_range(const ct_share *share, int way, int rank, int64_t *first, int64_t *count)
{
    const ct_share_way *w = &share->way[way];
    const int64_t part = part_of(share, way, rank), parts = parts_of(w);
    *first = part * w->units / parts;
    *count = (part + 1) * w->units / parts - *first;
}

void ct_share_box(const ct_share *share, const ct_array *array, int rank, int64_t first[CT_DIMS],
                  int64_t count[CT_DIMS])
{
    for (int k = 0; k < array->rank; k++) {
        first[k] = 0;
        count[k] = share->root && rank > 0 && array->dim[k] != 'T' ? 1 : array->extent[k];
    }
    for (int w = 0; w < share->ways; w++) {
        const int k = ct_array_find(array, share->way[w].dim);
        int64_t from, some;
        if (k < 0 || share->way[w].sum) continue;
        const int64_t each = array->extent[k] / share->way[w].units;
        ct_share_range(share, w, rank, &from, &some);
        first[k] = from * each;
        count[k] = some * each;
    }
}

int64_t ct_share_cell(const ct_share *share, const ct_array *array, int rank)
{
    int64_t cell = share->root && rank > 0;
    for (int w = 0; w < share->ways; w++)
        if (share->way[w].sum || ct_array_find(array, share->way[w].dim) >= 0)
            cell = cell * parts_of(&share->way[w]) + part_of(share, w, rank);
    return cell;
}

int64_t ct_share_addend(const ct_share *share, int rank)
{
    int64_t addend = 0;
    for (int w = 0; w < share->ways; w++)
        if (share->way[w].sum) addend = addend * parts_of(&share->way[w]) + part_of(share, w, rank);
    return addend;
}

static bool is_sum(const ct_share *share)
{
    for (int w = 0; w < share->ways; w++)
        if (share->way[w].sum && parts_of(&share->way[w]) > 1) return true;
    return false;
}

bool ct_share_serves(const ct_share *has, const ct_share *wants, const ct_array *array, int ranks)
{
    if (is_sum(has)) return false;
    for (int r = 0; r < (wants->root ? 1 : ranks); r++) {
        int64_t a[2][CT_DIMS], b[2][CT_DIMS];
        ct_share_box(has, array, r, a[0], a[1]);
        ct_share_box(wants, array, r, b[0], b[1]);
        for (int k = 0; k < array->rank; k++)
            if (a[0][k] != b[0][k] || a[1][k] != b[1][k]) return false;
    }
    return true;
}

const char *ct_share_print(char out[CT_SHARE_TEXT], const ct_share *share)
{
    size_t used = 0;
    out[0] = 0;
    for (int w = 0; w < share->ways; w++)
        used += (size_t)snprintf(out + used, CT_SHARE_TEXT - used, "%s%c|",
                                 share->way[w].sum ? "+" : "", share->way[w].dim);
    if (used == 0) snprintf(out, CT_SHARE_TEXT, "%s", share->root ? "rank 0" : "all ranks");
    return out;
}
