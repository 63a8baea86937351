/* serve.h: how this command is started as a process that answers questions.
 * Room: cli. */
#ifndef CT_CLI_SERVE_H
#define CT_CLI_SERVE_H
#include "library.h"

enum { CT_SERVE_ARGUMENTS = 2 * CT_OPTION_TIMES + 4 };

/* With the same libraries; option NULL: none. What `libraries` names is not copied. */
void ct_serve_argv(const char *argv[CT_SERVE_ARGUMENTS], const char *option,
                   const char *const *libraries);

#endif
