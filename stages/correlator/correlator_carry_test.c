/* correlator_carry_test.c: an integration has the same bits whether one firing holds all of it or
 * it begins and ends anywhere in several, whatever these firings' lengths, for each engine. Room:
 * stages/correlator, tests. Oracle: the same integration in one firing, which the conformance call
 * compares with the reference. */
#include "correlator_trial.h"
#include "exhaustive.h"

enum { POLS = 2, CHANNELS = 3, SAMPLES = 197, INTEGRATIONS = 2 };

/* What is tried. Samples follow from their place in the stream. */
typedef struct trial {
    ct_type type;
    const char *sums, *tunables; /* all but TILE_T, */
    int64_t tile;                /* which is this one, or the longest below that is legal */
    int64_t stations;
    bool flags;
} trial;

/* A firing's program, and its arrays. */
typedef struct firing {
    stage_case made;
    stage_device on;
    int64_t samples;
} firing;

static bool is_flagged(int64_t station, int64_t t)
{
    return scramble(1000003 * station + t) % 5 == 0;
}

static void fill(firing *of, int64_t start)
{
    ct_array *x = &of->made.port[X], *m = &of->made.port[M];
    const bool whole = ct_type_integer(x->type);
    const double span = x->type == CT_CI16 ? 65536 : whole ? 256 : 20011, unit = whole ? 1 : 7919;
    for (int64_t n = 0; n < ct_array_count(x); n++) {
        const int64_t c = n % CHANNELS, t = n / CHANNELS % of->samples;
        const int64_t row = n / CHANNELS / of->samples;
        const int64_t seed = 2 * ((row * 100003 + start + t) * CHANNELS + c);
        ct_array_save(x, n, (double)(scramble(seed) % (int64_t)span) / unit - span / unit / 2,
                      (double)(scramble(seed + 1) % (int64_t)span) / unit - span / unit / 2);
    }
    for (int64_t n = 0; m->type != CT_NONE && n < ct_array_count(m); n++)
        ct_array_save(m, n, is_flagged(n / of->samples, start + n % of->samples), 0);
}

static void connect_flags(firing *of, int64_t stations)
{
    ct_error err = {0};
    ct_array flags = {.type = CT_U8};
    ct_array_add(&flags, 'S', stations);
    ct_array_add(&flags, 'T', of->samples);
    of->made.step->port[M] = flags;
    assert_int_equal(ct_step_infer(of->made.step, &err), CT_OK);
    stage_take_port(&of->made, M);
}

/* Of so many samples, and integrations of as many as `integrate`. */
static bool open_firing(firing *of, const trial *one, int64_t samples, int64_t integrate)
{
    char params[96], extents[64];
    ct_error err = {0};
    snprintf(params, sizeof params, "{\"integrate\": %lld, \"sums\": \"%s\"}", (long long)integrate,
             one->sums);
    snprintf(extents, sizeof extents, "S=%lld P=%d T=%lld C=%d", (long long)one->stations, POLS,
             (long long)samples, CHANNELS);
    stage_make(&of->made, &ct_stage_correlator, params, extents, one->type);
    of->samples = samples;
    if (one->flags) connect_flags(of, one->stations);
    ct_step_default_tunables(of->made.step);
    give_tunables(&of->made, one->tunables);
    for (int64_t tile = one->tile; tile >= 4; tile /= 2) {
        char word[32];
        snprintf(word, sizeof word, "%lld", (long long)tile);
        assert_int_equal(ct_step_set_tunable(of->made.step, "TILE_T", word, &err), CT_OK);
        if (ct_step_is_legal(of->made.step)) return stage_device_open(&of->on, &of->made);
    }
    fail_msg("not legal: %s", one->tunables);
    return false;
}

static void close_firing(firing *of)
{
    stage_device_close(&of->on);
    stage_free(&of->made);
}

static void fire(firing *of, const ct_piece *piece)
{
    fill(of, piece->start);
    stage_device_put(&of->on, X);
    stage_device_put(&of->on, M);
    stage_device_fire_piece(&of->on, piece);
}

/* The integration from `begin` on, as the run carries it from firing to firing. */
static void carry(firing *of, int64_t begin)
{
    const int64_t end = begin + SAMPLES;
    for (int64_t start = begin / of->samples * of->samples; start < end; start += of->samples) {
        const int64_t first = begin > start ? begin - start : 0;
        const int64_t last = end < start + of->samples ? end - start : of->samples;
        fire(of, &(ct_piece){start > begin, first, last, start});
    }
}

