/* consumer_beams.c: a program of somebody else's with buffers of its own: samples from a file in
 * memory, T slowest, through a pipeline whose ends are "in" and "out"; after the second block other
 * weights, a number for each beam and station. What comes out is written T slowest.
 *
 *     beams PIPELINE SAMPLES OUT [WEIGHTS] */
#include <cornerturn_stage.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes, and how many times of some array they are. */
typedef struct buffer {
    char *data;
    size_t bytes;
    int64_t at; /* along T: how far it is read or written */
} buffer;

static int load(buffer *out, const char *file)
{
    FILE *from = fopen(file, "rb");
    if (from == NULL || fseek(from, 0, SEEK_END) != 0) return 0;
    out->bytes = (size_t)ftell(from);
    out->data = malloc(out->bytes + 1);
    rewind(from);
    const size_t got = fread(out->data, 1, out->bytes, from);
    return fclose(from) == 0 && got == out->bytes;
}

/* `count` times of the buffer, which has the block's dimensions with T slowest, from `at` on. */
static ct_array own_part(const ct_array *block, const buffer *own, int64_t count)
{
    ct_layout order = {.rank = 1, .dim = "T"};
    for (int d = 0; d < block->rank; d++)
        if (block->dim[d] != 'T') order.dim[order.rank++] = block->dim[d];
    ct_array dense = *block;
    ct_array_dense(&dense, &order);
    dense.data = own->data;
    return ct_array_part(&dense, 'T', own->at, count);
}

static ct_status read_block(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                            ct_error *err)
{
    buffer *own = state;
    const int64_t all = ct_array_extent(block, 'T');
    const int64_t unit = ct_array_count(block) / all * ct_type_bits(block->type) / 8;
    const int64_t left = (int64_t)own->bytes / unit - own->at;
    (void)flags, (void)err;
    *got = left < all ? left : all;
    ct_array to = ct_array_part(block, 'T', 0, *got);
    const ct_array from = own_part(block, own, *got);
    ct_copy_array(&to, &from);
    own->at += *got;
    return CT_OK;
}

static ct_status write_block(void *state, const ct_array *block, int64_t first, int64_t count,
                             ct_error *err)
{
    buffer *own = state;
    const int64_t unit =
        ct_array_count(block) / ct_array_extent(block, 'T') * ct_type_bits(block->type) / 8;
    own->bytes = (size_t)((own->at + count) * unit);
    own->data = realloc(own->data, own->bytes);
    if (own->data == NULL) return ct_error_add(err, CT_FAILED, "no memory for the beams");
    ct_array to = own_part(block, own, count);
    const ct_array from = ct_array_part(block, 'T', first, count);
    ct_copy_array(&to, &from);
    own->at += count;
    return CT_OK;
}

/* One weight for all channels: B,S as in the file, and a stride of 0 along C. */
static ct_status change_weights(ct_run *run, const ct_plan *plan, const char *file, ct_error *err)
{
    buffer weights = {NULL, 0, 0};
    const ct_array *table = NULL;
    ct_status status = ct_plan_find(&table, plan, "beams.W", err);
    if (status == CT_OK && !load(&weights, file))
        status = ct_error_add(err, CT_DATA, "%s cannot be read", file);
    if (status == CT_OK) {
        ct_array fill = {.type = CT_CF32, .data = weights.data};
        ct_array_add(&fill, 'B', ct_array_extent(table, 'B'));
        ct_array_add(&fill, 'S', ct_array_extent(table, 'S'));
        ct_array_dense(&fill, NULL);
        ct_array_add(&fill, 'C', ct_array_extent(table, 'C'));
        fill.stride[ct_array_find(&fill, 'C')] = 0;
        status = ct_run_table(run, "beams", "W", &fill, err);
    }
    free(weights.data);
    return status;
}

static ct_status go(ct_run *run, const ct_plan *plan, buffer *in, buffer *out, const char *weights,
                    ct_error *err)
{
    const ct_io from = {.size = sizeof from, .state = in, .read = read_block};
    const ct_io to = {.size = sizeof to, .state = out, .write = write_block};
    ct_status status = ct_run_bind(run, "in", &from, err);
    if (status == CT_OK) status = ct_run_bind(run, "out", &to, err);
    for (int block = 0; status == CT_OK; block++) {
        if (block == 2 && weights != NULL) status = change_weights(run, plan, weights, err);
        if (status == CT_OK) status = ct_run_block(run, err);
    }
    return status == CT_EOF ? ct_run_finish(run, err) : status;
}

int main(int argc, char **argv)
{
    ct_error err = {0};
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    buffer in = {NULL, 0, 0}, out = {NULL, 0, 0};
    if (argc < 4 || !load(&in, argv[2])) return CT_USAGE;
    ct_status status = ct_context_open(&context, &err);
    if (status == CT_OK) status = ct_device_open(&device, NULL, &err);
    if (status == CT_OK) status = ct_graph_load(&graph, context, argv[1], NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, &err);
    if (status == CT_OK) status = ct_run_new(&run, plan, device, &err);
    if (status == CT_OK) status = go(run, plan, &in, &out, argc > 4 ? argv[4] : NULL, &err);
    if (status != CT_OK) fprintf(stderr, "%s\n", err.text);
    FILE *to = status == CT_OK ? fopen(argv[3], "wb") : NULL;
    if (to != NULL && (fwrite(out.data, 1, out.bytes, to) != out.bytes || fclose(to) != 0))
        status = CT_DATA;
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_device_free(device);
    ct_context_free(context);
    free(in.data);
    free(out.data);
    return status;
}
