/* tree.h: a folder with all that is in it. Links in it are not followed.
 * Room: base. Knows POSIX files. Does not know what they hold. */
#ifndef CT_BASE_TREE_H
#define CT_BASE_TREE_H

/* `name` in the folder that `at` is open for: a file, or a folder with all that is in it. 0 or an
 * errno. */
int ct_tree_remove(int at, const char *name);
/* Brings all of it to the disk. */
int ct_tree_flush(int at, const char *name);

#endif
