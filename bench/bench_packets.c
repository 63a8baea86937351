/* bench_packets.c: how fast source.lofar puts packets into a block, next to read() of the same
 * bytes into the same block, in the same rounds.
 *
 * Room: bench. Knows every room. Writes a file for each lane into --folder, and removes it; of
 * --lost packets one is lost (0: none). Prints a line per order of the array (of --to SPTC, that
 * one): GB/s of the packets' bytes, and the share of read()'s, both medians. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "layout.h"
#include "packet.h"
#include "padding.h"
#include "step.h"

extern const ct_stage ct_stage_source_lofar;

enum { ROUNDS = 101, LANES = 16, MOST_BYTES = CT_PACKET_HEADER + 255 * 16 * 8 };

typedef struct bench {
    const char *folder, *to;
    int64_t lanes, beamlets, bits, samples, blocks, lost, rounds;
    char file[LANES][256];
    char json[LANES * 280];
    int64_t bytes; /* of all files */
} bench;

static void die(const char *what, const ct_error *err)
{
    fprintf(stderr, "bench.packets: %s: %s\n", what, err ? err->text : "failed");
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void write_lane(bench *b, int64_t lane)
{
    static uint8_t bytes[MOST_BYTES];
    ct_packet packet = {
        .version = 3, .bits = (unsigned)b->bits, .fast = true, .station = 7, .blocks = 16};
    packet.beamlets = (unsigned)b->beamlets;
    FILE *file = fopen(b->file[lane], "wb");
    if (!file) die(b->file[lane], NULL);
    for (int64_t i = 0; i < b->samples * b->blocks / 16; i++) {
        if (b->lost && i % b->lost == b->lost / 2) continue;
        for (int64_t k = CT_PACKET_HEADER; k < ct_packet_bytes(&packet); k += 4)
            bytes[k] = (uint8_t)(i * 31 + k);
        ct_packet_set_sample(&packet, INT64_C(323528554687526) + 16 * i);
        ct_packet_encode(bytes, &packet);
        b->bytes += (int64_t)fwrite(bytes, 1, (size_t)ct_packet_bytes(&packet), file);
    }
    if (fclose(file) != 0) die(b->file[lane], NULL);
}

static void write_all(bench *b)
{
    size_t used = (size_t)snprintf(b->json, sizeof b->json, "{\"files\": [");
    for (int64_t i = 0; i < b->lanes; i++) {
        snprintf(b->file[i], sizeof b->file[i], "%s/bench-packets-%d-%d.udp", b->folder,
                 (int)getpid(), (int)i);
        write_lane(b, i);
        used += (size_t)snprintf(b->json + used, sizeof b->json - used, "%s\"%s\"", i ? ", " : "",
                                 b->file[i]);
    }
    snprintf(b->json + used, sizeof b->json - used, "]}");
}

/* Seconds of read() of all bytes, as much at a time as a block has. */
static double read_plainly(const bench *b, const ct_array *block)
{
    const size_t room = ct_array_bytes(block);
    const double begun = now();
    for (int64_t i = 0; i < b->lanes; i++) {
        const int file = open(b->file[i], O_RDONLY);
        size_t at = 0;
        for (ssize_t got = 1; got > 0; at = at + (size_t)got == room ? 0 : at + (size_t)got)
            got = read(file, (char *)block->data + at, room - at);
        close(file);
    }
    return now() - begun;
}

static double read_packets(const bench *b, ct_array *block)
{
    ct_value *value = NULL;
    ct_step *step = NULL;
    void *state = NULL;
    ct_error err = {0};
    const ct_stage *stage = &ct_stage_source_lofar;
    const ct_source_location location = {0};
    int64_t got = 0;
    ct_status status = ct_value_parse(&value, b->json, "bench", &err);
    if (status == CT_OK) status = ct_step_new(&step, stage, "v", value, NULL, &location, &err);
    if (status == CT_OK) status = ct_step_infer(step, &err);
    if (status == CT_OK) status = stage->io.open(step, &state, &err);
    const double begun = now();
    for (int64_t i = 0; status == CT_OK && i < b->blocks; i++)
        status = stage->io.read(state, block, NULL, &got, &err);
    const double seconds = now() - begun;
    if (status != CT_OK) die("source.lofar", &err);
    (void)stage->io.close(state, false, &err);
    ct_step_free(step);
    ct_value_free(value);
    return seconds;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *of, int64_t count)
{
    qsort(of, (size_t)count, sizeof *of, by_size);
    return of[count / 2];
}

/* As a run has it: pages that are as large as the system lets them be. */
static void *make_room(size_t bytes)
{
    void *out = NULL;
    if (posix_memalign(&out, 1 << 21, bytes) != 0) die("memory", NULL);
    (void)madvise(out, bytes, MADV_HUGEPAGE);
    memset(out, 0, bytes);
    return out;
}

static void measure(const bench *b, const char *order)
{
    double plain[ROUNDS], packets[ROUNDS], ratio[ROUNDS];
    ct_layout layout;
    ct_error err = {0};
    ct_array block = {.type = b->bits == 16 ? CT_CI16 : b->bits == 8 ? CT_CI8 : CT_CI4};
    ct_array_add(&block, 'S', 1);
    ct_array_add(&block, 'P', 2);
    ct_array_add(&block, 'T', b->samples);
    ct_array_add(&block, 'C', b->lanes * b->beamlets);
    if (ct_layout_parse(&layout, order, &err) != CT_OK) die(order, &err);
    ct_array_dense(&block, &layout);
    ct_padding_set(&block);
    block.data = make_room(ct_array_bytes(&block));
    for (int64_t i = -1; i < b->rounds; i++) { /* the first one is for the caches */
        const double p = read_plainly(b, &block), s = read_packets(b, &block);
        if (i >= 0) plain[i] = p, packets[i] = s, ratio[i] = p / s;
    }
    printf("%s  %6.2f GB/s  read() %6.2f GB/s  %.2f of it\n", order,
           1e-9 * (double)b->bytes / median(packets, b->rounds),
           1e-9 * (double)b->bytes / median(plain, b->rounds), median(ratio, b->rounds));
    free(block.data);
}

/* Options with a number, and what it may be. */
static void read_option(bench *b, const char *name, const char *given)
{
    const struct {
        const char *name;
        int64_t *number, least, most;
    } numbers[] = {{"--lanes", &b->lanes, 1, LANES},
                   {"--beamlets", &b->beamlets, 1, 255},
                   {"--bits", &b->bits, 4, 16},
                   {"--samples", &b->samples, 16, 1 << 24},
                   {"--blocks", &b->blocks, 1, 1000},
                   {"--lost", &b->lost, 0, 1 << 24},
                   {"--rounds", &b->rounds, 1, ROUNDS - 1}};
    char *end = NULL;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        if (strcmp(name, numbers[k].name) != 0) continue;
        *numbers[k].number = given ? strtoll(given, &end, 10) : 0;
        if (given && end > given && *end == 0 && *numbers[k].number >= numbers[k].least &&
            *numbers[k].number <= numbers[k].most)
            return;
        fprintf(stderr, "bench.packets: %s: expected a whole number from %lld to %lld\n", name,
                (long long)numbers[k].least, (long long)numbers[k].most);
        exit(2);
    }
    fprintf(stderr, "bench.packets: %s: expected --folder, --to", name);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        fprintf(stderr, ", %s", numbers[k].name);
    fprintf(stderr, "\n");
    exit(2);
}

int main(int argc, char **argv)
{
    bench b = {"/dev/shm", NULL, 4, 122, 8, 65536, 2, 0, 9, {{0}}, "", 0};
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--folder") == 0 && argv[i + 1])
            b.folder = argv[i + 1];
        else if (strcmp(argv[i], "--to") == 0 && argv[i + 1])
            b.to = argv[i + 1];
        else
            read_option(&b, argv[i], argv[i + 1]);
    }
    write_all(&b);
    static const char *const orders[] = {"SPTC", "STCP", "STPC", "SPCT", "SCPT", "SCTP"};
    for (size_t i = 0; !b.to && i < sizeof orders / sizeof orders[0]; i++)
        measure(&b, orders[i]);
    if (b.to) measure(&b, b.to);
    for (int64_t i = 0; i < b.lanes; i++)
        unlink(b.file[i]);
    return 0;
}
