/* explain_tuned.c: what a plan says of itself: on which device it was tuned, when, and how good it
 * is. Room: tuner/explain. Knows what plans' "key" and "tuned" hold. Does not know who made them.
 */
#include <stdio.h>
#include <string.h>

#include "explain_inner.h"
#include "json_text.h"
#include "text.h"

static const char *tuned_word(const ct_value *object, const char *name)
{
    return ct_value_text(ct_value_get(object, name), "");
}

/* "pthread-x (Portable Computing Language, 2 cores)" */
static void tuned_device(ct_text *out, const ct_value *key)
{
    const char *platform = tuned_word(key, "platform"), *cores = tuned_word(key, "cores");
    ct_text_add(out, " on %s", tuned_word(key, "device"));
    if (*platform) ct_text_add(out, " (%s", platform);
    if (*platform && *cores) ct_text_add(out, ", %s core%s", cores, strcmp(cores, "1") ? "s" : "");
    if (*platform) ct_text_add(out, ")");
}

void ct_explain_tuned(ct_text *out, const ct_plan *plan)
{
    ct_value *key = NULL, *tuned = NULL;
    if (plan->about[0]) (void)ct_value_parse(&key, plan->about[0], "key", NULL);
    if (plan->about[1]) (void)ct_value_parse(&tuned, plan->about[1], "tuned", NULL);
    if (tuned) ct_text_add(out, "tuned");
    if (tuned && *tuned_word(key, "device")) tuned_device(out, key);
    if (tuned && ct_value_get(tuned, "ratio"))
        ct_text_add(out, ": %.2f of the default plan's time",
                    ct_value_real(ct_value_get(tuned, "ratio"), 1));
    if (tuned && *tuned_word(tuned, "date")) ct_text_add(out, ", %.10s", tuned_word(tuned, "date"));
    if (tuned && !ct_value_bool(ct_value_get(tuned, "complete"), true))
        ct_text_add(out, ", by a search that was cut short");
    if (tuned) ct_text_add(out, "\n\n");
    ct_value_free(key);
    ct_value_free(tuned);
}

void ct_explain_tuned_json(ct_text *json, const ct_plan *plan)
{
    static const char *const names[CT_PLAN_ABOUT] = {"key", "tuned"};
    for (int i = 0; i < CT_PLAN_ABOUT; i++) {
        ct_value *about = NULL;
        if (!plan->about[i]) continue;
        if (ct_value_parse(&about, plan->about[i], names[i], NULL) != CT_OK)
            ct_text_lacks(json, 0);
        else
            ct_json_add_value(json, names[i], about);
        ct_value_free(about);
    }
}
