/* faults_jansson.c: gives Jansson memory by the wrapper of malloc, but for one call: where the text
 * of a token cannot grow, Jansson's lexer goes on without the byte, and may write beyond the string
 * that it makes of it (https://github.com/akheron/jansson/issues/362, in each version up to 2.14 at
 * least), which nobody who calls it can mend. Room: tests. Knows that call by where it returns to.
 */
#include "faults_jansson.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A token of LETTERS needs LETTERS + 3 bytes as a string, and grows by doubling to GROWN. */
enum { LETTERS = 3000, GROWN = 4096 };

static const void *growing, *copying;

void *__real_malloc(size_t bytes);

static void *learning_malloc(size_t bytes)
{
    if (bytes == GROWN) growing = __builtin_return_address(0);
    if (bytes == LETTERS + 3) copying = __builtin_return_address(0);
    return __real_malloc(bytes);
}

static void *fault_malloc(size_t bytes)
{
    return __builtin_return_address(0) == growing ? __real_malloc(bytes) : malloc(bytes);
}

void faults_jansson_learn(void)
{
    char text[LETTERS + 3] = "\"";
    memset(text + 1, 'a', LETTERS);
    memcpy(text + 1 + LETTERS, "\"", 2);
    json_set_alloc_funcs(learning_malloc, free);
    json_decref(json_loads(text, JSON_DECODE_ANY, NULL));
    json_set_alloc_funcs(malloc, free);
    if (growing == copying) growing = NULL; /* one place for all calls: none can be told apart */
}

void faults_jansson_feed(void)
{
    json_set_alloc_funcs(fault_malloc, free);
}
