/* dada_ring.c: see dada_ring.h: the module, a ring by its key, its header.
 * Room: io/dada. Knows the order of calls. Does not know PSRDADA's library, or blocks. */
#include "dada_ring.h"
#include "module.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef CT_PSRDADA_MODULE
#define CT_PSRDADA_MODULE ""
#endif

enum { RING_TICK_US = 1000, RING_BUSY_TICKS = 2000 };

/* ---- by its key */

static bool ring_key(const char *text, uint32_t *key)
{
    char *end = NULL;
    if (strspn(text, "0123456789abcdefABCDEFx") != strlen(text)) return false; /* no sign */
    const unsigned long long number = strtoull(text, &end, 16);
    *key = (uint32_t)number;
    return end != text && !*end && number > 0 && number < UINT32_MAX;
}

static ct_status ring_load(ct_dada_ring *of, ct_error *err)
{
    char path[CT_MODULE_PATH];
    if (CT_PSRDADA_MODULE[0] == 0)
        return ct_step_fail(of->step, "key", err,
                            "this Cornerturn was built without PSRDADA's library, which rings "
                            "need: install it, and build Cornerturn again");
    const char *why =
        ct_module_load(CT_PSRDADA_MODULE, CT_RING_SYMBOL, path, (const void **)&of->calls);
    if (why)
        return ct_step_fail(of->step, "key", err,
                            "the module that reads and writes rings cannot be loaded: %s", why);
    if (of->calls && of->calls->version == CT_RING_VERSION) return CT_OK;
    return ct_step_fail(of->step, "key", err, "%s is of another version of Cornerturn", path);
}

ct_status ct_dada_ring_find(ct_dada_ring *of, const ct_step *step, ct_error *err)
{
    const char *text = ct_step_text(step, "key");
    *of = (ct_dada_ring){.step = step};
    if (!ring_key(text, &of->key))
        return ct_step_fail(step, "key", err,
                            "expected the key of a ring in hexadecimal digits, as dada_db's -k "
                            "takes it, found \"%s\"",
                            text);
    snprintf(of->name, sizeof of->name, "ring %x", of->key);
    return ring_load(of, err);
}

/* ---- attached */

ct_status ct_dada_ring_fail(const ct_dada_ring *of, const char *why, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: %s", of->name, why);
}

bool ct_dada_ring_wait(const ct_dada_ring *of)
{
    const struct timespec tick = {.tv_nsec = RING_TICK_US * 1000L};
    if (ct_step_stopped(of->step)) return false;
    (void)nanosleep(&tick, NULL);
    return true;
}

ct_status ct_dada_ring_attach(ct_dada_ring *of, bool writes, ct_error *err)
{
    char why[CT_RING_WHY];
    ct_ring_answer answer = of->calls->attach(&of->ring, of->key, writes, why);
    for (int i = 0; answer == CT_RING_BUSY && i < RING_BUSY_TICKS; i++) {
        if (!ct_dada_ring_wait(of)) return CT_INTERRUPTED;
        answer = of->calls->attach(&of->ring, of->key, writes, why);
    }
    if (answer == CT_RING_DONE) return CT_OK;
    if (answer == CT_RING_FAILED) return ct_dada_ring_fail(of, why, err);
    return ct_dada_ring_fail(of,
                             writes ? "another program writes to it"
                                    : "other programs read it, as many as dada_db's -r says",
                             err);
}

void ct_dada_ring_release(ct_dada_ring *of)
{
    if (of->ring) of->calls->release(of->ring);
    of->ring = NULL;
}

ct_status ct_dada_ring_look(ct_dada_ring *of, const char **text, size_t *bytes, ct_error *err)
{
    (void)err;
    while (of->calls->peek(of->ring, text, bytes) == CT_RING_WAIT)
        if (!ct_dada_ring_wait(of)) return CT_INTERRUPTED;
    return CT_OK;
}
