/* device_class.c: see device_class.h.
 * Room: core/device. */
#include "device_class.h"
#include "device_inner.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    CPU = 1 << 0,
    GPU = 1 << 1,
    POCL = 1 << 2,
    INTEL_OPENCL = 1 << 3,
    INTEL = 1 << 4,
    AMD = 1 << 5,
    NVIDIA = 1 << 6,
    APPLE = 1 << 7,
    AVX2 = 1 << 8,
    AVX512 = 1 << 9,
    TWO_PASSES = 1 << 10, /* of half a vector each: Zen 4 */
    NEON = 1 << 11,
    ZEN_4 = 0x19 /* family; Zen 3, which is of it too, has no AVX-512 */
};

static const char *const words[] = {"cpu",        "gpu",    "pocl",  "intel-opencl", "intel",
                                    "amd",        "nvidia", "apple", "avx2",         "avx512",
                                    "two-passes", "neon",   NULL};

/* What platforms and devices are called, of the kinds of `of`. */
static const struct {
    const char *part;
    bool platform;
    ct_device_class of, word;
} names[] = {{"Portable Computing Language", true, CPU, POCL},
             {"Intel(R) OpenCL", true, CPU, INTEL_OPENCL},
             {"Intel", false, CPU | GPU, INTEL},
             {"Intel", true, GPU, INTEL},
             {"AMD", false, CPU | GPU, AMD},
             {"AMD", true, GPU, AMD},
             {"NVIDIA", false, GPU, NVIDIA},
             {"NVIDIA", true, GPU, NVIDIA},
             {"Apple", false, CPU | GPU, APPLE},
             {"Apple", true, GPU, APPLE},
             {NULL, false, 0, 0}};

ct_device_processor ct_device_processor_here(void)
{
    ct_device_processor is = {0};
#if defined(__x86_64__)
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    __builtin_cpu_init();
    is.amd = __builtin_cpu_is("amd");
    is.avx2 = __builtin_cpu_supports("avx2");
    is.avx512 = __builtin_cpu_supports("avx512f");
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        is.family = (int)((eax >> 8 & 15) + (eax >> 20 & 255));
#elif defined(__aarch64__)
    is.neon = true;
#endif
    return is;
}

static ct_device_class class_of_processor(const ct_device_processor *is)
{
    return (is->avx512 ? AVX512
            : is->avx2 ? AVX2
            : is->neon ? NEON
                       : 0) |
           (is->amd ? AMD : 0) | (is->amd && is->avx512 && is->family == ZEN_4 ? TWO_PASSES : 0);
}

ct_device_class ct_device_class_of(bool gpu, const char *platform, const char *name,
                                   const ct_device_processor *processor)
{
    const ct_device_class kind = gpu ? GPU : CPU;
    ct_device_class of = kind;
    for (int i = 0; names[i].part; i++)
        if ((names[i].of & kind) && strstr(names[i].platform ? platform : name, names[i].part))
            of |= names[i].word;
    if (!gpu && processor) of |= class_of_processor(processor);
    return of;
}

ct_device_class ct_device_class_here(bool gpu, const char *platform, const char *name)
{
    const ct_device_processor processor = ct_device_processor_here();
    return ct_device_class_of(gpu, platform, name, &processor);
}

ct_device_class ct_device_class_find(const char *word, size_t length)
{
    for (int n = 0; words[n]; n++)
        if (strlen(words[n]) == length && !strncmp(words[n], word, length))
            return (ct_device_class)1 << n;
    return 0;
}

const char *ct_device_class_word(int n)
{
    return words[n];
}

const char *ct_device_class_print(ct_device_class of, char out[CT_DEVICE_CLASS_TEXT])
{
    size_t used = 0;
    out[0] = '\0';
    for (int n = 0; words[n]; n++)
        if (of >> n & 1)
            used += (size_t)snprintf(out + used, CT_DEVICE_CLASS_TEXT - used, "%s%s",
                                     used ? " " : "", words[n]);
    return out;
}
