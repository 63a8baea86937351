/* processor.c: see processor.h.
 * Room: tuner/store. */
#define _GNU_SOURCE
#include "processor.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The value of "cpu family	: 25"; NULL: the line is about something else. */
static const char *processor_value(const char *line, const char *label)
{
    const size_t length = strlen(label);
    const char *rest = line + length;
    if (strncmp(line, label, length) != 0) return NULL;
    rest += strspn(rest, " \t");
    return *rest == ':' ? rest + 1 + strspn(rest + 1, " \t") : NULL;
}

static void processor_add(char *out, size_t size, const char *before, const char *word,
                          size_t length)
{
    const size_t used = strlen(out);
    if (used + strlen(before) + length < size)
        snprintf(out + used, size - used, "%s%.*s", used ? before : "", (int)length, word);
}

/* What makes up its name, in this order; x86 says the first ones, ARM the last. */
static const struct processor_part {
    const char *label, *before;
} processor_parts[] = {
    {"model name", ""},      {"cpu family", ", family "}, {"model", ", model "},
    {"CPU implementer", ""}, {"CPU part", ", part "},
};
enum { PROCESSOR_PARTS = sizeof processor_parts / sizeof *processor_parts };

/* Only these beginnings of flags' names mean vector instructions. */
static bool processor_is_vector(const char *word, size_t length)
{
    static const char *const begins[] = {"sse4", "avx",   "fma", "f16c",
                                         "amx",  "asimd", "sve", "neon"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (length >= strlen(begins[i]) && strncmp(word, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static void processor_vectors(ct_processor *out, const char *flags)
{
    while (*flags) {
        const size_t length = strcspn(flags, " \t\n");
        if (processor_is_vector(flags, length))
            processor_add(out->vectors, sizeof out->vectors, " ", flags, length);
        flags += length + strspn(flags + length, " \t\n");
    }
}

typedef char processor_word[128];

static void processor_line(ct_processor *out, const char *line, processor_word part[])
{
    for (int i = 0; i < PROCESSOR_PARTS; i++) {
        const char *value = processor_value(line, processor_parts[i].label);
        if (value && !part[i][0])
            snprintf(part[i], sizeof part[i], "%.*s", (int)strcspn(value, "\n"), value);
    }
    const char *flags = processor_value(line, "flags");
    if (!flags) flags = processor_value(line, "Features");
    if (flags && !out->vectors[0]) processor_vectors(out, flags);
}

/* The first processor that it lists. */
void ct_processor_read(ct_processor *out, const char *file)
{
    char line[8192];
    processor_word part[PROCESSOR_PARTS] = {""};
    FILE *in = fopen(file, "re");
    *out = (ct_processor){0};
    while (in && fgets(line, sizeof line, in) && line[0] != '\n')
        processor_line(out, line, part);
    if (in) fclose(in);
    for (int i = 0; i < PROCESSOR_PARTS; i++)
        if (part[i][0])
            processor_add(out->name, sizeof out->name, processor_parts[i].before, part[i],
                          strlen(part[i]));
}

/* Asked of the process: threads of a driver may be bound to one core each. */
int ct_processor_cores(int device_cores)
{
    cpu_set_t mine;
    const int count = sched_getaffinity(getpid(), sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 0;
    return count > 0 && (device_cores <= 0 || count < device_cores) ? count : device_cores;
}
