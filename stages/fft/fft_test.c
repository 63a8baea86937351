/* fft_test.c: what is special of the FFT: the transform's own properties, and every engine against
 * the reference at awkward lengths and in arrays with gaps.
 * Room: stages/fft, tests. The conformance call goes through the layouts. */
#include "device.h"
#include "exhaustive.h"
#include "program.h"
#include "stage.h"
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#define PI 3.14159265358979323846

extern const ct_stage ct_stage_fft;

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static void fill(ct_array *array, uint64_t seed)
{
    for (int64_t n = 0; n < ct_array_count(array); n++) {
        double re = noise(&seed), im = noise(&seed);
        ct_array_save(array, n, re, im);
    }
}

static void assert_near(ct_complex a, double re, double im)
{
    if (hypot(a.re - re, a.im - im) > 1e-6)
        fail_msg("found %g%+gi, expected %g%+gi", a.re, a.im, re, im);
}

/* ---------------------------------------------------------------- the reference */

static void test_impulse_is_a_rotating_phase(void **state)
{
    enum { N = 15, AT = 4 };
    stage_case fft;
    (void)state;
    stage_make(&fft, &ct_stage_fft, "{}", "S=1 P=1 T=1 C=15", CT_CF32);
    ct_array_save(&fft.port[0], AT, 0, 2);
    stage_reference(&fft);
    for (int k = 0; k < N; k++) /* 2i exp(-2 pi i AT k / N) */
        assert_near(ct_array_load(&fft.port[1], k), 2 * sin(2 * PI * AT * k / N),
                    2 * cos(2 * PI * AT * k / N));
    stage_free(&fft);
}

static void test_tone_is_one_channel(void **state)
{
    enum { N = 12, TONE = 5 };
    stage_case fft;
    (void)state;
    stage_make(&fft, &ct_stage_fft, "{}", "S=1 P=1 T=1 C=12", CT_CF32);
    for (int c = 0; c < N; c++)
        ct_array_save(&fft.port[0], c, cos(2 * PI * TONE * c / N), sin(2 * PI * TONE * c / N));
    stage_reference(&fft);
    for (int k = 0; k < N; k++)
        assert_near(ct_array_load(&fft.port[1], k), k == TONE ? N : 0, 0);
    stage_free(&fft);
}

/* ---------------------------------------------------------------- the engines */

static void open_device(ct_device **device)
{
    ct_error err = {0};
    if (ct_device_open(device, NULL, &err) == CT_OK) return;
    printf("skipped: %s\n", err.text);
    skip();
}

/* Strides of `order` with every row a little longer than it needs, and an offset. */
static void spread(ct_array *array, const char *order, int64_t gap, int64_t offset)
{
    int64_t stride = 1;
    for (int i = (int)strlen(order) - 1; i >= 0; i--) {
        int place = ct_array_find(array, order[i]);
        array->stride[place] = stride;
        stride *= array->extent[place] + (stride == 1 ? gap : 0);
    }
    array->offset = offset;
}

static int64_t place_of(const ct_array *array, int64_t element)
{
    int64_t place = array->offset;
    for (int i = array->rank - 1; i >= 0; element /= array->extent[i--])
        place += element % array->extent[i] * array->stride[i];
    return place;
}

typedef struct engine_case {
    const char *engine, *extents, *read, *write;
    int64_t gap, offset;
} engine_case;

/* Runs one step on the device; `x` in natural order. `y` gets the whole output buffer. `first`: the
 * port whose buffer is made first, because drivers know buffers by their age. */
