/* driver.c: feeds a fuzz target where libFuzzer is missing: each input of the corpus as it is, then
 * mutations of them, always the same ones for one seed. It does not see which code runs.
 *
 *     fuzz.npy [-seconds=1] [-runs=100000] [-seed=1] [-dict=FILE] [-seeds=CORPUS] [FILE...]
 *
 * Says the seed; an input that ends the process is left in the file crash.
 * Room: tests/fuzz. Knows bytes. Does not know formats. */
#include "fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of a target that knows what its inputs look like; and what such a one calls. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
    __attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { MOST = 16384, FILES = 4096, WORDS = 512 };

typedef struct bytes {
    uint8_t *at;
    size_t size;
} bytes;

static struct {
    bytes file[FILES], word[WORDS];
    size_t files, words;
    uint64_t chance;
    uint8_t input[MOST];
    size_t size;
} driver;

/* ---- chance */

static uint64_t roll(uint64_t sides)
{
    driver.chance ^= driver.chance << 13;
    driver.chance ^= driver.chance >> 7;
    driver.chance ^= driver.chance << 17;
    return sides ? (driver.chance >> 11) % sides : 0;
}

/* ---- the corpus */

static bytes read_bytes(const char *path)
{
    bytes out = {malloc(MOST), 0};
    FILE *file = fopen(path, "rb");
    if (file) {
        out.size = fread(out.at, 1, MOST, file);
        fclose(file);
    }
    return out;
}

static void add_file(const char *path)
{
    if (driver.files < FILES) driver.file[driver.files++] = read_bytes(path);
}

/* What stands between a line's quotes; \xHH, \\ and \" inside. */
static bytes read_quoted(const char *line)
{
    const char *at = strchr(line, '"');
    bytes out = {malloc(strlen(line) + 1), 0};
    while (at && *++at && *at != '"') {
        unsigned value = (unsigned char)*at;
        if (*at == '\\' && at[1] == 'x' && sscanf(at + 2, "%2x", &value) == 1)
            at += 3;
        else if (*at == '\\')
            value = (unsigned char)*++at;
        out.at[out.size++] = (uint8_t)value;
    }
    return out;
}

/* The words of a dictionary or the seeds of a corpus: "bytes" or name="bytes", a line each. */
static size_t read_lines(const char *path, bytes *out, size_t count, size_t most)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (!file) fuzz_fail("a dictionary or a corpus that is not there");
    while (count < most && getline(&line, &room, file) > 0)
        if (line[0] != '#' && strchr(line, '"')) {
            out[count] = read_quoted(line);
            if (out[count].size > MOST) fuzz_fail("a seed that is too long");
            count++;
        }
    free(line);
    fclose(file);
    return count;
}

/* ---- mutations */

static void insert(size_t at, const uint8_t *what, size_t size)
{
    if (size > MOST - driver.size) size = MOST - driver.size;
    memmove(driver.input + at + size, driver.input + at, driver.size - at);
    memcpy(driver.input + at, what, size);
    driver.size += size;
}

static void erase(size_t at, size_t size)
{
    memmove(driver.input + at, driver.input + at + size, driver.size - at - size);
    driver.size -= size;
}

static void change_bit(size_t at)
{
    if (at < driver.size) driver.input[at] ^= (uint8_t)(1u << roll(8));
}

static void change_byte(size_t at)
{
    static const uint8_t bytes_of_interest[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '"', '-', '9', '['};
    const uint64_t which = roll(2 * sizeof bytes_of_interest);
    if (at >= driver.size) return;
    driver.input[at] = which < sizeof bytes_of_interest ? bytes_of_interest[which] : (uint8_t)which;
}

/* Little-endian numbers of 2, 4 or 8 bytes. */
static void change_number(size_t at)
{
    static const uint64_t numbers[] = {0,          1,          0x7fff,    0x8000,
                                       0x7fffffff, 0x80000000, INT64_MAX, -1u};
    const uint64_t number = numbers[roll(sizeof numbers / sizeof numbers[0])] + roll(3) - 1;
    const size_t width = (size_t)2 << roll(3);
    for (size_t i = 0; i < width && at + i < driver.size; i++)
        driver.input[at + i] = (uint8_t)(number >> 8 * i);
}

/* The digits that stand there, or before there, become another number. */
static void change_digits(size_t at)
{
    static const char *const numbers[] = {
        "0",     "-1",     "1",          "2",          "3",          "7",
        "16",    "4096",   "2147483647", "2147483648", "1e-170",     "1e308",
        "0.001", "-0.5",   "1e15",       "65536",      "4294967296", "9223372036854775807",
        "1e400", "100000", "123456789"};
    const char *number = numbers[roll(sizeof numbers / sizeof numbers[0])];
    const size_t start = at;
    while (at < driver.size && !strchr("0123456789", driver.input[at] ? driver.input[at] : 'x'))
        at++;
    if (at == driver.size) at = start;
    size_t length = 0;
    while (at + length < driver.size && driver.input[at + length] >= '0' &&
           driver.input[at + length] <= '9')
        length++;
    erase(at, length);
    insert(at, (const uint8_t *)number, strlen(number));
}

static void insert_word(size_t at)
{
    if (driver.words == 0) return;
    const bytes *word = &driver.word[roll(driver.words)];
    insert(at, word->at, word->size);
}

