/* ranks.c: whether this process is a rank of a job, and what ranks agree on.
 * Room: core/ranks. Knows the module that reaches the others. Does not know what they compute. */
#include "ranks.h"
#include "checksum.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fail.h"
#include "file.h"
#include "memory.h"
#include "module.h"

#ifndef CT_MPI_MODULE
#define CT_MPI_MODULE ""
#endif

enum { RANKS_MOST = 1000000 };

/* How many ranks there are, as the environment says; 0: it says nothing. */
static int launched_size(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE",
                                        "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && atoi(text) > 0) return atoi(text);
    }
    return 0;
}

static int launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return atoi(getenv(names[i]));
    return 0;
}

static ct_status load_wire(ct_ranks *ranks, int size, ct_error *err)
{
    char path[CT_MODULE_PATH];
    if (CT_MPI_MODULE[0] == 0)
        return ct_error_add(
            err, CT_USAGE,
            "this process is one of %d ranks, and this cornerturn was built without "
            "MPI: install libopenmpi-dev and build it anew, or start it without "
            "mpirun",
            size);
    const char *why =
        ct_module_load(CT_MPI_MODULE, CT_WIRE_SYMBOL, path, (const void **)&ranks->wire);
    if (why) return ct_error_add(err, CT_FAILED, "this process is one of %d ranks: %s", size, why);
    if (ranks->wire && ranks->wire->version == CT_WIRE_VERSION) return CT_OK;
    return ct_error_add(err, CT_FAILED, "%s is of another version of cornerturn", path);
}

/* No rank knows of the others yet: the first rank reports at once what is wrong, and their starter
 * ends the others before they do. One that still lives after that is the one that is wrong. */
static void let_the_first_speak(void)
{
    const struct timespec some = {.tv_sec = 2};
    if (launched_rank() > 0) (void)nanosleep(&some, NULL);
}

ct_status ct_ranks_open(ct_ranks **out, ct_error *err)
{
    CT_GIVEN(err, out);
    *out = NULL;
    ct_status status = CT_OK;
    const int size = launched_size();
    if (size == 0) return CT_OK;
    ct_ranks *ranks = ct_memory_get(sizeof *ranks);
    CT_NEED(ranks, sizeof *ranks, err);
    ranks->size = 1;
    if ((status = load_wire(ranks, size, err)) != CT_OK) let_the_first_speak();
    CT_TRY(status);
    CT_TRY(
        ct_ranks_check(ranks, ranks->wire->open(&ranks->rank, &ranks->size, &ranks->local), err));
    *out = ranks;
    ranks = NULL;
out:
    ct_memory_free(ranks);
    return status;
}

bool ct_ranks_first(void)
{
    return launched_size() == 0 || launched_rank() == 0;
}

void ct_ranks_close(ct_ranks *ranks)
{
    if (!ranks) return;
    if (ranks->wire) ranks->wire->close();
    ct_memory_free(ranks); /* the module stays: MPI's own threads may not be gone */
}

void ct_ranks_abort(ct_ranks *ranks, ct_status status)
{
    if (ranks && ranks->wire) ranks->wire->abort(status);
}

int ct_ranks_rank(const ct_ranks *ranks)
{
    return ranks ? ranks->rank : 0;
}

int ct_ranks_size(const ct_ranks *ranks)
{
    return ranks ? ranks->size : 1;
}

bool ct_ranks_no_overlap(const ct_ranks *ranks)
{
    return !ranks || ranks->no_overlap || (ranks->wire && !ranks->wire->threads());
}

void ct_ranks_forbid_overlap(ct_ranks *ranks)
{
    if (ranks) ranks->no_overlap = true;
}

const char *ct_ranks_dims(const ct_ranks *ranks)
{
    return ranks ? ranks->grid : "";
}

ct_status ct_ranks_check(const ct_ranks *ranks, int code, ct_error *err)
{
    char text[256] = "";
    if (code == 0) return CT_OK;
    ranks->wire->text(code, text, (int)sizeof text);
    return ct_error_add(err, CT_FAILED, "%s: %s", ranks->wire->name, text);
}