static void run_engine(ct_device *device, ct_step *step, const ct_array *x, float *y, int first)
{
    ct_program *program = NULL;
    ct_buffer mem[CT_PORTS] = {{0}};
    ct_error err = {0};
    size_t in = ct_array_bytes(&step->port[0]), out = ct_array_bytes(&step->port[1]);
    ct_array host = step->port[0], table = step->port[2];
    const size_t factors = ct_array_bytes(&table);
    host.data = calloc(1, in);
    table.data = calloc(1, factors);
    if (ct_stage_fft.table(step, "W", &table, &err) != CT_OK) fail_msg("%s", err.text);
    for (int64_t n = 0; n < ct_array_count(x); n++) {
        ct_complex value = ct_array_load(x, n);
        ct_array_save(&host, place_of(&host, n), value.re, value.im);
    }
    for (size_t i = 0; i < out / sizeof *y; i++)
        y[i] = NAN;
    bool done = ct_program_new(&program, device, step, &err) == CT_OK &&
                ct_buffer_new(&mem[first], device, first ? out : in, &err) == CT_OK &&
                ct_buffer_new(&mem[!first], device, first ? in : out, &err) == CT_OK &&
                ct_buffer_new(&mem[2], device, factors, &err) == CT_OK &&
                ct_buffer_write(&mem[2], device, 0, table.data, factors, &err) == CT_OK &&
                ct_buffer_write(&mem[0], device, 0, host.data, in, &err) == CT_OK &&
                ct_buffer_write(&mem[1], device, 0, y, out, &err) == CT_OK &&
                ct_program_enqueue(program, mem, NULL, &err) == CT_OK &&
                ct_program_wait(program, NULL, &err) == CT_OK &&
                ct_buffer_read(&mem[1], device, 0, y, out, &err) == CT_OK;
    if (!done) fail_msg("%s", err.text);
    ct_program_free(program);
    ct_buffer_free(&mem[0]);
    ct_buffer_free(&mem[1]);
    ct_buffer_free(&mem[2]);
    free(host.data);
    free(table.data);
}

/* Every element right, every gap untouched. */
static void check_output(const stage_case *fft, const float *y)
{
    const ct_array *out = &fft->step->port[1], *expected = &fft->port[1];
    int64_t count = ct_array_count(expected), written = 0;
    double scale = sqrt((double)ct_array_extent(out, 'C'));
    for (int64_t n = 0; n < count; n++) {
        const float *found = y + 2 * place_of(out, n);
        ct_complex right = ct_array_load(expected, n);
        if (!(hypot(found[0] - right.re, found[1] - right.im) < 2e-6 * scale))
            fail_msg("element %lld: found %g%+gi, expected %g%+gi", (long long)n, found[0],
                     found[1], right.re, right.im);
    }
    for (int64_t i = 0; i < ct_array_span(out); i++)
        written += !isnan(y[2 * i]);
    assert_int_equal(written, count);
}

static void check_engine(ct_device *device, const engine_case *test)
{
    stage_case fft;
    ct_error err = {0};
    stage_make(&fft, &ct_stage_fft, "{}", test->extents, CT_CF32);
    fill(&fft.port[0], 7);
    stage_reference(&fft);
    spread(&fft.step->port[0], test->read, test->gap, test->offset);
    spread(&fft.step->port[1], test->write, test->gap, test->offset);
    ct_step_default_tunables(fft.step);
    assert_int_equal(ct_step_set_tunable(fft.step, "ENGINE", test->engine, &err), CT_OK);
    float *y = malloc(ct_array_bytes(&fft.step->port[1]));
    for (int first = 0; first < 2; first++) {
        run_engine(device, fft.step, &fft.port[0], y, first);
        check_output(&fft, y);
    }
    free(y);
    stage_free(&fft);
}

static const engine_case lengths[] = {
    {"", "S=2 P=2 T=3 C=1", "SPTC", "SPTC", 0, 0},
    {"", "S=2 P=2 T=33 C=2", "SPTC", "SPTC", 0, 0},
    {"", "S=3 P=2 T=5 C=1024", "SPTC", "SPTC", 0, 0},
    {"", "S=1 P=1 T=2 C=4096", "SPTC", "CTPS", 0, 0},
    {"", "S=3 P=1 T=7 C=1155", "SPTC", "SPTC", 0, 0}, /* 3 5 7 11 */
    {"", "S=17 P=2 T=19 C=26", "CTSP", "TCPS", 0, 0},
    {"", "S=3 P=2 T=5 C=16", "STCP", "PCTS", 4, 8},
    {"", "S=3 P=2 T=5 C=16", "SPTC", "TSPC", 2, 2},
    {"", "S=3 P=2 T=5 C=15", "SPTC", "SPTC", 1, 3},
    {"", "S=64 P=2 T=16 C=8", "SPCT", "CTPS", 0, 0},
};

/* Every radix of the kernel first and last, spectra fewer and more than a tile's, and together
 * ones. */
