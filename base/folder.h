/* folder.h: a folder in which files are being written: by one process at a time for each name; what
 * processes that died have left is removed.
 * Room: base. Knows POSIX files. Does not know what they hold. */
#ifndef CT_BASE_FOLDER_H
#define CT_BASE_FOLDER_H
#include <stdbool.h>

/* The hidden lock file, there while a process writes in the folder. A process locks one byte of it
 * for each name: the lock ends with the process, however that ends, and needs no descriptor of its
 * own. */
#define CT_FOLDER_LOCK ".cornerturn.lock"

enum { CT_FOLDER_NAME = 64 }; /* room for a temporary name */

typedef struct ct_folder ct_folder;

/* NULL and errno if that fails. Files of dead processes are removed. */
ct_folder *ct_folder_open(const char *path);
bool ct_folder_is(const ct_folder *folder, const char *path);
int ct_folder_handle(const ct_folder *folder); /* for openat() and its kin */
/* 0; EAGAIN: another process writes a file of this name; or another errno. What a dead process had
 * put aside is put back if no file has the name, else removed. */
int ct_folder_claim(ct_folder *folder, const char *name);
/* A hidden name that is known by its form; `ending`: ".part", ".old" of what is put aside, or one
 * of a run that can be resumed, which only a process that writes the same name removes. */
void ct_folder_temporary(char out[CT_FOLDER_NAME], const char *name, const char *ending);
#define CT_FOLDER_RESUMABLE ".held"  /* a file being written */
#define CT_FOLDER_JOURNAL ".journal" /* see journal.h */
#define CT_FOLDER_STATE ".state"
/* The same without a random part: always one name. */
void ct_folder_fixed(char out[CT_FOLDER_NAME], const char *name, int number, const char *ending);
/* Removes what a dead run has left of this name, which is claimed, to be resumed; `only`: an
 * ending, NULL all. */
void ct_folder_forget(const ct_folder *folder, const char *name, const char *only);
/* After a claim: the file system has no locks, so nobody knows who is alive. */
bool ct_folder_is_lockless(const ct_folder *folder);
/* Gives all claims back. */
void ct_folder_free(ct_folder *folder);

#endif
