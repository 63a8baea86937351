/* beam_names.c: see beam_names.h.
 * Room: io/shared. Knows dimensions. Does not know formats. */
#include "beam_names.h"
#include "output.h"
#include <stdio.h>
#include <string.h>

int64_t ct_beam_names_count(const ct_array *array)
{
    return ct_array_extent(array, 'B') * ct_array_extent(array, 'S') * ct_array_extent(array, 'D');
}

ct_beam_index ct_beam_names_index(const ct_array *array, int64_t file)
{
    const int64_t trials = ct_array_extent(array, 'D'), stations = ct_array_extent(array, 'S');
    return (ct_beam_index){file / trials / stations, file / trials % stations, file % trials};
}

const char *ct_beam_names_file(ct_step *step, int64_t file, const char *ext)
{
    const ct_array *in = &step->port[0];
    const ct_beam_index at = ct_beam_names_index(in, file);
    const char *name = ct_step_path(step, "file");
    char beam[32] = "", station[32] = "", trial[32] = "", suffix[96];
    if (ct_array_extent(in, 'B') > 1) snprintf(beam, sizeof beam, "_B%03lld", (long long)at.b);
    if (ct_array_extent(in, 'S') > 1)
        snprintf(station, sizeof station, "_S%03lld", (long long)at.s);
    if (ct_array_extent(in, 'D') > 1 && in->meta.dm)
        ct_number_print(trial, sizeof trial, "_DM%.3f", in->meta.dm[at.d]);
    else if (ct_array_extent(in, 'D') > 1)
        snprintf(trial, sizeof trial, "_D%03lld", (long long)at.d);
    snprintf(suffix, sizeof suffix, "%s%s%s", beam, station, trial);
    if (ext) name = ct_output_name(step, name, "", ext);
    return ct_output_name(step, name, suffix, NULL);
}

void ct_beam_names_declare(ct_step *step, const char *ext)
{
    for (int64_t i = 0; i < ct_beam_names_count(&step->port[0]); i++)
        ct_step_writes(step, "file", ct_beam_names_file(step, i, ext));
}

ct_array ct_beam_names_part(const ct_array *block, int64_t file)
{
    ct_array part = *block;
    const ct_beam_index at = ct_beam_names_index(block, file);
    part.offset += at.b * ct_array_stride(block, 'B') + at.s * ct_array_stride(block, 'S') +
                   at.d * ct_array_stride(block, 'D');
    return part;
}

/* T, Q, C without gaps, of one file. */
static ct_array names_dense(const ct_array *part, int64_t count, void *data)
{
    ct_array to = ct_array_part(part, 'T', 0, count);
    int64_t stride = 1;
    for (int d = 0; d < to.rank; d++) {
        to.stride[d] = 0;
        if (strchr("BSD", to.dim[d])) to.extent[d] = 1;
    }
    for (const char *dim = "CQT"; *dim; dim++) {
        const int place = ct_array_find(&to, *dim);
        if (place < 0) continue;
        to.stride[place] = stride;
        stride *= to.extent[place];
    }
    to.offset = 0;
    to.data = data;
    return to;
}

ct_array ct_beam_names_take(const ct_array *part, int64_t first, int64_t count, void *data)
{
    ct_array from = ct_array_part(part, 'T', first, count), to = names_dense(part, count, data);
    for (int d = 0; d < from.rank; d++)
        if (strchr("BSD", from.dim[d])) from.extent[d] = 1;
    ct_copy_array(&to, &from);
    return to;
}
