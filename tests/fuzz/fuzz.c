/* fuzz.c: see fuzz.h. No input may take more than a second of the processor, or more than 64 MiB
 * and four times its own size; memory is counted where a sanitizer tells of it. Room: tests/fuzz.
 * Knows the C library and the sanitizers' hooks. Does not know formats. */
#include "fuzz.h"
#include "cornerturn_stage.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FUZZ_SECONDS 1.0
#define FUZZ_BYTES ((int64_t)64 << 20)
enum { FUZZ_TIMES = 4 };

int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                              void (*)(const volatile void *))
    __attribute__((weak));
size_t __sanitizer_get_allocated_size(const volatile void *) __attribute__((weak));

static struct {
    char folder[256];
    atomic_llong live, peak;
    bool hooked, forgives;
} fuzz;

/* ---- memory */

static void count_malloc(const volatile void *memory, size_t bytes)
{
    (void)memory;
    const int64_t live = atomic_fetch_add(&fuzz.live, (int64_t)bytes) + (int64_t)bytes;
    if (live > atomic_load(&fuzz.peak)) atomic_store(&fuzz.peak, live);
}

static void count_free(const volatile void *memory)
{
    if (memory) atomic_fetch_sub(&fuzz.live, (int64_t)__sanitizer_get_allocated_size(memory));
}

int64_t fuzz_live(void)
{
    return fuzz.hooked && !fuzz.forgives ? atomic_load(&fuzz.live) : 0;
}

void fuzz_forgive_library(void)
{
    fuzz.forgives = true;
}

/* ---- the folder */

static void remove_folder(void)
{
    char path[1024];
    DIR *folder = opendir(fuzz.folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", fuzz.folder, entry->d_name);
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) unlink(path);
    }
    if (folder) closedir(folder);
    rmdir(fuzz.folder);
}

const char *fuzz_folder(void)
{
    return fuzz.folder;
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", fuzz.folder, name);
    unlink(path);
    FILE *file = fopen(path, "wb");
    if (!file || (size > 0 && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
        fuzz_fail("the folder for files cannot be written");
    return path;
}

/* ---- what must hold */

void fuzz_fail(const char *sentence)
{
    fprintf(stderr, "\nfuzz: %s\n", sentence);
    abort();
}

void fuzz_said(ct_status status, const ct_error *err)
{
    if ((status == CT_OK) != (err->text[0] == 0))
        fuzz_fail(status ? "a failure without a sentence" : "a sentence without a failure");
    if (status != CT_OK && err->status == CT_OK) fuzz_fail("a sentence without a status");
    for (const char *at = err->text; *at;) {
        const int letter = *at == '\n' || *at == '\t' ? 1 : ct_text_letter(at);
        if (letter == 0) {
            fprintf(stderr, "%s\n", err->text);
            fuzz_fail("a sentence with a byte that is no letter");
        }
        at += letter;
    }
}

/* ---- texts */

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (size > 0) memcpy(text, data, size);
    text[size] = 0;
    return text;
}

char *fuzz_json(const char *text)
{
    char *json = strdup(text);
    for (char *at = json; *at; at++)
        if (*at == '\'') *at = '"';
    return json;
}

/* ---- libFuzzer's entry points */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *where = getenv("TMPDIR");
    (void)argc, (void)argv;
    if (!where) where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(fuzz.folder, sizeof fuzz.folder, "%s/ct_fuzz_XXXXXX", where);
    if (!mkdtemp(fuzz.folder)) fuzz_fail("no folder for files");
    atexit(remove_folder);
    fuzz_begin();
    if (__sanitizer_install_malloc_and_free_hooks && __sanitizer_get_allocated_size)
        fuzz.hooked = __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) > 0;
    return 0;
}

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const double start = processor_s();
    const int64_t before = atomic_load(&fuzz.live), most = FUZZ_BYTES + FUZZ_TIMES * (int64_t)size;
    atomic_store(&fuzz.peak, before);
    fuzz_one(data, size);
    const double took = processor_s() - start;
    const int64_t bytes = atomic_load(&fuzz.peak) - before;
    if (fuzz.forgives || (took <= FUZZ_SECONDS && bytes <= most)) return 0;
    fprintf(stderr, "\nfuzz: %.2f s and %lld bytes for an input of %zu\n", took, (long long)bytes,
            size);
    fuzz_fail("expected at most 1 s, and 64 MiB and four times the input's size");
    return 0;
}
