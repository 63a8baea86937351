/* dada_state.c: what STATE says of power: the products along Q, and back. The names are PSRCHIVE's
 * (Signal::State), which dspsr writes.
 * Room: io/dada. Knows the key's words. Does not know blocks. */
#include "dada.h"
#include <string.h>
#include <strings.h>

static const struct {
    const char *state, *names;
} states[] = {{"Intensity", "I"},           {"PPQQ", "AA BB"},     {"PP", "AA"},      {"QQ", "BB"},
              {"Coherence", "AA BB CR CI"}, {"Stokes", "I Q U V"}, {"Detected", NULL}};
enum { STATES = sizeof states / sizeof states[0] };

bool ct_dada_detected(const char *state)
{
    for (int i = 0; i < STATES; i++)
        if (strcasecmp(state, states[i].state) == 0) return true;
    return false;
}

const char *ct_dada_names(const char *state)
{
    for (int i = 0; i < STATES; i++)
        if (strcasecmp(state, states[i].state) == 0) return states[i].names;
    return NULL;
}

const char *ct_dada_state(const ct_array *in)
{
    char names[CT_PRODUCTS_TEXT] = "";
    ct_products known = {0};
    if (ct_array_product(in, 0)) known = *in->meta.products;
    if (known.count == 0 && ct_array_extent(in, 'Q') == 1) return states[0].state;
    known.feed = CT_FEED_UNKNOWN; /* STATE does not say it */
    ct_products_print(names, &known);
    for (int i = 0; i < STATES && names[0]; i++)
        if (states[i].names && strcmp(names, states[i].names) == 0) return states[i].state;
    return "Detected";
}
