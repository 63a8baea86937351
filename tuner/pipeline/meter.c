/* meter.c: the words for how a measurement ends.
 * Room: tuner/pipeline. */
#include "meter.h"

#include <string.h>

#define METER_WORD(word) #word,
static const char *const meter_words[CT_ENDS] = {CT_METER_ENDS(METER_WORD)};

const char *ct_meter_word(ct_end end)
{
    return meter_words[end];
}

ct_end ct_meter_end(const char *word)
{
    int end = 0;
    while (end < CT_ENDS && (!word || strcmp(word, meter_words[end]) != 0))
        end++;
    return (ct_end)end;
}