static void replace_by_word(size_t at)
{
    const uint64_t size = roll(16);
    erase(at, size < driver.size - at ? size : driver.size - at);
    insert_word(at);
}

static void insert_chance(size_t at)
{
    uint8_t some[8];
    for (size_t i = 0; i < sizeof some; i++)
        some[i] = (uint8_t)roll(256);
    insert(at, some, 1 + roll(sizeof some));
}

static void erase_some(size_t at)
{
    const size_t left = driver.size - at;
    const size_t size = roll(4) ? roll(9) : roll(left + 1);
    erase(at, size < left ? size : left);
}

static void repeat_some(size_t at)
{
    uint8_t some[256];
    const size_t left = driver.size - at, size = 1 + roll(roll(4) ? 16 : sizeof some);
    const size_t taken = size < left ? size : left, times = 1 + (roll(8) ? 0 : roll(64));
    memcpy(some, driver.input + at, taken);
    for (size_t i = 0; i < times; i++)
        insert(at, some, taken);
}

/* A part of another input in place of, or before, what stands there. */
static void splice(size_t at)
{
    const bytes *other = &driver.file[roll(driver.files)];
    const size_t from = roll(other->size + 1), size = roll(other->size - from + 1);
    if (roll(2)) erase_some(at);
    insert(at, other->at + from, size);
}

static void mutate(void)
{
    static void (*const ways[])(size_t) = {change_bit,  change_byte, change_number,   change_digits,
                                           insert_word, insert_word, replace_by_word, insert_chance,
                                           erase_some,  repeat_some, splice};
    const uint64_t times = 1 + roll(roll(4) ? 4 : 16);
    for (uint64_t i = 0; i < times; i++)
        ways[roll(sizeof ways / sizeof ways[0])](roll(driver.size + 1));
}

/* Of the driver's own input only. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    if (data != driver.input || most != MOST) return size;
    driver.size = size;
    mutate();
    return driver.size;
}

static void change_input(void)
{
    const unsigned seed = (unsigned)roll(UINT32_MAX);
    if (LLVMFuzzerCustomMutator)
        driver.size = LLVMFuzzerCustomMutator(driver.input, driver.size, MOST, seed);
    else
        mutate();
}

/* ---- running */

/* Only calls that are allowed in a handler. */
static void keep_crash(int signal_number)
{
    const int handle = open("crash", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (handle >= 0 && write(handle, driver.input, driver.size) == (ssize_t)driver.size)
        (void)!write(STDERR_FILENO, "the input is in the file crash\n", 31);
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

/* What one input leaves behind it leaves again. The first time may fill caches. */
static void check_leaks(void)
{
    for (int i = 0; i < 3; i++) {
        const int64_t before = fuzz_live();
        LLVMFuzzerTestOneInput(driver.input, driver.size);
        if (fuzz_live() <= before) return;
    }
    fuzz_fail("this input leaks memory");
}

static void run_input(void)
{
    uint8_t *exact = malloc(driver.size); /* so that a sanitizer sees the input's end */
    memcpy(exact, driver.input, driver.size);
    const int64_t before = fuzz_live();
    LLVMFuzzerTestOneInput(exact, driver.size);
    if (fuzz_live() > before) check_leaks();
    free(exact);
}

static void take(const bytes *file)
{
    memcpy(driver.input, file->at, file->size);
    driver.size = file->size;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long long run_all(double seconds, long long runs)
{
    const double end = now_s() + seconds;
    long long done = 0;
    for (size_t i = 0; i < driver.files; i++, done++) {
        take(&driver.file[i]);
        run_input();
    }
    for (; done < runs && (seconds == 0 || now_s() < end); done++) {
        take(&driver.file[roll(driver.files)]);
        change_input();
        run_input();
    }
    return done;
}

int main(int argc, char **argv)
{
    double seconds = 0;
    long long runs = INT64_MAX;
    unsigned long long seed = (unsigned long long)time(NULL);
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        (void)signal(signals[i], keep_crash);
    for (int i = 1; i < argc; i++) {
        if (sscanf(argv[i], "-seconds=%lf", &seconds) == 1 ||
            sscanf(argv[i], "-runs=%lld", &runs) == 1 || sscanf(argv[i], "-seed=%llu", &seed) == 1)
            continue;
        if (strncmp(argv[i], "-dict=", 6) == 0)
            driver.words = read_lines(argv[i] + 6, driver.word, driver.words, WORDS);
        else if (strncmp(argv[i], "-seeds=", 7) == 0)
            driver.files = read_lines(argv[i] + 7, driver.file, driver.files, FILES);
        else
            add_file(argv[i]);
    }
    driver.chance = seed * 6364136223846793005u + 1442695040888963407u;
    if (driver.chance == 0) driver.chance = 1;
    if (driver.files == 0) driver.file[driver.files++] = (bytes){(uint8_t *)"", 0};
    LLVMFuzzerInitialize(&argc, &argv);
    const double start = now_s();
    printf("%s: seed %llu, %zu seeds", argv[0], seed, driver.files);
    fflush(stdout);
    const long long done = run_all(seconds, runs);
    printf(", %lld inputs in %.1f s\n", done, now_s() - start);
    return 0;
}
