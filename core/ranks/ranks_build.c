/* ranks_build.c: whether all ranks are of one build. Versions are too coarse for that: two builds
 * of one version can differ in what they compute, and in when they meet. So the files are compared
 * that were loaded: the one that has the library in it, which is the program's where it is linked
 * with the archive, and the module that reaches the others. Stages of plug-ins are the pipeline's
 * (core/graph). Room: core/ranks. Knows the loader. Does not know what differs.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "digest.h"
#include "fail.h"
#include "ranks.h"
#include "text.h"

/* The loader knows a program, which has no path of its own, as it was called. */
static void add_object(ct_text *text, const void *address)
{
    Dl_info object;
    char digest[CT_DIGEST_SIZE] = "unknown";
    const char *file = "/proc/self/exe";
    if (dladdr(address, &object) && object.dli_fname && strchr(object.dli_fname, '/') &&
        access(object.dli_fname, R_OK) == 0)
        file = object.dli_fname;
    (void)ct_digest_file(digest, file, NULL);
    ct_text_add(text, "%s\n", digest);
}

ct_status ct_ranks_same_build(const ct_ranks *ranks, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    static const char here;
    if (!ct_ranks_is_job(ranks)) return CT_OK;
    ct_text_add(&text, "%s\n", ct_version());
    add_object(&text, &here);
    add_object(&text, ranks->wire);
    CT_TRY(ct_ranks_agree(ranks, ct_text_check(&text, err), err));
    CT_TRY(ct_ranks_same(ranks, "build of cornerturn", text.data, NULL, err));
out:
    ct_text_free(&text);
    return status;
}
