/* wire_mpi.c: the table of functions by which ranks reach each other, from MPI. A module of its
 * own, so that the library needs no MPI where there is no job. Room: mpi. Knows MPI. Does not know
 * arrays. */
#include "wire.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((visibility("default"))) extern const ct_wire ct_wire_table;

static struct {
    MPI_Request *request;
    int slots;
    bool threads;
    double blocked_s;
    MPI_Comm machine; /* the ranks of this one */
    MPI_Win *window;  /* what they share */
    int windows;
} under_way; /* MPI is the process's, and so are its messages */

enum { MESSAGE, THERE, BACK }; /* tags */

static int local_place(int *local)
{
    const int code = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                                         &under_way.machine);
    return code == MPI_SUCCESS ? MPI_Comm_rank(under_way.machine, local) : code;
}

/* What all ranks have. */
static int on_all(int *mine)
{
    return MPI_Allreduce(MPI_IN_PLACE, mine, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
}

static int agree_on_threads(int given)
{
    int all = given >= MPI_THREAD_MULTIPLE;
    const int code = on_all(&all);
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
    under_way.blocked_s += MPI_Wtime() - since;
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
    return MPI_Isend(data, bytes, MPI_BYTE, to, MESSAGE, MPI_COMM_WORLD, &under_way.request[slot]);
}

static int wire_receive(int slot, void *data, int bytes, int from)
{
    return MPI_Irecv(data, bytes, MPI_BYTE, from, MESSAGE, MPI_COMM_WORLD,
                     &under_way.request[slot]);
}

/* So short that it is sent when MPI has it, and its end is not waited for. */
static int wire_notify(int to, bool back)
{
    MPI_Request request;
    const int code =
        MPI_Isend(NULL, 0, MPI_BYTE, to, back ? BACK : THERE, MPI_COMM_WORLD, &request);
    return code == MPI_SUCCESS ? MPI_Request_free(&request) : code;
}

static int wire_expect(int slot, int from, bool back)
{
    return MPI_Irecv(NULL, 0, MPI_BYTE, from, back ? BACK : THERE, MPI_COMM_WORLD,
                     &under_way.request[slot]);
}

static int wire_next(bool wait, int *slot)
{
    int some = 1;
    const double since = MPI_Wtime();
    const int code =
        wait ? MPI_Waitany(under_way.slots, under_way.request, slot, MPI_STATUS_IGNORE)
             : MPI_Testany(under_way.slots, under_way.request, slot, &some, MPI_STATUS_IGNORE);
    if (wait) under_way.blocked_s += MPI_Wtime() - since;
    if (!some || *slot == MPI_UNDEFINED) *slot = -1;
    return code;
}

/* MPI's own wait looks again and again, which takes the time of another thread that has something
 * to do, where there are no more cores: so after a while it sleeps in between. */
static int wait_for(MPI_Request *request)
{
    const double since = MPI_Wtime();
    int done = 0, code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (code == MPI_SUCCESS && !done) {
        if (MPI_Wtime() - since > 2e-4) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    return code;
}

static int wire_minimum(int64_t *numbers, int count)
{
    const double since = MPI_Wtime();
    MPI_Request request;
    int code = MPI_Iallreduce(MPI_IN_PLACE, numbers, count, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD,
                              &request);
    if (code == MPI_SUCCESS) code = wait_for(&request);
    under_way.blocked_s += MPI_Wtime() - since;
    return code;
}

/* ---- memory that ranks of a machine share */

static bool make_window(int64_t bytes, MPI_Win *window)
{
    enum { LEAST = 4096 }; /* nothing would have no place */
    void *own = NULL;
    MPI_Info info;
    MPI_Win *more = realloc(under_way.window, sizeof *more * (size_t)(under_way.windows + 1));
    if (more) under_way.window = more;
    if (MPI_Info_create(&info) != MPI_SUCCESS) return false;
    (void)MPI_Info_set(info, "alloc_shared_noncontig", "true"); /* pages of each rank's own */
    const int code = MPI_Win_allocate_shared(bytes > LEAST ? bytes : LEAST, 1, info,
                                             under_way.machine, &own, window);
    (void)MPI_Info_free(&info);
    return more && code == MPI_SUCCESS;
}

/* Where each rank of the machine has its own, by its number in the job. */
static int find_buffers(MPI_Win window, void **buffers)
{
    MPI_Group all, near;
    int size = 0;
    int code = MPI_Comm_size(under_way.machine, &size);
    if (code == MPI_SUCCESS) code = MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (code == MPI_SUCCESS) code = MPI_Comm_group(under_way.machine, &near);
    for (int r = 0; r < size && code == MPI_SUCCESS; r++) {
        MPI_Aint bytes;
        int unit, rank;
        code = MPI_Group_translate_ranks(near, 1, &r, all, &rank);
        if (code == MPI_SUCCESS)
            code = MPI_Win_shared_query(window, r, &bytes, &unit, &buffers[rank]);
    }
    return code;
}

/* Making a window takes all ranks of the machine: all agree to before. */
static int wire_shared_memory(int64_t bytes, void **buffers)
{
    MPI_Win window = MPI_WIN_NULL;
    const char *asked = getenv("CORNERTURN_SHARED_MEMORY");
    int all = !asked || strcmp(asked, "off") != 0, size = 0;
    int code = MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int r = 0; r < size; r++)
        buffers[r] = NULL;
    if (code == MPI_SUCCESS) code = on_all(&all);
    if (code != MPI_SUCCESS || !all) return code;
    all = make_window(bytes, &window);
    code = on_all(&all);
    if (code != MPI_SUCCESS) return code;
    if (!all) return window == MPI_WIN_NULL ? MPI_SUCCESS : MPI_Win_free(&window);
    under_way.window[under_way.windows++] = window;
    code = MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    return code == MPI_SUCCESS ? find_buffers(window, buffers) : code;
}

static void leave_windows(void)
{
    while (under_way.windows > 0) {
        MPI_Win *window = &under_way.window[--under_way.windows];
        (void)MPI_Win_unlock_all(*window);
        (void)MPI_Win_free(window);
    }
    free(under_way.window);
    under_way.window = NULL;
}

static double wire_blocked_s(void)
{
    return under_way.blocked_s;
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
    leave_windows();
    (void)MPI_Comm_free(&under_way.machine);
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
    .notify = wire_notify,
    .expect = wire_expect,
    .next = wire_next,
    .minimum = wire_minimum,
    .shared_memory = wire_shared_memory,
    .threads = wire_threads,
    .blocked_s = wire_blocked_s,
    .text = wire_text,
    .close = wire_close,
    .abort = wire_abort,
};
