/* self.h: this command as a person finds it, for what it tells them to type.
 * Room: cli. */
#ifndef CT_CLI_SELF_H
#define CT_CLI_SELF_H
#include <stdbool.h>
#include <stddef.h>

enum { CT_SELF_PATH = 4096 };

/* "cornerturn" where a shell finds this program by that, else its path, as a shell takes it. */
void ct_self_command(char out[CT_SELF_PATH]);
/* The folder that is so far from the command's, "../share", as a shell takes it; false: there is
 * none. */
bool ct_self_folder(char out[CT_SELF_PATH], const char *from_here);

#endif
