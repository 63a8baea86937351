/* traffic.c: see traffic.h. Room: tuner/forecast. */
#include "traffic.h"

#include "fail.h"
#include "memory.h"

typedef struct box {
    int64_t first[CT_DIMS], count[CT_DIMS];
    int64_t key;
    int lowest; /* the first rank that has the same */
} box;

static int64_t common_bytes(const box *a, const box *b, const ct_array *whole)
{
    int64_t bytes = (int64_t)ct_type_bits(whole->type) / 8;
    for (int k = 0; k < whole->rank; k++) {
        const int64_t enda = a->first[k] + a->count[k], endb = b->first[k] + b->count[k];
        const int64_t first = a->first[k] > b->first[k] ? a->first[k] : b->first[k];
        const int64_t end = enda < endb ? enda : endb;
        if (end <= first) return 0;
        bytes *= end - first;
    }
    return bytes;
}

/* The receiver's own range is not sent; others come from the lowest rank that has them. */
static int64_t bytes_between(const box *has, const box *wants, const ct_array *whole, int from,
                             int to)
{
    const bool same = has[from].key == has[to].key;
    if (same ? from != to : has[from].lowest != from) return 0;
    return common_bytes(&has[from], &wants[to], whole);
}

static void fill_boxes(box *boxes, int ranks, const ct_array *whole, const ct_partition *partition)
{
    for (int r = 0; r < ranks; r++) {
        ct_partition_box(partition, whole, r, boxes[r].first, boxes[r].count);
        boxes[r].key = ct_partition_key(partition, whole, r);
        for (boxes[r].lowest = 0; boxes[boxes[r].lowest].key != boxes[r].key;)
            boxes[r].lowest++;
    }
}

static void raise(int64_t *most, int64_t value)
{
    if (value > *most) *most = value;
}

static void count_rank(ct_traffic *out, const box *has, const box *wants, const ct_array *whole,
                       int rank, int ranks)
{
    int64_t sent = 0, received = 0, messages = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t bytes = bytes_between(has, wants, whole, rank, r);
        if (r == rank) raise(&out->kept, bytes);
        if (r == rank) continue;
        sent += bytes;
        messages += bytes > 0;
        raise(&out->link, bytes);
        received += bytes_between(has, wants, whole, r, rank);
    }
    raise(&out->sent, sent);
    raise(&out->received, received);
    raise(&out->messages, messages);
}

ct_status ct_traffic_count(ct_traffic *out, int ranks, const ct_array *whole,
                           const ct_partition *from, const ct_partition *to, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t size = sizeof(box) * (size_t)ranks;
    box *has = ct_memory_get(size), *wants = ct_memory_get(size);
    *out = (ct_traffic){0};
    CT_NEED(has, size, err);
    CT_NEED(wants, size, err);
    fill_boxes(has, ranks, whole, from);
    fill_boxes(wants, ranks, whole, to);
    for (int r = 0; r < ranks; r++)
        count_rank(out, has, wants, whole, r, ranks);
out:
    ct_memory_free(has);
    ct_memory_free(wants);
    return status;
}
