/* io_counters.c: the numbers that sources and sinks count themselves. Room: core/run. Knows when
 * nobody is at work in a source or sink. Does not know what they count. */
#include <math.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run_io.h"

enum { MOST_LETTERS = 64 };

/* Endings that OpenMetrics reserves. */
static bool has_ending(const char *text, size_t length)
{
    static const char *const endings[] = {"_total", "_created", "_bucket",
                                          "_count", "_sum",     "_info"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t size = strlen(endings[i]);
        if (length >= size && strcmp(text + length - size, endings[i]) == 0) return true;
    }
    return false;
}

static bool is_word(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz", others[] = "0123456789_";
    size_t length = 0;
    if (!text || !*text || !strchr(letters, *text)) return false;
    while (text[length] && (strchr(letters, text[length]) || strchr(others, text[length])))
        length++;
    return text[length] == 0 && length <= MOST_LETTERS && !has_ending(text, length);
}

bool ct_run_counters_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether both are the same counter, whatever their values are. */
static bool is_same(const ct_counter *a, const ct_counter *b)
{
    return ct_run_counters_same_text(a->name, b->name) &&
           ct_run_counters_same_text(a->unit, b->unit) &&
           ct_run_counters_same_text(a->station, b->station) &&
           ct_run_counters_same_text(a->lane, b->lane);
}

static ct_status check_counter(const ct_run_step *at, const ct_counter *one, ct_error *err)
{
    if (is_word(one->name) && (!one->unit || is_word(one->unit))) return CT_OK;
    const bool name = !is_word(one->name);
    return ct_error_add(err, CT_FAILED,
                        "node \"%s\": its count() gives a %s \"%s\": expected small letters, "
                        "digits and _, at most %d, and none of the endings that OpenMetrics gives",
                        at->step->name, name ? "name" : "unit", name ? one->name : one->unit,
                        MOST_LETTERS);
}

static ct_status make_room(ct_run *run, ct_run_step *at, int count, ct_error *err)
{
    ct_status status = CT_OK;
    if (count <= at->counter_room) return CT_OK;
    ct_counter *room = ct_arena_get(run->arena, (size_t)count * sizeof *room);
    CT_NEED(room, (size_t)count * sizeof *room, err);
    if (at->counters > 0) memcpy(room, at->counter, (size_t)at->counters * sizeof *room);
    at->counter = room;
    at->counter_room = count;
out:
    return status;
}

/* A counter that may only grow never goes back for its reader. */
static void take_counter(ct_run_step *at, int n, const ct_counter *one)
{
    const ct_counter before = at->counter[n];
    at->counter[n] = *one;
    if (!isfinite(one->value)) at->counter[n].value = 0;
    if (n >= at->counters || one->level || !is_same(&before, one)) return;
    at->counter[n].value = fmax(at->counter[n].value, before.value);
}

ct_status ct_run_counters_take(ct_run *run, ct_run_step *at, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_stage_io *stage = &at->step->stage->io;
    const bool bound = at->io.read || at->io.write;
    const ct_counter *given = NULL;
    int count = 0;
    if (bound && at->io.count) given = at->io.count(at->io.state);
    if (!bound && at->open && stage->count) given = stage->count(at->state);
    for (; given && given[count].name; count++)
        CT_TRY(check_counter(at, &given[count], err));
    CT_TRY(make_room(run, at, count, err));
    for (int n = 0; n < count; n++)
        take_counter(at, n, &given[n]);
    at->counters = count;
out:
    return status;
}
