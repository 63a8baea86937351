/* version.c: which version of Cornerturn this is.
 * Room: base. Knows the numbers in the public header. */
#include "cornerturn.h"

#define DIGITS(number) #number
#define TEXT(major, minor, patch) DIGITS(major) "." DIGITS(minor) "." DIGITS(patch)

const char *ct_version(void)
{
    return TEXT(CT_VERSION_MAJOR, CT_VERSION_MINOR, CT_VERSION_PATCH);
}
