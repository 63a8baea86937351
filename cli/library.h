/* library.h: the stages that a verb knows: the built-in ones, and those of the libraries that the
 * command line names. Room: cli. */
#ifndef CT_CLI_LIBRARY_H
#define CT_CLI_LIBRARY_H
#include "options.h"

/* A row of a verb's option table: `list` as of CT_OPTION_LIST. */
#define CT_LIBRARY_OPTION(list)                                                                    \
    {                                                                                              \
        "library", CT_OPTION_LIST, (list), "FILE",                                                 \
            "also know a shared library's stages (repeatable)"                                     \
    }

/* NULL in *out where it fails, and then every library that cannot be had is said. */
ct_status ct_library_context(ct_context **out, const char *const *libraries, ct_error *err);

#endif
