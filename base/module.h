/* module.h: a shared library that is loaded only where it is needed, since it needs what most runs
 * can do without. It stands beside the library (or the program) that has this code. Room: base.
 * Knows dlopen(). Does not know what modules do. */
#ifndef CT_BASE_MODULE_H
#define CT_BASE_MODULE_H

enum { CT_MODULE_PATH = 4096 };

/* `out`: what it calls `symbol`, NULL where it has no such thing. It stays loaded. NULL, or why it
 * cannot be loaded, which lives until the next call. `path`: where it was looked for. */
const char *ct_module_load(const char *file, const char *symbol, char path[CT_MODULE_PATH],
                           const void **out);

#endif
