/* module.c: see module.h.
 * Room: base. Knows dlopen(). Does not know what modules do. */
#define _GNU_SOURCE 1 /* dladdr */
#include "module.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *ct_module_load(const char *file, const char *symbol, char path[CT_MODULE_PATH],
                           const void **out)
{
    Dl_info here;
    const char *slash = NULL;
    *out = NULL;
    if (dladdr((void *)(uintptr_t)&ct_module_load, &here) && here.dli_fname)
        slash = strrchr(here.dli_fname, '/');
    snprintf(path, CT_MODULE_PATH, "%.*s%s", slash ? (int)(slash - here.dli_fname) + 1 : 0,
             slash ? here.dli_fname : "", file);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) return dlerror();
    *out = dlsym(module, symbol);
    return NULL;
}