static const engine_case native_lengths[] = {
    {"", "S=2 P=1 T=17 C=16", "SPTC", "TPSC", 0, 0},
    {"", "S=5 P=3 T=7 C=32", "TPSC", "PTSC", 8, 8},
    {"", "S=1 P=1 T=19 C=128", "SPTC", "SPTC", 0, 0},
    {"", "S=1 P=2 T=3 C=256", "SPTC", "SPTC", 0, 0},
    {"", "S=5 P=2 T=3 C=512", "TSPC", "SPTC", 3, 0},
    {"", "S=1 P=1 T=1 C=4096", "SPTC", "SPTC", 0, 0},
    {"", "S=3 P=2 T=19 C=32", "CTSP", "SPTC", 0, 0},
    {"", "S=17 P=2 T=3 C=256", "SPTC", "CTSP", 0, 0},
    {"", "S=1 P=2 T=33 C=512", "CSPT", "SCPT", 0, 0},
    {"", "S=5 P=2 T=9 C=105", "CPST", "TCSP", 1, 3},
    {"", "S=3 P=1 T=17 C=18", "SPCT", "SPTC", 0, 0},
    {"", "S=2 P=2 T=16 C=280", "SPTC", "SPCT", 0, 0},
    {"", "S=2 P=2 T=70 C=256", "SCTP", "SPTC", 0, 0},
    {"", "S=3 P=2 T=5 C=512", "TCSP", "TSPC", 8, 8},
    {"", "S=17 P=1 T=2 C=4096", "CTPS", "SPTC", 1, 3},
    {"", "S=33 P=2 T=2 C=256", "TSCP", "STCP", 0, 0},
    {"", "S=3 P=2 T=17 C=512", "TSCP", "PTSC", 0, 1},
    {"", "S=1 P=2 T=5 C=1024", "SPTC", "TSCP", 0, 8},
};

/* Whether this engine can transform so many channels, in this build. */
static bool engine_can(const char *name, const char *extents)
{
    stage_case fft;
    stage_make(&fft, &ct_stage_fft, "{}", extents, CT_CF32);
    ct_step_default_tunables(fft.step);
    bool can =
        ct_step_set_tunable(fft.step, "ENGINE", name, NULL) == CT_OK && ct_step_is_legal(fft.step);
    stage_free(&fft);
    return can;
}

static void check_engines(const char *engine, const engine_case *tests, size_t count, size_t step)
{
    ct_device *device = NULL;
    open_device(&device);
    for (size_t i = 0; i < count; i += step * (size_t)few_or_all(4, 1)) {
        engine_case test = tests[i];
        test.engine = engine;
        if (engine_can(engine, test.extents)) check_engine(device, &test);
    }
    ct_device_free(device);
}
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool has_engine(const char *name)
{
    return engine_can(name, "S=1 P=1 T=1 C=4");
}

static void test_fftw(void **state)
{
    (void)state;
    if (!has_engine("fftw")) skip();
    check_engines("fftw", lengths, COUNT(lengths), 1);
}

static void test_fftw_takes_large_primes(void **state)
{
    static const engine_case test = {"fftw", "S=2 P=1 T=3 C=251", "CTSP", "TCSP", 0, 0};
    ct_device *device = NULL;
    (void)state;
    if (!has_engine("fftw")) skip();
    open_device(&device);
    check_engine(device, &test);
    ct_device_free(device);
}

static void test_native(void **state)
{
    (void)state;
    check_engines("native", lengths, COUNT(lengths), 1);
    check_engines("native", native_lengths, COUNT(native_lengths), 1);
}

static void test_native_knows_its_lengths(void **state)
{
    (void)state;
    for (int length = 1; length <= 5000; length++) {
        char extents[32];
        int rest = length;
        for (int k = 0; k < 4; k++)
            while (rest % (int[]){2, 3, 5, 7}[k] == 0)
                rest /= (int[]){2, 3, 5, 7}[k];
        snprintf(extents, sizeof extents, "S=1 P=1 T=1 C=%d", length);
        assert_int_equal(engine_can("native", extents), rest == 1 && length > 1 && length <= 4096);
    }
}

static void test_clfft(void **state)
{
    (void)state;
    if (!has_engine("clfft")) skip();
    check_engines("clfft", lengths, COUNT(lengths), 2); /* compiling takes a second each */
}

