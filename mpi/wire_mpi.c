/* wire_mpi.c: the table of functions by which ranks reach each other, from MPI. A module of its
 * own, so that the library needs no MPI where there is no job. Room: mpi. Knows MPI. Does not know
 * arrays. */
#include "wire.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) extern const ct_wire ct_wire_table;

static struct {
    MPI_Request *request;
    int slots;
    bool threads;
    double stood;
} under_way; /* MPI is the process's, and so are its messages */

static int local_place(int *local)
{
    MPI_Comm machine;
    int code =
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    if (code != MPI_SUCCESS) return code;
    code = MPI_Comm_rank(machine, local);
    MPI_Comm_free(&machine);
    return code;
}

/* What all ranks have. */
static int agree_on_threads(int given)
{
    int all = given >= MPI_THREAD_MULTIPLE;
    const int code = MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    under_way.threads = code == MPI_SUCCESS && all;
    return code;
}

static int wire_open(int *rank, int *size, int *local)
{
    int given = 0;
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &given);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS) code = MPI_Comm_rank(MPI_COMM_WORLD, rank);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(MPI_COMM_WORLD, size);
    if (code == MPI_SUCCESS) code = local_place(local);
    if (code == MPI_SUCCESS) code = agree_on_threads(given);
    return code;
}

static bool wire_threads(void)
{
    return under_way.threads;
}

static int wire_exchange(const void *send, const int *send_bytes, const int *send_at, void *receive,
                         const int *receive_bytes, const int *receive_at)
{
    const double since = MPI_Wtime();
    const int code = MPI_Alltoallv(send, send_bytes, send_at, MPI_BYTE, receive, receive_bytes,
                                   receive_at, MPI_BYTE, MPI_COMM_WORLD);
    under_way.stood += MPI_Wtime() - since;
    return code;
}

static int wire_slots(int slots)
{
    MPI_Request *more = realloc(under_way.request, sizeof *more * (size_t)(slots + 1));
    if (!more) return MPI_ERR_NO_MEM;
    under_way.request = more;
    under_way.slots = slots;
    for (int s = 0; s < slots; s++)
        more[s] = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int wire_send(int slot, const void *data, int bytes, int to)
{
    return MPI_Isend(data, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, &under_way.request[slot]);
}

static int wire_receive(int slot, void *data, int bytes, int from)
{
    return MPI_Irecv(data, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &under_way.request[slot]);
}

static int wire_next(bool wait, int *slot)
{
    int some = 1;
    const double since = MPI_Wtime();
    const int code =
        wait ? MPI_Waitany(under_way.slots, under_way.request, slot, MPI_STATUS_IGNORE)
             : MPI_Testany(under_way.slots, under_way.request, slot, &some, MPI_STATUS_IGNORE);
    if (wait) under_way.stood += MPI_Wtime() - since;
    if (!some || *slot == MPI_UNDEFINED) *slot = -1;
    return code;
}

static int wire_least(int64_t *numbers, int count)
{
    const double since = MPI_Wtime();
    const int code =
        MPI_Allreduce(MPI_IN_PLACE, numbers, count, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    under_way.stood += MPI_Wtime() - since;
    return code;
}

static double wire_stood(void)
{
    return under_way.stood;
}

static void wire_text(int code, char *out, int size)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) text[0] = 0;
    if (size <= 0) return;
    strncpy(out, text, (size_t)size - 1);
    out[size - 1] = 0;
}

static void wire_close(void)
{
    free(under_way.request);
    under_way.request = NULL;
    MPI_Finalize();
}

static void wire_abort(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

const ct_wire ct_wire_table = {
    .version = CT_WIRE_VERSION,
    .name = "MPI",
    .open = wire_open,
    .exchange = wire_exchange,
    .slots = wire_slots,
    .send = wire_send,
    .receive = wire_receive,
    .next = wire_next,
    .least = wire_least,
    .threads = wire_threads,
    .stood = wire_stood,
    .text = wire_text,
    .close = wire_close,
    .abort = wire_abort,
};
