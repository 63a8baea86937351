/* device_class.h: what a device is like, in words by which defaults of tunables are chosen: "cpu
 * pocl amd avx512 two-passes", "gpu nvidia". Room: core/device. Knows names of devices and
 * platforms. Does not know tunables. */
#ifndef CT_CORE_DEVICE_CLASS_H
#define CT_CORE_DEVICE_CLASS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bit for each word; 0: nothing is known. */
typedef uint32_t ct_device_class;

enum { CT_DEVICE_CLASS_TEXT = 160 /* bytes that take all words */ };

/* What a processor says of itself. */
typedef struct ct_device_processor {
    int family; /* of x86; 0: it is another one */
    bool amd, avx2, avx512, neon;
} ct_device_processor;

/* The one that runs this. */
ct_device_processor ct_device_processor_here(void);

/* `processor` is the one that a CPU device runs on; NULL: it is not here, and only names count. */
ct_device_class ct_device_class_of(bool gpu, const char *platform, const char *name,
                                   const ct_device_processor *processor);

/* The bit of a word of `length` letters; 0: there is no such word. */
ct_device_class ct_device_class_find(const char *word, size_t length);
/* The n-th word; NULL after the last one. */
const char *ct_device_class_word(int n);
/* The words, with blanks between them. */
const char *ct_device_class_print(ct_device_class of, char out[CT_DEVICE_CLASS_TEXT]);

#endif
