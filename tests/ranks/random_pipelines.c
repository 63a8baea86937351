/* random_pipelines.c: what tests/ranks/random_test.sh asks for.
 *   test.splits SEED       prints the pipeline of this seed, whose files are to be in this folder
 *   test.splits like A B   whether two .npy files have the same header and numbers: integers
 *                          exactly, floats to 1e-6 of the rms
 * Room: tests. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_splits.h"

static int print_pipeline(const char *seed)
{
    static random_splits r;
    static char text[GRAPH_TEXT];
    ct_context *context = NULL;
    ct_error err = {0};
    ct_status status = ct_context_open(&context, &err);
    if (status == CT_OK) status = ct_context_add_stage(context, &random_source, &err);
    if (status == CT_OK && !random_splits_make(&r, strtoull(seed, NULL, 10), context, &err))
        status = CT_INVALID;
    if (status == CT_OK) fputs(splits_text(&r, text), stdout);
    if (status != CT_OK) fprintf(stderr, "seed %s: %s\n%s", seed, err.text, splits_text(&r, text));
    ct_context_free(context);
    return status != CT_OK;
}

static char *read_all(const char *name, size_t *bytes)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
    *bytes = (size_t)ftell(file);
    char *data = calloc(1, *bytes + 1);
    rewind(file);
    if (fread(data, 1, *bytes, file) != *bytes) *bytes = 0;
    fclose(file);
    return data;
}

/* The largest difference over the rms. */
static double difference(const float *a, const float *b, size_t count)
{
    double most = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
        sum += (double)a[i] * (double)a[i];
    }
    return most > 0 ? most / sqrt(sum / (double)count) : 0;
}

static int compare(const char *a, const char *b)
{
    size_t bytes[2] = {0};
    char *data[2] = {read_all(a, &bytes[0]), read_all(b, &bytes[1])};
    if (!data[0] || !data[1] || bytes[0] != bytes[1] || bytes[0] < 10) return 1;
    const unsigned char *length = (const unsigned char *)data[0] + 8;
    const size_t head = 10u + length[0] + 256u * length[1], rest = bytes[0] - head;
    const bool floats = strstr(data[0] + 10, "'<f4'") || strstr(data[0] + 10, "'<c8'");
    if (memcmp(data[0], data[1], floats ? head : bytes[0]) != 0) return 1;
    if (!floats) return 0;
    const double off = difference((const float *)(data[0] + head), (const float *)(data[1] + head),
                                  rest / sizeof(float));
    if (off > 1e-6) printf("%s: %.3g of the rms\n", b, off);
    return off > 1e-6;
}

int main(int argc, char **argv)
{
    if (argc == 2) return print_pipeline(argv[1]);
    if (argc == 4 && strcmp(argv[1], "like") == 0) return compare(argv[2], argv[3]);
    fprintf(stderr, "usage: test.splits SEED, or test.splits like A B\n");
    return 2;
}
