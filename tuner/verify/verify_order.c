/* verify_order.c: after wrong results: is the kernel right in some orders of a port's dimensions
 * and wrong in others? Room: tuner/verify. Knows layouts as lists. Does not know how a variant is
 * run. One port at a time goes through its layouts, with all others in natural order. */
#include "fail.h"
#include "verify_inner.h"
#include <stdio.h>
#include <string.h>

enum { ORDER_TRIES = 8, ORDER_NAMES = 4 }; /* layouts that are tried, and that a sentence names */

typedef struct order_found {
    int right, wrong; /* how many */
    char rights[64], wrongs[64];
} order_found;

static void order_add(char out[64], int *count, const char *layout)
{
    const size_t length = strlen(out);
    if ((*count)++ < ORDER_NAMES)
        snprintf(out + length, 64 - length, "%s%s", length ? ", " : "", layout);
}

/* Only whether it is right; that it cannot be built or run is said elsewhere. */
static bool order_is_right(const verify_call *call, int64_t read, int64_t write)
{
    verify_variant variant;
    ct_error unsaid = {0};
    double worst = 0;
    ct_verify_plain(call, &variant, read, write);
    return ct_verify_run(&call->one, &variant, call->device, &worst, &unsaid) == CT_OK;
}

static void order_look(const verify_call *call, int port, order_found *found)
{
    const int64_t count = ct_verify_layouts(call, port);
    const int64_t tries = count < ORDER_TRIES ? count : ORDER_TRIES;
    for (int64_t i = 0; i < tries; i++) {
        const int64_t n = i * count / tries;
        const char *layout = call->layouts[port][n].dim;
        if (order_is_right(call, port == call->read ? n : 0, port == call->write ? n : 0))
            order_add(found->rights, &found->right, layout);
        else
            order_add(found->wrongs, &found->wrong, layout);
    }
}

static void order_say(const verify_call *call, int port, const order_found *found)
{
    char *note = call->report->note;
    const size_t size = sizeof call->report->note;
    const char *name = call->stage->ports[port].name;
    snprintf(note, size,
             "%s case %d: the kernel takes the order of %s for granted: with the other ports in "
             "natural order it is right where %s is %s%s, wrong where it is %s%s",
             call->stage->name, call->one.number, name, name, found->rights,
             found->right > ORDER_NAMES ? ", .." : "", found->wrongs,
             found->wrong > ORDER_NAMES ? ", .." : "");
}

void ct_verify_order(verify_call *call)
{
    const int ports[] = {call->read, call->write};
    for (int i = 0; i < 2; i++) {
        order_found found = {0};
        if (ports[i] < 0 || call->count[ports[i]] < 2) continue;
        order_look(call, ports[i], &found);
        if (!found.right || !found.wrong) continue;
        order_say(call, ports[i], &found);
        return;
    }
}
