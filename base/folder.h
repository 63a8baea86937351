/* folder.h: a folder in which files are being made: one maker at a time for each name, and what
 * dead ones left there is taken away.
 * Room: base. Knows POSIX files. Does not know what they hold. */
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
/* A hidden name that is known by its form; `ending`: ".part", ".old" of what is put aside, or one
 * of those of a run that can be taken up again, which only a maker of the same name removes. */
void ct_folder_temporary(char out[CT_FOLDER_NAME], const char *name, const char *ending);
#define CT_FOLDER_RESUMABLE ".held"  /* a file in the making */
#define CT_FOLDER_JOURNAL ".journal" /* see journal.h */
#define CT_FOLDER_STATE ".state"
/* The same without chance in it: always one name. */
void ct_folder_fixed(char out[CT_FOLDER_NAME], const char *name, int number, const char *ending);
/* Removes what a dead run has left of this name, which is claimed, for who would take it up again;
 * `only`: an ending, NULL all. */
void ct_folder_forget(const ct_folder *folder, const char *name, const char *only);
/* After a claim: the file system has no locks, so nobody knows who is alive. */
bool ct_folder_is_lockless(const ct_folder *folder);
/* Gives all claims back. */
void ct_folder_free(ct_folder *folder);

#endif
