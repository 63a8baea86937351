/* kernels.h: the kernels in a text of OpenCL C.
 * Room: base. Knows comments and the word `kernel`. Does not know the rest of the language. */
#ifndef CT_BASE_KERNELS_H
#define CT_BASE_KERNELS_H
#include <stdbool.h>
#include <stddef.h>

typedef struct ct_kernel {
    const char *begin; /* where `kernel` stands */
    const char *name;
    size_t length; /* of the name */
} ct_kernel;

/* The next one; *at begins at the text and is moved on. A name that a macro makes is not found. */
bool ct_kernels_next(const char **at, ct_kernel *out);

#endif
