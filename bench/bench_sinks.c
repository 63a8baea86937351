/* bench_sinks.c: how several ranks best write one file, of which each has a part of every row:
 * gathered by rank 0, which writes it in one piece; each rank its runs by pwrite(); or MPI's own
 * collective (MPI_File_write_at_all with a subarray's file type). All three one after the other, in
 * one job.
 *
 * Room: bench. Knows MPI and POSIX files, and nothing of the library. Started by mpirun:
 *
 *   cmake --build build --target bench.sinks
 *   mpirun -n 2 --bind-to core build/bench.sinks FOLDER [--rounds 7] [--mib 32] [--blocks 4]
 *
 * Prints a line for each length of a run: medians of MB/s, until all is handed to the file system,
 * and, after fsync(), on the disk. A block is an array [rows][ranks][run]. Checks what stands in
 * the file. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAYS = 3, ROUNDS = 101 };

typedef struct bench {
    const char *file;
    int rank, size, rounds, blocks;
    int64_t bytes; /* of a block, all ranks together */
    int64_t run, rows;
    char *part, *all, *ordered; /* of one rank; gathered; and in the file's order, on rank 0 */
    MPI_Datatype type;
} bench;

static void fail(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *memory(int64_t bytes)
{
    char *data = malloc((size_t)bytes);
    if (!data) fail("bench.sinks");
    memset(data, 1, (size_t)bytes);
    return data;
}

static void put(int file, const char *data, int64_t bytes, int64_t at)
{
    while (bytes > 0) {
        const ssize_t some = pwrite(file, data, (size_t)bytes, at);
        if (some <= 0) fail("bench.sinks: pwrite");
        data += some, bytes -= some, at += some;
    }
}

static void gather(const bench *b, int file, int64_t block)
{
    const int each = (int)(b->rows * b->run);
    MPI_Gather(b->part, each, MPI_BYTE, b->all, each, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (b->rank > 0) return;
    for (int64_t row = 0; row < b->rows; row++)
        for (int r = 0; r < b->size; r++)
            memcpy(b->ordered + (row * b->size + r) * b->run, b->all + r * each + row * b->run,
                   (size_t)b->run);
    put(file, b->ordered, b->bytes, block * b->bytes);
}

static void write_parts(const bench *b, int file, int64_t block)
{
    for (int64_t row = 0; row < b->rows; row++)
        put(file, b->part + row * b->run, b->run,
            block * b->bytes + (row * b->size + b->rank) * b->run);
}

static int open_file(const bench *b, int flags)
{
    const int file = open(b->file, O_RDWR | O_CREAT | flags, 0600);
    if (file < 0) fail(b->file);
    return file;
}

static void begin_file(const bench *b)
{
    if (b->rank == 0) {
        unlink(b->file);
        close(open_file(b, O_TRUNC));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Until the last rank has handed over its last byte, and until that is on the disk. */
static void time_posix(const bench *b, int way, double seconds[2])
{
    begin_file(b);
    const int file = open_file(b, 0);
    const double start = MPI_Wtime();
    for (int64_t block = 0; block < b->blocks; block++)
        (way ? write_parts : gather)(b, file, block);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[0] = MPI_Wtime() - start;
    if (way || b->rank == 0) fsync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[1] = MPI_Wtime() - start;
    close(file);
}

static void time_mpi(const bench *b, double seconds[2])
{
    MPI_File file;
    begin_file(b);
    if (MPI_File_open(MPI_COMM_WORLD, b->file, MPI_MODE_RDWR, MPI_INFO_NULL, &file))
        fail("bench.sinks: MPI_File_open");
    MPI_File_set_view(file, 0, MPI_BYTE, b->type, "native", MPI_INFO_NULL);
    const double start = MPI_Wtime();
    for (int64_t block = 0; block < b->blocks; block++)
        MPI_File_write_at_all(file, block * b->rows * b->run, b->part, (int)(b->rows * b->run),
                              MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[0] = MPI_Wtime() - start;
    MPI_File_sync(file);
    seconds[1] = MPI_Wtime() - start;
    MPI_File_close(&file);
}

/* Every byte of a rank's part is its number and where it stands, so that none can be exchanged. */
static char byte_of(int rank, int64_t place)
{
    return (char)(rank * 37 + place % 251);
}

static void check_file(const bench *b, const char *way)
{
    if (b->rank > 0) return;
    const int file = open_file(b, 0);
    if (lseek(file, 0, SEEK_END) != b->blocks * b->bytes) fail(way);
    if (pread(file, b->ordered, (size_t)b->bytes, (b->blocks - 1) * b->bytes) != b->bytes)
        fail(way);
    for (int64_t i = 0; i < b->bytes; i++) {
        const int64_t row = i / (b->size * b->run), in = i % b->run;
        const int rank = (int)(i / b->run % b->size);
        if (b->ordered[i] == byte_of(rank, row * b->run + in)) continue;
        fprintf(stderr, "bench.sinks: %s: byte %lld is wrong\n", way, (long long)i);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    close(file);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, by_value);
    return list[count / 2];
}

static MPI_Datatype rows_of(const bench *b)
{
    MPI_Datatype type;
    const int whole[] = {(int)b->rows, (int)(b->size * b->run)};
    const int part[] = {(int)b->rows, (int)b->run}, first[] = {0, (int)(b->rank * b->run)};
    MPI_Type_create_subarray(2, whole, part, first, MPI_ORDER_C, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void measure(bench *b, int64_t run)
{
    static const char *const ways[] = {"gathered", "parts", "MPI-IO"};
    static double rate[2][WAYS][ROUNDS];
    b->run = run > 0 ? run : b->bytes / b->size;
    b->rows = b->bytes / b->size / b->run;
    for (int64_t i = 0; i < b->rows * b->run; i++)
        b->part[i] = byte_of(b->rank, i);
    b->type = rows_of(b);
    for (int round = -1; round < b->rounds; round++)
        for (int way = 0; way < WAYS; way++) {
            double seconds[2];
            if (way < 2)
                time_posix(b, way, seconds);
            else
                time_mpi(b, seconds);
            if (round < 0) check_file(b, ways[way]);
            for (int k = 0; round >= 0 && k < 2; k++)
                rate[k][way][round] = 1e-6 * (double)(b->blocks * b->bytes) / seconds[k];
        }
    MPI_Type_free(&b->type);
    if (b->rank > 0) return;
    printf("%8lld", (long long)b->run);
    for (int k = 0; k < 2; k++)
        for (int way = 0; way < WAYS; way++)
            printf(" %9.0f", median(rate[k][way], b->rounds));
    printf("\n");
    fflush(stdout);
}

static int64_t option(int argc, char **argv, const char *name, int64_t usual)
{
    for (int i = 2; i + 1 < argc; i++)
        if (!strcmp(argv[i], name)) return atoll(argv[i + 1]);
    return usual;
}

int main(int argc, char **argv)
{
    static const int64_t runs[] = {8, 64, 512, 2048, 8192, 32768, 131072, 0};
    static char file[4096];
    bench b = {.file = file};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.size);
    snprintf(file, sizeof file, "%s/bench-sinks", argc > 1 ? argv[1] : ".");
    b.rounds = (int)option(argc, argv, "--rounds", 7);
    b.rounds = b.rounds < 1 ? 1 : b.rounds < ROUNDS ? b.rounds : ROUNDS;
    b.blocks = (int)option(argc, argv, "--blocks", 4);
    b.bytes = b.size * (1 << 20) * (option(argc, argv, "--mib", 32) / b.size);
    b.part = memory(b.bytes / b.size);
    b.all = memory(b.rank ? 1 : b.bytes);
    b.ordered = memory(b.rank ? 1 : b.bytes);
    if (b.rank == 0)
        printf("MB/s    |  to the file system           |  and on the disk\n"
               "     run  gathered     parts    MPI-IO  gathered     parts    MPI-IO\n");
    const int64_t least = option(argc, argv, "--least", 8);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (runs[i] == 0 || runs[i] >= least) measure(&b, runs[i]);
    if (b.rank == 0) unlink(file);
    MPI_Finalize();
    return 0;
}
