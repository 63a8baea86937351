/* verify_order.c: after wrong results: what does the kernel take for granted? An order of a port's
 * dimensions, that an array begins where its memory does, or that its rows follow each other
 * without gaps. Room: tuner/verify. Knows layouts as lists. Does not know how a variant is run. One
 * port at a time goes through its layouts, with all others in natural order. */
#include "fail.h"
#include "text.h"
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
static bool order_is_right(const verify_call *call, int64_t read, int64_t write, unsigned begin,
                           int64_t pad)
{
    verify_variant variant;
    ct_error unsaid = {0};
    double worst = 0;
    ct_verify_plain(call, &variant, read, write);
    variant.begin = begin;
    variant.pad = pad;
    return ct_verify_run(&call->one, &variant, call->device, &worst, &unsaid) == CT_OK;
}

static void order_look(const verify_call *call, int port, unsigned begin, order_found *found)
{
    const int64_t count = ct_verify_layouts(call, port);
    const int64_t tries = count < ORDER_TRIES ? count : ORDER_TRIES;
    for (int64_t i = 0; i < tries; i++) {
        const int64_t n = i * count / tries;
        const char *layout = call->layouts[port][n].dim;
        if (order_is_right(call, port == call->read ? n : 0, port == call->write ? n : 0, begin, 0))
            order_add(found->rights, &found->right, layout);
        else
            order_add(found->wrongs, &found->wrong, layout);
    }
}

static void order_say(const verify_call *call, int port, const order_found *found, ct_text *note)
{
    const char *name = call->stage->ports[port].name;
    ct_text_add(note,
                "takes the order of %s for granted: with the other ports in natural order it is "
                "right where %s is %s%s, wrong where it is %s%s",
                name, name, found->rights, found->right > ORDER_NAMES ? ", .." : "", found->wrongs,
                found->wrong > ORDER_NAMES ? ", .." : "");
}

/* A port that is right in some of its layouts; nothing is added where there is none. */
static void order_ports(const verify_call *call, unsigned begin, ct_text *note)
{
    const int ports[] = {call->read, call->write};
    for (int i = 0; i < 2; i++) {
        order_found found = {0};
        if (ports[i] < 0 || call->count[ports[i]] < 2) continue;
        order_look(call, ports[i], begin, &found);
        if (!found.right || !found.wrong) continue;
        order_say(call, ports[i], &found, note);
        return;
    }
}

/* ---- where arrays begin */

static bool order_is_moved(const verify_call *call, int port)
{
    const ct_direction direction = call->stage->ports[port].direction;
    return call->count[port] && (direction == CT_IN || direction == CT_OUT);
}

/* The ports whose data have to lie where their memory begins for natural order to be right: one, or
 * all; 0 where that does not help. */
static unsigned order_begin(const verify_call *call)
{
    unsigned all = 0;
    for (int i = 0; i < CT_PORTS && call->stage->ports[i].name; i++) {
        if (!order_is_moved(call, i)) continue;
        if (order_is_right(call, 0, 0, 1u << i, 0)) return 1u << i;
        all |= 1u << i;
    }
    return order_is_right(call, 0, 0, all, 0) ? all : 0;
}

static void order_say_begin(const verify_call *call, unsigned begin, ct_text *note)
{
    const ct_port *ports = call->stage->ports;
    const char *before = "takes for granted that the data of ";
    for (int i = 0; i < CT_PORTS && ports[i].name; i++) {
        if (!(begin >> i & 1)) continue;
        ct_text_add(note, "%s%s", before, ports[i].name);
        before = " and ";
    }
    before = " lie where their memory begins: to the index belongs ";
    for (int i = 0; i < CT_PORTS && ports[i].name; i++) {
        if (!(begin >> i & 1)) continue;
        ct_text_add(note, "%s%s_OFFSET", before, ports[i].name);
        before = ", ";
    }
}

/* ---- all */

static void order_find(const verify_call *call, ct_text *note)
{
    ct_text order = {0};
    unsigned begin = 0;
    const bool plain = order_is_right(call, 0, 0, 0, 0);
    if (!plain) begin = order_begin(call);
    if (begin) order_say_begin(call, begin, note);
    order_ports(call, begin, &order);
    if (order.data) ct_text_add(note, "%s%s", begin ? "; and it " : "", order.data);
    if (plain && !order.data && !order_is_right(call, 0, 0, 0, 3))
        ct_text_add(note,
                    "takes for granted that rows follow each other without gaps: to the index "
                    "belong strides, such as %s_STRIDE_T",
                    call->stage->ports[0].name);
    ct_text_free(&order);
}

void ct_verify_order(verify_call *call)
{
    ct_text note = {0};
    order_find(call, &note);
    if (note.data)
        snprintf(call->report->note, sizeof call->report->note, "%s case %d: the kernel %s",
                 call->stage->name, call->one.number, note.data);
    ct_text_free(&note);
}
