/* folder.h: a folder in which files are being made: one maker at a time for each name, and what
 * dead ones left there is taken away. Room: base. Knows POSIX files. Does not know what they hold.
 */
#ifndef CT_BASE_FOLDER_H
#define CT_BASE_FOLDER_H
#include <stdbool.h>

/* Among the folder's hidden files, while somebody writes there. A maker locks one byte of it for
 * each name: the lock dies with its process, however that ends, and needs no descriptor of its own.
 */
#define CT_FOLDER_LOCK ".cornerturn.lock"

enum { CT_FOLDER_NAME = 64 }; /* room for a temporary name */

typedef struct ct_folder ct_folder;

/* NULL and errno where that fails. Files of dead makers are removed. */
ct_folder *ct_folder_open(const char *path);
bool ct_folder_is(const ct_folder *folder, const char *path);
int ct_folder_handle(const ct_folder *folder); /* for openat() and its kin */
/* 0; EAGAIN: somebody else makes a file of this name; or another errno. What a dead one had put
 * aside is put back where the name has nothing, else removed. */
int ct_folder_claim(ct_folder *folder, const char *name);
/* A hidden name that is known by its form; `ending`: ".part", or ".old" of what is put aside. */
void ct_folder_temporary(char out[CT_FOLDER_NAME], const char *name, const char *ending);
/* Gives all claims back. */
void ct_folder_free(ct_folder *folder);

#endif
