/* peer_copy.c: the memory's own speed: memcpy and a copy past the caches, on all threads.
 * Room: bench/peers. --size: bytes copied per round (as many are read and written). */
#include "peer.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define LINE ((size_t)64)

typedef struct copy {
    char *from, *to;
    size_t bytes;
} copy;

static void *copy_prepare(size_t size)
{
    copy *state = calloc(1, sizeof *state);
    state->bytes = (size + LINE - 1) / LINE * LINE;
    state->from = peer_pages(state->bytes);
    state->to = peer_pages(state->bytes);
    for (size_t i = 0; i < state->bytes; i++)
        state->from[i] = (char)(i * 2654435761u >> 11);
    return state;
}

/* This thread's part, in whole cache lines. */
static size_t copy_part(const copy *state, size_t *start)
{
    size_t lines = state->bytes / LINE, threads = (size_t)omp_get_num_threads();
    size_t mine = (size_t)omp_get_thread_num();
    *start = lines * mine / threads * LINE;
    return lines * (mine + 1) / threads * LINE - *start;
}

static void copy_round(void *given)
{
    copy *state = given;
#pragma omp parallel
    {
        size_t start, bytes = copy_part(state, &start);
        memcpy(state->to + start, state->from + start, bytes);
    }
}

/* One cache line, written past the caches where the processor can. */
static inline void copy_line(char *to, const char *from)
{
#if defined(__AVX512F__)
    _mm512_stream_si512((__m512i *)to, _mm512_load_si512(from));
#elif defined(__SSE2__)
    for (size_t i = 0; i < LINE; i += 16)
        _mm_stream_si128((__m128i *)(to + i), _mm_load_si128((const __m128i *)(from + i)));
#else
    memcpy(to, from, LINE);
#endif
}

static void copy_round_nt(void *given)
{
    copy *state = given;
#pragma omp parallel
    {
        size_t start, bytes = copy_part(state, &start);
        for (size_t i = start; i < start + bytes; i += LINE)
            copy_line(state->to + i, state->from + i);
#if defined(__SSE2__)
        _mm_sfence();
#endif
    }
}

static double copy_error(void *given)
{
    const copy *state = given;
    return memcmp(state->to, state->from, state->bytes) != 0;
}

/* As many bytes as the FIR filter reads (8-bit complex) and writes (32-bit complex), halved. */
#define FIR_BYTES ((size_t)STATIONS * POLS * CHANNELS * TIMES * (2 + 8) / 2)

int main(int argc, char **argv)
{
    static const peer peers[] = {{"memcpy", "memcpy on all threads", NULL, 0, 0, FIR_BYTES,
                                  copy_prepare, copy_round, copy_error, 0.0},
                                 {"nt-copy", "non-temporal copy on all threads", NULL, 0, 0,
                                  FIR_BYTES, copy_prepare, copy_round_nt, copy_error, 0.0},
                                 {0}};
    return peer_main(argc, argv, peers);
}
