/* exhaustive.h: whether a test shall try all of its cases, or a few of them: ctest has such a test
 * twice (tests/CMakeLists.txt). Room: tests. Knows only the environment. */
#ifndef CT_TESTS_EXHAUSTIVE_H
#define CT_TESTS_EXHAUSTIVE_H
#include <stdint.h>
#include <stdlib.h>

static inline int64_t few_or_all(int64_t few, int64_t all)
{
    const char *text = getenv("EXHAUSTIVE");
    return text && *text ? all : few;
}

#endif
