/* graph_key_compare.c: which node of a pipeline is which of another one with the same graph of
 * stages, and how far their sizes are apart. Room: tuner/store. */
#include "graph_key.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cornerturn_stage.h"
#include "fail.h"

/* ---- which is which */

/* Nodes at one place do the same: those of one name first, then those with the same sizes and
 * parameters, then as they come. */
typedef enum key_likeness { KEY_NAME, KEY_ALL, KEY_PLACE, KEY_LIKENESSES } key_likeness;

static bool key_is_like(const ct_graph_key_node *a, const ct_graph_key_node *b, key_likeness like)
{
    if (a->sink != b->sink || strcmp(a->at, b->at) != 0) return false;
    if (like == KEY_NAME) return strcmp(a->name, b->name) == 0;
    return like == KEY_PLACE || (strcmp(a->rest, b->rest) == 0 && strcmp(a->sizes, b->sizes) == 0);
}

static void key_pair(int *other, bool *taken, const ct_graph_key *key, const ct_graph_key *here)
{
    for (int n = 0; n < key->count; n++)
        other[n] = -1;
    for (key_likeness like = 0; like < KEY_LIKENESSES; like++)
        for (int n = 0; n < key->count; n++)
            for (int m = 0; other[n] < 0 && m < here->count; m++)
                if (!taken[m] && key_is_like(&key->node[n], &here->node[m], like)) {
                    taken[m] = true;
                    other[n] = m;
                }
}

/* ---- how far */

/* The first one is enough. */
static void key_say(ct_graph_key_match *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void key_say(ct_graph_key_match *out, const char *format, ...)
{
    va_list list;
    out->same = false;
    if (out->why[0]) return;
    va_start(list, format);
    ct_number_print_args(out->why, sizeof out->why, format, list);
    va_end(list);
}

/* "S=3" of "S=3 P=2": how long it is, and the number; 0: it is none. */
static int key_extent(const char *sizes, double *extent)
{
    const int length = (int)strcspn(sizes, " ");
    *extent = length > 2 ? ct_number_read(sizes + 2, NULL) : 0;
    return length;
}

/* Both are lists such as "S=3 P=2": the sum over those that differ. */
static void key_add_distance(ct_graph_key_match *out, const ct_graph_key_node *key,
                             const ct_graph_key_node *here)
{
    const char *was = key->sizes, *is = here->sizes;
    while (*was && *is) {
        double a, b;
        const int was_long = key_extent(was, &a), is_long = key_extent(is, &b);
        if (was_long != is_long || strncmp(was, is, (size_t)was_long) != 0) {
            out->distance += a > 0 && b > 0 && isfinite(a) && isfinite(b) ? fabs(log(b / a)) : 1e3;
            key_say(out, "%.*s of \"%s\", here %.*s", was_long, was, here->name, is_long, is);
        }
        was += was_long + (was[was_long] == ' ');
        is += is_long + (is[is_long] == ' ');
    }
    if (*was || *is) key_say(out, "other sizes of \"%s\"", here->name);
}

static void key_add_block(ct_graph_key_match *out, int64_t was, int64_t is)
{
    if (was == is) return;
    if (was > 0 && is > 0) out->distance += fabs(log((double)is / (double)was));
    if (was > 0 && is > 0)
        key_say(out, "blocks of %lld samples, here %lld", (long long)was, (long long)is);
    else
        key_say(out, "a block that %s",
                was > 0 ? "is pinned, here it is open" : "is open, here it is pinned");
}

static void key_add_differences(ct_graph_key_match *out, const int *other, const ct_graph_key *key,
                                const ct_graph_key *here)
{
    int paired = 0;
    for (int n = 0; n < key->count; n++)
        if (other[n] >= 0) key_add_distance(out, &key->node[n], &here->node[other[n]]);
    key_add_block(out, key->block, here->block);
    for (int n = 0; n < key->count; n++) {
        const bool there = other[n] >= 0;
        paired += there;
        if (there && strcmp(key->node[n].rest, here->node[other[n]].rest) != 0)
            key_say(out, "other parameters or pins of \"%s\"", here->node[other[n]].name);
    }
    if (paired != key->count || paired != here->count) key_say(out, "other outputs");
}

ct_status ct_graph_key_compare(ct_graph_key_match *out, int *other, const ct_graph_key *key,
                               const ct_graph_key *here, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t bytes = sizeof(bool) * (size_t)(here->count + 1);
    bool *taken = ct_memory_get(bytes);
    *out = (ct_graph_key_match){.same = true};
    CT_NEED(taken, bytes, err);
    key_pair(other, taken, key, here);
    bool fits = strcmp(key->stages, here->stages) == 0;
    for (int n = 0; n < key->count; n++)
        fits = fits && (other[n] >= 0 || key->node[n].sink);
    for (int m = 0; m < here->count; m++)
        fits = fits && (taken[m] || here->node[m].sink);
    if (!fits) CT_TRY(ct_error_add(err, CT_INVALID, "it was tuned for another graph of stages"));
    key_add_differences(out, other, key, here);
out:
    ct_memory_free(taken);
    return status;
}
