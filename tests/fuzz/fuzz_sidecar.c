/* fuzz_sidecar.c: the input is the JSON file beside numbers without a header, and, under the older
 * name, beside a .npy file. Room: tests/fuzz. Knows the descriptors of source.raw and source.npy.
 */
#include "fuzz_source.h"

extern const ct_stage ct_stage_source_raw, ct_stage_source_npy;

void fuzz_begin(void)
{
    static const char npy[] = "\x93NUMPY\x01\0\x46\0"
                              "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 5, 2), }"
                              "       \n012345678901234567890123456789";
    (void)fuzz_file("a.raw", (const uint8_t[240]){0}, 240);
    (void)fuzz_file("b.npy", npy, sizeof npy - 1);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const char *file = fuzz_file("a.raw.json", data, size);
    (void)fuzz_file("b.json", data, size);
    fuzz_source(&ct_stage_source_raw, "{'file': 'a.raw'}", file);
    fuzz_source(&ct_stage_source_npy, "{'file': 'b.npy'}", NULL);
}
