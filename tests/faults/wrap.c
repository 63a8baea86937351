/* wrap.c: the calls of our own code to memory, files and OpenCL, led here by the linker: counted,
 * and the one that the driver has named fails. Libraries' own calls do not come here. Room: tests.
 * Knows how each kind of call says that it failed. */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>

static faults *armed;

void fault_arm(faults *to)
{
    armed = to;
}

int fault_way(int name)
{
    if (!armed) return 0;
    const long n = __atomic_fetch_add(&armed->made, 1, __ATOMIC_SEQ_CST);
    if (n < FAULT_MOST) armed->name[n] = (unsigned char)name;
    return n == armed->at ? armed->way : 0;
}

static int errno_of(int way)
{
    return way == NOMEM ? ENOMEM : way == NOSPC ? ENOSPC : way == INTR ? EINTR : EIO;
}

/* A pointer, NULL where there is none. */
#define POINTER(name, parameters, arguments)                                                       \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters                                                                 \
    {                                                                                              \
        if (!fault_way(FAULT_##name)) return __real_##name arguments;                              \
        errno = ENOMEM;                                                                            \
        return NULL;                                                                               \
    }

#define MAP(name, parameters, arguments)                                                           \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters                                                                 \
    {                                                                                              \
        if (!fault_way(FAULT_##name)) return __real_##name arguments;                              \
        errno = ENOMEM;                                                                            \
        return MAP_FAILED;                                                                         \
    }

/* -1 and errno. */
#define RESULT(type, name, parameters, arguments)                                                  \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        const int way = fault_way(FAULT_##name);                                                   \
        if (!way) return __real_##name arguments;                                                  \
        errno = errno_of(way);                                                                     \
        return -1;                                                                                 \
    }
#define CALL(name, parameters, arguments) RESULT(int, name, parameters, arguments)
#define PLACE(name, parameters, arguments) RESULT(off_t, name, parameters, arguments)

/* The number itself. */
#define THREAD(name, parameters, arguments)                                                        \
    int __real_##name parameters;                                                                  \
    int __wrap_##name parameters;                                                                  \
    int __wrap_##name parameters                                                                   \
    {                                                                                              \
        return fault_way(FAULT_##name) ? EAGAIN : __real_##name arguments;                         \
    }

/* As Linux closes: done all the same. */
#define AFTER(name, parameters, arguments)                                                         \
    int __real_##name parameters;                                                                  \
    int __wrap_##name parameters;                                                                  \
    int __wrap_##name parameters                                                                   \
    {                                                                                              \
        const int way = fault_way(FAULT_##name), result = __real_##name arguments;                 \
        if (!way) return result;                                                                   \
        errno = errno_of(way);                                                                     \
        return -1;                                                                                 \
    }

#define OPEN(name, parameters, arguments)                                                          \
    int __real_##name parameters;                                                                  \
    int __wrap_##name parameters;                                                                  \
    int __wrap_##name parameters                                                                   \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                            \
        va_end(rest);                                                                              \
        const int way = fault_way(FAULT_##name);                                                   \
        if (!way) return __real_##name arguments;                                                  \
        errno = errno_of(way);                                                                     \
        return -1;                                                                                 \
    }

/* Or half of what was asked for. */
#define SOME(name, parameters, arguments)                                                          \
    ssize_t __real_##name parameters;                                                              \
    ssize_t __wrap_##name parameters;                                                              \
    ssize_t __wrap_##name parameters                                                               \
    {                                                                                              \
        const int way = fault_way(FAULT_##name);                                                   \
        if (way == SHORT) bytes = (bytes + 1) / 2;                                                 \
        if (!way || way == SHORT) return __real_##name arguments;                                  \
        errno = errno_of(way);                                                                     \
        return -1;                                                                                 \
    }

#define CL(name, parameters, arguments)                                                            \
    cl_int __real_##name parameters;                                                               \
    cl_int __wrap_##name parameters;                                                               \
    cl_int __wrap_##name parameters                                                                \
    {                                                                                              \
        return fault_way(FAULT_##name) ? CL_OUT_OF_RESOURCES : __real_##name arguments;            \
    }

#define RELEASE(name, parameters, arguments)                                                       \
    cl_int __real_##name parameters;                                                               \
    cl_int __wrap_##name parameters;                                                               \
    cl_int __wrap_##name parameters                                                                \
    {                                                                                              \
        const cl_int code = __real_##name arguments;                                               \
        return fault_way(FAULT_##name) ? CL_OUT_OF_RESOURCES : code;                               \
    }

/* All of OpenCL's objects are pointers. */
#define OBJECT(name, parameters, arguments)                                                        \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters                                                                 \
    {                                                                                              \
        if (!fault_way(FAULT_##name)) return __real_##name arguments;                              \
        if (code) *code = CL_OUT_OF_RESOURCES;                                                     \
        return NULL;                                                                               \
    }

#define WRAP(name, ways, kind, parameters, arguments) kind(name, parameters, arguments)
FAULT_CALLS(WRAP)
