/* stage_split.c: whether a stage's `split` names dimensions that its ports have.
 * Room: core/stage. Knows the descriptor's grammar. Does not know shapes. */
#include <ctype.h>
#include <string.h>

#include "stage_check_inner.h"
#include "step_range.h"

static const ct_stage_place split_place = {NULL, NULL, NULL, "split"};

/* The letter by which accessors call a dimension: "S", and of "[SB]" the first. */
static bool dims_have(const char *dims, char letter)
{
    for (; *dims; dims++) {
        if (*dims == letter || (*dims == '[' && dims[1] == letter)) return true;
        if (*dims == '[') dims += strcspn(dims, "]");
        if (!*dims) return false;
    }
    return false;
}

static bool stage_has(const ct_stage *stage, char letter, ct_direction direction)
{
    for (int i = 0; i < CT_PORTS && stage->ports[i].name; i++)
        if (stage->ports[i].direction == direction && stage->ports[i].dims &&
            dims_have(stage->ports[i].dims, letter))
            return true;
    return false;
}

static void check_word(ct_stage_checker *check, const char *word, size_t length, size_t before)
{
    const ct_stage *stage = check->stage;
    const bool sum = *word == '+';
    const char letter = word[sum];
    if (length != 1u + sum || !isupper((unsigned char)letter)) {
        ct_stage_say(check, split_place,
                     "split \"%s\": column %d: expected a dimension's letter, with a '+' before it "
                     "where parts are to be added, or \"*\" alone",
                     stage->split, (int)before + 1);
        return;
    }
    if (ct_role_of_stage(stage) == CT_ROLE_SOURCE && (sum || letter == 'T'))
        ct_stage_say(check, split_place,
                     "split \"%s\": a source is read in ranges of other dimensions than T, and "
                     "nothing is added",
                     stage->split);
    if (memchr(stage->split, letter, before))
        ct_stage_say(check, split_place, "split \"%s\": %c stands there twice", stage->split,
                     letter);
    if (ct_role_of_stage(stage) == CT_ROLE_SINK && (sum || letter == 'T'))
        ct_stage_say(
            check, split_place,
            "split \"%s\": a sink writes ranges of other dimensions than T, and nothing is "
            "added",
            stage->split);
    if (!stage_has(stage, letter, CT_IN) && !(!sum && stage_has(stage, letter, CT_OUT)))
        ct_stage_say(check, split_place, "split \"%s\": no %s has a dimension %c", stage->split,
                     sum ? "input" : "port", letter);
    else if (ct_role_of_stage(stage) != CT_ROLE_SINK && !sum && !stage_has(stage, letter, CT_OUT))
        ct_stage_say(check, split_place,
                     "split \"%s\": no output has a dimension %c, so parts could only be added: "
                     "expected \"+%c\"",
                     stage->split, letter, letter);
}

void ct_stage_check_split(ct_stage_checker *check)
{
    const ct_stage *stage = check->stage;
    const char *at = stage->split;
    if (!at) return;
    if (!strcmp(at, "*")) {
        if (!stage->ports[0].dims || strcmp(stage->ports[0].dims, "*") != 0)
            ct_stage_say(check, split_place,
                         "split \"*\" is for ports of any dimensions: expected letters");
        return;
    }
    for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        check_word(check, at, length, (size_t)(at - stage->split));
        at += length;
    }
}
