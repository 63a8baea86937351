/* fuzz.h: what the fuzz targets share: a folder for files, limits of time and memory, and what must
 * hold of every failure. A target is one source with fuzz_begin and fuzz_one.
 * Room: tests/fuzz. Knows the library's inside through its targets. Does not know where inputs come
 * from: libFuzzer, or driver.c where clang is missing. */
#ifndef CT_TESTS_FUZZ_H
#define CT_TESTS_FUZZ_H
#include "cornerturn.h"

#include <stddef.h>
#include <stdint.h>

/* Of the target: once, before the first input; and each input. Whatever it makes it frees. */
void fuzz_begin(void);
void fuzz_one(const uint8_t *data, size_t size);

/* libFuzzer's entry points, which the driver calls, too. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in the private folder, written anew; the name lives until the end. */
const char *fuzz_file(const char *name, const void *data, size_t size);
const char *fuzz_folder(void);

/* Ends the process where a call failed without a sentence, succeeded with one, or where a sentence
 * has bytes that are no letters. */
void fuzz_said(ct_status status, const ct_error *err);
/* Ends the process, with this sentence. */
void fuzz_fail(const char *sentence);

/* The bytes as a text, which ends at the first 0; released with free(). */
char *fuzz_text(const uint8_t *data, size_t size);
/* A text with every ' as ", for JSON in C; released with free(). */
char *fuzz_json(const char *text);

/* Bytes of memory that are in use; 0 where no sanitizer tells. */
int64_t fuzz_live(void);
/* Time and memory are not looked at: what a library takes, and keeps, that the target uses is not
 * ours. */
void fuzz_forgive_library(void);

#endif
