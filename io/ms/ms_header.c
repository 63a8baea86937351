/* ms_header.c: see ms_file.h: what a Measurement Set says once.
 * Room: io/ms. Knows the numbers of products. Does not know casacore. */
#include "ms_file.h"
#include <stdio.h>
#include <string.h>

enum { TILE_BYTES = 1048576, TEXT = 80 };

/* Numbers of the products, and of the receptors that each is of: X and R first. */
static ct_status header_products(ct_ms_header *out, const ct_visibility *of,
                                 const ct_visibility_order *order)
{
    const int64_t products = of->header.products;
    int32_t *kind = ct_step_alloc(of->step, (size_t)products * sizeof *kind);
    int32_t(*receptor)[2] = ct_step_alloc(of->step, (size_t)products * sizeof *receptor);
    if (!kind || !receptor) return CT_FAILED;
    for (int64_t q = 0; q < products; q++) {
        const ct_product *product = ct_visibility_product(&of->header, order, q);
        kind[q] = product->casacore;
        out->receptors = strcmp(product->kind, "circular") == 0 ? "RL" : "XY";
        for (int k = 0; k < 2; k++)
            receptor[q][k] = product->name[k] != out->receptors[0];
    }
    out->kind = kind;
    out->receptor = (const int32_t(*)[2])receptor;
    return CT_OK;
}

static ct_status header_stations(ct_ms_header *out, const ct_visibility *of)
{
    const int64_t stations = of->header.stations;
    const char **names = ct_step_alloc(of->step, (size_t)stations * sizeof *names);
    if (!names) return CT_FAILED;
    for (int64_t s = 0; s < stations; s++) {
        char *name = ct_step_alloc(of->step, TEXT);
        if (!name) return CT_FAILED;
        ct_visibility_station(&of->header, s, name, TEXT);
        names[s] = name;
    }
    out->names = names;
    out->position = ct_step_observation(of->step)->station;
    return CT_OK;
}

static ct_status header_texts(ct_ms_header *out, const ct_visibility *of)
{
    char *texts = ct_step_alloc(of->step, 2 * TEXT);
    if (!texts) return CT_FAILED;
    ct_visibility_letters(texts, TEXT, of->header.telescope);
    ct_visibility_letters(texts + TEXT, TEXT, of->header.source);
    out->telescope = texts;
    out->source = texts + TEXT;
    return CT_OK;
}

/* A tile has whole rows where these are small, and no more rows than will come. */
static void header_tile(ct_ms_header *out, int64_t integrations)
{
    const int64_t one = out->products * (int64_t)(2 * sizeof(float));
    const int64_t parts = ct_divide_up(out->channels * one, TILE_BYTES);
    out->channels_tile = ct_divide_up(out->channels, parts);
    out->rows_tile = TILE_BYTES / (out->channels_tile * one);
    if (out->rows_tile < 1) out->rows_tile = 1;
    if (integrations > 0 && out->rows_tile / out->baselines >= integrations)
        out->rows_tile = integrations * out->baselines;
}

ct_status ct_ms_header_make(ct_ms_header *out, const ct_visibility *of,
                            const ct_visibility_order *order)
{
    const ct_visibility_header *from = &of->header;
    const bool falls = from->channels > 1 && from->frequency_hz[1] < from->frequency_hz[0];
    *out =
        (ct_ms_header){.stations = from->stations,
                       .baselines = from->baselines,
                       .channels = from->channels,
                       .products = from->products,
                       .frequency_hz = from->frequency_hz,
                       .channel_width_hz = falls ? -from->channel_width_hz : from->channel_width_hz,
                       .centre = {from->centre[0], from->centre[1]}};
    header_tile(out, of->step->port[CT_VISIBILITY_X].meta.total);
    ct_status status = header_products(out, of, order);
    if (status == CT_OK) status = header_stations(out, of);
    return status == CT_OK ? header_texts(out, of) : status;
}