ct_status ct_ranks_alltoall(const ct_ranks *ranks, const void *send, void *receive,
                            const int *numbers, ct_error *err)
{
    const int size = ranks->size;
    return ct_ranks_check(ranks,
                          ranks->wire->exchange(send, numbers, numbers + size, receive,
                                                numbers + 2 * size, numbers + 3 * size),
                          err);
}

ct_status ct_ranks_minimum(const ct_ranks *ranks, int64_t *numbers, int count, ct_error *err)
{
    if (!ct_ranks_is_job(ranks)) return CT_OK;
    return ct_ranks_check(ranks, ranks->wire->minimum(numbers, count), err);
}

/* The lowest rank that failed reports it, the others do not. */
ct_status ct_ranks_agree_on(const ct_ranks *ranks, ct_status mine, int64_t *numbers, int count,
                            ct_error *err)
{
    enum { STATUS = 1024 };
    ct_status status = CT_OK;
    if (!ct_ranks_is_job(ranks)) return mine;
    const int64_t none = (int64_t)ranks->size * STATUS;
    numbers[0] = mine == CT_OK ? none : (int64_t)ranks->rank * STATUS + (int64_t)mine;
    CT_TRY(ct_ranks_minimum(ranks, numbers, count, err));
    if (numbers[0] == none) return CT_OK;
    if (numbers[0] / STATUS != ranks->rank && err) *err = (ct_error){0};
    return (ct_status)(numbers[0] % STATUS);
out:
    return status;
}

ct_status ct_ranks_agree(const ct_ranks *ranks, ct_status mine, ct_error *err)
{
    int64_t first;
    return ct_ranks_agree_on(ranks, mine, &first, 1, err);
}

double ct_ranks_blocked_s(const ct_ranks *ranks)
{
    return ranks && ranks->wire ? ranks->wire->blocked_s() : 0;
}

/* From each rank to rank 0, or from that to each of the others. */
static ct_status with_root(const ct_ranks *ranks, const void *send, void *receive, size_t bytes,
                           bool to_root, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t size = (size_t)ranks->size;
    const bool root = ranks->rank == 0;
    int *numbers = ct_memory_get(sizeof *numbers * 4 * size);
    CT_NEED(numbers, sizeof *numbers * 4 * size, err);
    for (size_t r = 0; r < size; r++) {
        numbers[r] = (to_root ? r == 0 : root && r > 0) ? (int)bytes : 0;
        numbers[2 * size + r] = (to_root ? root : !root && r == 0) ? (int)bytes : 0;
        numbers[3 * size + r] = to_root ? (int)(r * bytes) : 0;
    }
    CT_TRY(ct_ranks_alltoall(ranks, send, receive, numbers, err));
out:
    ct_memory_free(numbers);
    return status;
}

ct_status ct_ranks_gather(const ct_ranks *ranks, const void *mine, size_t bytes, void *all,
                          ct_error *err)
{
    if (ct_ranks_is_job(ranks)) return with_root(ranks, mine, all, bytes, true, err);
    if (all) memcpy(all, mine, bytes);
    return CT_OK;
}

ct_status ct_ranks_broadcast(const ct_ranks *ranks, void *data, size_t bytes, ct_error *err)
{
    return ct_ranks_is_job(ranks) ? with_root(ranks, data, data, bytes, false, err) : CT_OK;
}

static ct_status same_text(const ct_ranks *ranks, const char *what, const char *text, ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t mine = (int64_t)(ct_checksum(text, strlen(text)) >> 2); /* so has -mine room */
    int64_t ends[2] = {mine, -mine};
    CT_TRY(ct_ranks_minimum(ranks, ends, 2, err));
    if (ends[0] == -ends[1]) return CT_OK;
    return ct_error_add(err, CT_INVALID,
                        "the ranks of this job do not have the same %s: expected one and the same "
                        "on all machines",
                        what);
out:
    return status;
}

