/* digest_test.c: the examples of FIPS 180-4, and files.
 * Room: base. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "checksum.h"
#include "digest.h"
#include "memory.h"

static void check(const char *text, size_t length, const char *wanted)
{
    char digest[CT_DIGEST_SIZE];
    ct_digest_text(digest, text, length);
    assert_string_equal(digest, wanted);
}

static void digests_are_the_standards(void **state)
{
    (void)state;
    const size_t million = 1000000;
    char *many = ct_memory_get(million);
    memset(many, 'a', million);
    check("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check(many, million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    ct_memory_free(many);
}

/* Longer than a piece, with zeros in it. */
static void files_have_the_digest_of_their_bytes(void **state)
{
    enum { LONG = 200000 };
    static char bytes[LONG];
    char file[] = "/tmp/ct_digest_XXXXXX", text[CT_DIGEST_SIZE], digest[CT_DIGEST_SIZE];
    ct_error err = {0};
    (void)state;
    for (int i = 0; i < LONG; i++)
        bytes[i] = (char)((unsigned)i * (unsigned)i >> 3);
    const int handle = mkstemp(file);
    assert_true(handle >= 0);
    assert_int_equal(ct_digest_file(digest, file, &err), CT_OK);
    ct_digest_text(text, "", 0);
    assert_string_equal(digest, text);
    assert_int_equal(write(handle, bytes, LONG), LONG);
    close(handle);
    assert_int_equal(ct_digest_file(digest, file, &err), CT_OK);
    ct_digest_text(text, bytes, LONG);
    assert_string_equal(digest, text);
    unlink(file);
    assert_int_equal(ct_digest_file(digest, file, &err), CT_DATA);
    assert_non_null(strstr(err.text, "cannot be read: No such file"));
}

static void checksums_are_those_of_their_authors(void **state)
{
    (void)state;
    assert_true(ct_checksum("a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(ct_checksum_crc32("123456789", 9) == 0xcbf43926u);
    assert_true(ct_checksum_crc32("", 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_the_standards),
                                       cmocka_unit_test(checksums_are_those_of_their_authors),
                                       cmocka_unit_test(files_have_the_digest_of_their_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
