/* program_tables.c: the contents of tables, in the layout of their ports and in device memory.
 * Room: core/program. Knows what fills a table. Does not know what it means. */
#include <string.h>

#include "device_transfers.h"
#include "fail.h"
#include "memory.h"
#include "oneshot.h"
#include "program.h"
#include "step.h"

ct_status ct_program_put(const ct_array *port, const ct_array *fill, ct_device *device,
                         ct_buffer *mem, ct_error *err)
{
    ct_status status = CT_OK;
    ct_array placed = *port;
    placed.data = ct_memory_get(ct_array_bytes(&placed));
    CT_NEED(placed.data, ct_array_bytes(&placed), err);
    ct_copy_array(&placed, fill);
    CT_TRY(ct_device_hand(mem, device, placed.data, ct_array_bytes(&placed), err));
out:
    ct_memory_free(placed.data);
    return status;
}

static ct_status tables_fill(ct_array *natural, const ct_step *step, int port, ct_device *device,
                             const ct_array *filled, ct_error *err)
{
    if (!filled || !ct_oneshot_has_table(step, port))
        return ct_oneshot_run_table(natural, step, port, device, err);
    memcpy(natural->data, filled[port].data, ct_array_bytes(natural));
    return CT_OK;
}

static ct_status tables_one(const ct_step *step, int port, ct_device *device, ct_buffer *mem,
                            const ct_array *filled, ct_error *err)
{
    ct_status status = CT_OK;
    ct_array natural = step->port[port];
    ct_array_dense(&natural, NULL);
    natural.data = ct_memory_get(ct_array_bytes(&natural));
    CT_NEED(natural.data, ct_array_bytes(&natural), err);
    CT_TRY(tables_fill(&natural, step, port, device, filled, err));
    CT_TRY(ct_program_put(&step->port[port], &natural, device, mem, err));
out:
    ct_memory_free(natural.data);
    return status;
}

ct_status ct_program_tables(const ct_step *step, ct_device *device, ct_buffer mem[CT_PORTS],
                            const ct_array *filled, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->stage->ports[i].direction == CT_TABLE && step->port[i].type != CT_NONE)
            CT_TRY(tables_one(step, i, device, &mem[i], filled, err));
out:
    return status;
}