static void assert_same(firing *whole, firing *part, int port, int64_t integration)
{
    ct_array wanted = stage_device_read(&whole->on, port);
    ct_array found = stage_device_read(&part->on, port);
    const size_t bytes = ct_array_bytes(&found);
    assert_int_equal(ct_array_bytes(&wanted), bytes * INTEGRATIONS);
    assert_memory_equal((char *)wanted.data + (size_t)integration * bytes, found.data, bytes);
    free(wanted.data);
    free(found.data);
}

static void check_firings(const trial *one, firing *whole, int64_t samples)
{
    static const int64_t begins[] = {0, 5, 31, 64, 77, 155};
    firing part;
    assert_true(open_firing(&part, one, samples, (SAMPLES / samples + 2) * samples));
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        fire(whole, &(ct_piece){false, 0, SAMPLES * INTEGRATIONS, begins[i]});
        for (int64_t m = 0; m < INTEGRATIONS; m++) {
            carry(&part, begins[i] + m * SAMPLES);
            assert_same(whole, &part, Y, m);
            assert_same(whole, &part, COUNTS, m);
        }
    }
    close_firing(&part);
}

/* Each in firings of one length and in those of all. What is only in the second set has engines,
 * and cells of work-groups, that others of the first have, too. */
static void check(const trial *all, size_t few, size_t count)
{
    static const int64_t firings[] = {32, 64, 96, 160};
    for (size_t n = 0; n < (size_t)few_or_all((int64_t)few, (int64_t)count); n++) {
        firing whole;
        if (!open_firing(&whole, &all[n], SAMPLES * INTEGRATIONS, SAMPLES)) skip();
        for (size_t i = 0; i < 4; i++)
            if (few_or_all(0, 1) || i == n % 4) check_firings(&all[n], &whole, firings[i]);
        close_firing(&whole);
    }
}

#define CHECK(trials, few) check(trials, few, sizeof(trials) / sizeof *(trials))
#define GROUP "CELLS_SP=1 TILE_C=1 PREFETCH=0 WG=64 "

static void test_floats(void **state)
{
    static const trial trials[] = {
        {CT_CF32, "exact", "", 64, 5, false},
        {CT_CF32, "exact", "TILE_C=2 CELLS_SP=1", 128, 11, true},
        {CT_CI8, "float", "VECTOR_SP=4 VECTORS_SP=4 CELL_SP=2 CELLS_SP=1", 32, 5, true},
        {CT_CF32, "exact", GROUP "VECTOR_SP=1 VECTORS_SP=2 CELL_SP=2", 8, 11, true},
        {CT_CF32, "exact", "VECTOR_SP=2 CELLS_SP=1", 256, 5, false},
        {CT_CF32, "exact", GROUP "VECTOR_SP=2 VECTORS_SP=2 CELL_SP=4", 32, 5, false}};
    (void)state;
    CHECK(trials, 5);
}

static void test_bytes(void **state)
{
    static const trial trials[] = {
        {CT_CI8, "exact", "DOT=0 VECTOR_SP=8 CELL_SP=4 CELLS_SP=1", 64, 5, true},
        {CT_CI8, "exact", "DOT=1 VECTOR_SP=16 CELL_SP=4 CELLS_SP=1", 64, 5, true},
        {CT_CI8, "exact", "DOT=2 VECTOR_SP=16 VECTORS_SP=2 CELL_SP=16 CELLS_SP=1", 64, 19, true},
        {CT_CI8, "exact", GROUP "DOT=1 VECTOR_SP=1 VECTORS_SP=4 CELL_SP=4", 16, 11, true},
        {CT_CI8, "exact", "DOT=2 VECTOR_SP=16 VECTORS_SP=1 CELL_SP=16 TILE_C=2", 32, 5, false},
        {CT_CI8, "exact", GROUP "DOT=0 VECTOR_SP=1 VECTORS_SP=2 CELL_SP=2", 4, 5, false}};
    (void)state;
    CHECK(trials, 4);
}

static void test_words(void **state)
{
    static const trial trials[] = {
        {CT_CI16, "exact", "DOT=0 VECTOR_SP=4 CELLS_SP=1", 64, 5, true},
        {CT_CI16, "exact", "DOT=1 VECTOR_SP=16 CELL_SP=4 CELLS_SP=1", 64, 5, true},
        {CT_CI16, "exact", GROUP "DOT=0 VECTOR_SP=1 VECTORS_SP=4 CELL_SP=4", 16, 11, false}};
    (void)state;
    CHECK(trials, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