ct_status ct_ranks_same(const ct_ranks *ranks, const char *what, const char *text, const char *file,
                        ct_error *err)
{
    ct_status status = CT_OK;
    char *read = NULL;
    size_t length = 0;
    CT_GIVEN(err, what);
    if (!text) CT_GIVEN(err, file);
    if (!ct_ranks_is_job(ranks)) return CT_OK;
    if (text) return same_text(ranks, what, text, err);
    CT_TRY(ct_ranks_agree(ranks, ct_file_read(&read, &length, file, err), err));
    CT_TRY(ct_ranks_agree(ranks, same_text(ranks, what, read, err), err));
out:
    ct_memory_free(read);
    return status;
}

/* ---- a job that is not there */

ct_status ct_ranks_suppose(ct_ranks **out, const char *text, ct_error *err)
{
    CT_GIVEN_OUT(err, out, text);
    ct_status status = CT_OK;
    char *end;
    ct_ranks *ranks = ct_memory_get(sizeof *ranks);
    CT_NEED(ranks, sizeof *ranks, err);
    const long size = strtol(text, &end, 10);
    ranks->size = size > 0 && size <= RANKS_MOST && *end == 0 ? (int)size : 0;
    if (ranks->size == 0 && *end == 0)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "--ranks: expected 1 to %d, or dimensions such as S=4,C=2, found '%s'",
                            RANKS_MOST, text));
    if (ranks->size == 0) CT_TRY(ct_ranks_grid(ranks, text, err));
    *out = ranks;
    ranks = NULL;
out:
    ct_memory_free(ranks);
    return status;
}

/* ---- the grid */

static ct_status fail_grid(const char *text, const char *why, ct_error *err)
{
    return ct_error_add(err, CT_USAGE,
                        "--ranks: expected dimensions and into how many parts they are split, such "
                        "as S=4,C=2, found '%s'%s",
                        text, why);
}

/* "S=4" at *at, and the comma behind it. */
static ct_status read_way(ct_ranks *ranks, size_t count, const char *text, const char **at,
                          ct_error *err)
{
    const char dim = **at;
    char *end;
    if (islower((unsigned char)dim) && (*at)[1] == '=')
        return fail_grid(text, ": dimensions are capital letters", err);
    if (!isupper((unsigned char)dim) || (*at)[1] != '=' || !isdigit((unsigned char)(*at)[2]))
        return fail_grid(text, "", err);
    if (memchr(ranks->grid, dim, count) || count == CT_DIMS)
        return fail_grid(text, ": each dimension once, and at most 8", err);
    const long ranges = strtol(*at + 2, &end, 10);
    if (ranges < 1 || ranges > RANKS_MOST)
        return fail_grid(text, ": parts are 1 or more, and at most 1000000", err);
    if ((*end && *end != ',') || (*end && !end[1])) return fail_grid(text, "", err);
    ranks->ranges[count] = (int)ranges;
    ranks->grid[count] = dim;
    *at = end + (*end == ',');
    return CT_OK;
}

/* A number is only what the job has; its splits are chosen then. */
static ct_status check_size(const ct_ranks *ranks, const char *text, int64_t size, ct_error *err)
{
    if (size == ranks->size) return CT_OK;
    return ct_error_add(err, CT_USAGE, "--ranks: '%s' is for %lld rank%s, and this job has %d",
                        text, (long long)size, size == 1 ? "" : "s", ranks->size);
}

ct_status ct_ranks_grid(ct_ranks *ranks, const char *text, ct_error *err)
{
    CT_GIVEN(err, ranks, text);
    ct_status status = CT_OK;
    int64_t product = 1;
    size_t count = 0;
    char *end;
    const long size = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
    if (size > 0 && *end == 0 && ranks->size > 0) return check_size(ranks, text, size, err);
    const char *at = text;
    do {
        CT_TRY(read_way(ranks, count, text, &at, err));
        product *= ranks->ranges[count++];
        if (product > RANKS_MOST) CT_TRY(fail_grid(text, ": more than 1000000 ranks in all", err));
    } while (*at);
    if (ranks->size == 0) ranks->size = (int)product;
    CT_TRY(check_size(ranks, text, product, err));
out:
    if (status != CT_OK) memset(ranks->grid, 0, sizeof ranks->grid);
    return status;
}