static void test_clfft_refuses_large_primes(void **state)
{
    (void)state;
    if (!has_engine("clfft") || !has_engine("fftw")) skip(); /* one of them must take any shape */
    assert_true(engine_can("clfft", "S=1 P=1 T=1 C=4095"));
    assert_false(engine_can("clfft", "S=1 P=1 T=1 C=4097")); /* 17 * 241 */
    assert_true(engine_can("fftw", "S=1 P=1 T=1 C=4097"));
}

/* Transforming a sum is summing the transforms, through the engine that is the default. */
static void test_engine_is_linear_and_delays_rotate_phases(void **state)
{
    enum { N = 48, DELAY = 7 };
    ct_device *device = NULL;
    stage_case fft;
    float y[3][2 * N];
    (void)state;
    open_device(&device);
    stage_make(&fft, &ct_stage_fft, "{}", "S=1 P=1 T=1 C=48", CT_CF32);
    ct_step_default_tunables(fft.step);
    ct_array *x = &fft.port[0];
    fill(x, 11);
    run_engine(device, fft.step, x, y[0], 0);
    float *samples = x->data, delayed[2 * N], sum[2 * N];
    for (int c = 0; c < 2 * N; c++)
        delayed[(c + 2 * DELAY) % (2 * N)] = samples[c];
    for (int c = 0; c < 2 * N; c++)
        sum[c] = samples[c] + 3 * delayed[c];
    memcpy(samples, delayed, sizeof delayed);
    run_engine(device, fft.step, x, y[1], 0);
    memcpy(samples, sum, sizeof sum);
    run_engine(device, fft.step, x, y[2], 0);
    for (int k = 0; k < N; k++) {
        double re = cos(2 * PI * DELAY * k / N), im = -sin(2 * PI * DELAY * k / N);
        const float *a = y[0] + 2 * k;
        ct_complex late = {y[1][2 * k], y[1][2 * k + 1]}, both = {y[2][2 * k], y[2][2 * k + 1]};
        assert_true(hypot(late.re - (a[0] * re - a[1] * im), late.im - (a[0] * im + a[1] * re)) <
                    2e-5);
        assert_true(hypot(both.re - a[0] - 3 * late.re, both.im - a[1] - 3 * late.im) < 4e-5);
    }
    stage_free(&fft);
    ct_device_free(device);
}

/* ---------------------------------------------------------------- several threads */

enum { THREADS = 4, TIMES = 40 };

typedef struct preparer {
    ct_device *device;
    int64_t length; /* of the first transform */
    int wrong;
} preparer;

static void *prepare_often(void *argument)
{
    preparer *one = argument;
    for (int i = 0; i < TIMES; i++) {
        char extents[64];
        stage_case fft;
        ct_error err = {0};
        void *prepared = NULL;
        snprintf(extents, sizeof extents, "S=1 P=1 T=3 C=%lld", (long long)one->length + 4 * i);
        stage_make(&fft, &ct_stage_fft, "{}", extents, CT_CF32);
        ct_step_default_tunables(fft.step);
        one->wrong += ct_step_set_tunable(fft.step, "ENGINE", "fftw", &err) != CT_OK;
        fft.step->native_device = one->device->id;
        one->wrong += ct_stage_fft.engine.prepare(fft.step, &prepared, &err) != CT_OK;
        ct_stage_fft.engine.release(prepared);
        stage_free(&fft);
    }
    return NULL;
}

/* FFTW's planner keeps what it has learnt for the whole process. */
static void test_threads_prepare_at_once(void **state)
{
    ct_device *device = NULL;
    pthread_t thread[THREADS];
    preparer each[THREADS];
    (void)state;
    if (!has_engine("fftw")) skip();
    open_device(&device);
    for (int i = 0; i < THREADS; i++) {
        each[i] = (preparer){device, 60 + i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, prepare_often, &each[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(each[i].wrong, 0);
    }
    ct_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impulse_is_a_rotating_phase),
        cmocka_unit_test(test_tone_is_one_channel),
        cmocka_unit_test(test_fftw),
        cmocka_unit_test(test_fftw_takes_large_primes),
        cmocka_unit_test(test_threads_prepare_at_once),
        cmocka_unit_test(test_native),
        cmocka_unit_test(test_native_knows_its_lengths),
        cmocka_unit_test(test_clfft),
        cmocka_unit_test(test_clfft_refuses_large_primes),
        cmocka_unit_test(test_engine_is_linear_and_delays_rotate_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
