/* ranks_device.c: which device a rank takes. Room: core/ranks. Knows its place on the machine. Does
 * not know what devices there are. */
#include <string.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "device.h"
#include "fail.h"
#include "memory.h"
#include "ranks.h"

static int count_names(const char *names)
{
    int count = 1;
    for (; *names; names++)
        count += *names == ',';
    return count;
}

/* Of names with commas between them. */
static const char *find_name(const char *names, int nth, size_t *length)
{
    for (; nth > 0; nth--)
        names += strcspn(names, ",") + 1;
    names += strspn(names, " ");
    *length = strcspn(names, ",");
    return names;
}

ct_status ct_ranks_device(ct_device **out, const ct_ranks *ranks, const char *names, ct_error *err)
{
    CT_GIVEN(err, out);
    *out = NULL;
    ct_status status = CT_OK;
    const int local = ranks ? ranks->local : 0, count = names ? count_names(names) : 1;
    size_t length;
    char *name = NULL;
    if (!ranks || count < 2) return ct_device_open_nth(out, names, local, err);
    const char *found = find_name(names, local % count, &length);
    CT_NEED(name = ct_memory_get(length + 1), length + 1, err);
    memcpy(name, found, length);
    name[length] = 0;
    if (length == 0)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "devices \"%s\": number %d has no name, expected names or numbers with "
                            "commas between them",
                            names, local % count + 1));
    /* Ranks that come to the same name again take the next device of that name. */
    CT_TRY(ct_device_open_nth(out, name, local / count, err));
out:
    ct_memory_free(name);
    return status;
}
