/* digest.c: see digest.h.
 * Room: base. Knows libmd, as no other file does. */
#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <sha2.h>

#include "fail.h"
#include "memory.h"

#define DIGEST_PIECE 65536

void ct_digest_text(char out[CT_DIGEST_SIZE], const char *text, size_t length)
{
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)text, length);
    SHA256End(&context, out);
}

/* errno of what failed; 0 none. */
static int digest_take(SHA2_CTX *context, int handle, uint8_t *piece)
{
    for (;;) {
        const ssize_t n = read(handle, piece, DIGEST_PIECE);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : 0;
        SHA256Update(context, piece, (size_t)n);
    }
}

static int digest_open(const char *file)
{
    int handle;
    do
        handle = open(file, O_RDONLY | O_CLOEXEC);
    while (handle < 0 && errno == EINTR);
    return handle;
}

ct_status ct_digest_file(char out[CT_DIGEST_SIZE], const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    SHA2_CTX context;
    uint8_t *piece = ct_memory_get(DIGEST_PIECE);
    CT_NEED(piece, DIGEST_PIECE, err);
    SHA256Init(&context);
    const int handle = digest_open(file);
    const int wrong = handle < 0 ? errno : digest_take(&context, handle, piece);
    if (handle >= 0) (void)close(handle);
    if (wrong)
        status = ct_error_add(err, CT_DATA, "%s: cannot be read: %s", file, strerror(wrong));
    else
        SHA256End(&context, out);
out:
    ct_memory_free(piece);
    return status;
}
