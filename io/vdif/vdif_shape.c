/* vdif_shape.c: see vdif_shape.h.
 * Room: io/vdif. Knows ports and parameters. Does not know files. */
#include "vdif_shape.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { USUAL = 8000, LONG = 5000, SHORT = 1000 /* bytes of payloads; the last two of EDV 3 */ };
#define LONGEST ((((int64_t)1 << 24) - 1) * 8)

/* ---- numbers and threads */

static ct_status shape_set_bits(ct_vdif_shape *out, const ct_step *step, ct_error *err)
{
    const ct_type type = step->port[0].type;
    const bool real = type == CT_F32 || type == CT_CF32;
    const int64_t own = real ? 2 : ct_type_bits(type) / (ct_type_complex(type) ? 2 : 1);
    const int64_t bits = ct_step_value(step, "bits") ? ct_step_int(step, "bits") : own;
    if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16)
        return ct_step_fail(step, "bits", err, "expected 1, 2, 4, 8 or 16, found %" PRId64, bits);
    out->header.bits = bits;
    out->header.complex = ct_type_complex(type);
    return CT_OK;
}

static ct_status shape_set_threads(ct_vdif_shape *out, const ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[0];
    const int64_t channels = ct_array_extent(in, 'C');
    const bool two = (channels & (channels - 1)) == 0;
    const int given = ct_step_choice(step, "threads");
    const bool together = given < 0 ? two : given == 0;
    out->pols = ct_array_extent(in, 'P');
    if (together && (!two || channels > CT_VDIF_CHANNELS))
        return ct_step_fail(step, "threads", err,
                            "frames have 1, 2, 4, 8 .. channels, found %" PRId64
                            ": \"channels\" gives each a thread",
                            channels);
    out->header.channels = together ? channels : 1;
    out->threads = out->pols * channels / out->header.channels;
    if (out->threads > CT_VDIF_THREADS)
        return ct_step_fail(step, "threads", err, "expected at most %d, found %" PRId64,
                            CT_VDIF_THREADS, out->threads);
    return CT_OK;
}

/* ---- headers */

static ct_status shape_set_kind(ct_vdif_shape *out, const ct_step *step, int64_t rate,
                                ct_error *err)
{
    const int64_t said = rate / (out->header.complex ? 1 : 2), most = (1 << 23) - 1;
    const bool whole = rate % (out->header.complex ? 1000 : 2000) == 0 &&
                       said / (said % 1000000 ? 1000 : 1000000) <= most;
    const bool given = ct_step_value(step, "edv") != NULL;
    const char *station = ct_step_text(step, "station");
    out->header.legacy = ct_step_bool(step, "legacy");
    out->header.edv = given ? ct_step_int(step, "edv") : whole ? 1 : 0;
    if (out->header.edv == 2 || (given && out->header.legacy))
        return ct_step_fail(step, "edv", err, "expected 0, 1 or 3, and none of legacy headers");
    if (out->header.edv > 0 && !whole)
        return ct_step_fail(step, "edv", err,
                            "EDV %" PRId64 " says rates in whole kHz, found %" PRId64
                            " samples a second: 0 does not say it",
                            out->header.edv, rate);
    if (strlen(station) != 2)
        return ct_step_fail(step, "station", err, "expected two letters, found \"%s\"", station);
    out->header.head = out->header.legacy ? CT_VDIF_LEGACY : CT_VDIF_HEADER;
    out->header.rate_hz = rate;
    out->header.station = (int64_t)(uint8_t)station[0] << 8 | (uint8_t)station[1];
    return CT_OK;
}

/* ---- samples of a frame */

static bool shape_fits(const ct_vdif_shape *out, int64_t samples, int64_t rate)
{
    const int64_t bits = samples * ct_vdif_sample_bits(&out->header), bytes = bits / 8;
    if (out->header.edv == 3 && !out->header.legacy && bytes != LONG && bytes != SHORT)
        return false;
    return rate % samples == 0 && rate / samples <= CT_VDIF_FRAMES_S && bits % 64 == 0 &&
           bytes + out->header.head <= LONGEST;
}

/* The longest that is no longer than usual, else the shortest. */
static int64_t shape_find(const ct_vdif_shape *out, int64_t rate)
{
    enum { TRIED = 1 << 20 };
    const int64_t usual = (int64_t)USUAL * 8 / ct_vdif_sample_bits(&out->header);
    for (int64_t samples = usual; samples > 0; samples--)
        if (shape_fits(out, samples, rate)) return samples;
    for (int64_t samples = usual + 1; samples < usual + TRIED; samples++)
        if (shape_fits(out, samples, rate)) return samples;
    return 0;
}

static ct_status shape_set_samples(ct_vdif_shape *out, const ct_step *step, int64_t rate,
                                   ct_error *err)
{
    const bool given = ct_step_value(step, "samples_per_frame") != NULL;
    const int64_t samples = given ? ct_step_int(step, "samples_per_frame") : shape_find(out, rate);
    if (samples == 0 || !shape_fits(out, samples, rate))
        return ct_step_fail(
            step, given ? "samples_per_frame" : NULL, err,
            "expected a whole number of frames a second, at most %d, of multiples "
            "of 8 bytes%s, found %" PRId64 " samples of %" PRId64 " bits a second%s",
            CT_VDIF_FRAMES_S, out->header.edv == 3 ? " (of EDV 3, 5000 or 1000)" : "", rate,
            ct_vdif_sample_bits(&out->header), given ? "" : ", and no number of samples that fits");
    out->samples = samples;
    out->sets_s = rate / samples;
    out->header.bytes = samples * ct_vdif_sample_bits(&out->header) / 8 + out->header.head;
    return CT_OK;
}

/* ---- time */

/* start_mjd is that of a whole second where it is near to one: a double of it is no better. */
static ct_status shape_set_begin(ct_vdif_shape *out, ct_step *step, int64_t rate, ct_error *err)
{
    const double near_s = 2e-6;
    const ct_meta *meta = &step->port[0].meta;
    const double start_s = meta->start_mjd * 86400, spacing = meta->sample_time_s;
    double second = floor(start_s + near_s), part = start_s - second;
    if (part < near_s) part = 0;
    const double after = meta->start_s - 0.5 * spacing + part;
    double samples = rint((after - floor(after)) * (double)rate);
    second += floor(after);
    if (samples >= (double)rate) samples = 0, second += 1;
    const int64_t day = (int64_t)floor(second / 86400), first = 51544;
    if (meta->start_mjd > 0 && day < first)
        return ct_step_fail(step, NULL, err,
                            "VDIF begins in the year 2000 (MJD 51544), the stream at MJD %.6f",
                            meta->start_mjd);
    if (!(meta->start_mjd > 0))
        ct_step_warn(step, "VDIF needs the date, not known here, and begins in 2000: give the "
                           "source start_mjd");
    const int64_t elapsed =
        meta->start_mjd > 0 ? ct_vdif_elapsed(day, (int64_t)second - day * 86400) : 0;
    out->begin = elapsed * out->sets_s + (int64_t)samples / out->samples;
    out->lead = (int64_t)samples % out->samples;
    if (out->lead > 0)
        ct_step_warn(step, "begins within a frame, whose first %" PRId64 " samples are 0",
                     out->lead);
    return CT_OK;
}

void ct_vdif_shape_set(const ct_vdif_shape *shape, ct_vdif *header, int64_t set, int64_t thread)
{
    const int64_t number = shape->begin + set;
    *header = shape->header;
    ct_vdif_set_second(header, number / shape->sets_s);
    header->frame = number % shape->sets_s;
    header->thread = thread;
}

/* ---- all of it */

ct_status ct_vdif_shape_of(ct_vdif_shape *out, ct_step *step, ct_error *err)
{
    const double spacing = step->port[0].meta.sample_time_s;
    const double rate = spacing > 0 ? rint(1 / spacing) : 0;
    *out = (ct_vdif_shape){.samples = 1};
    if (!(spacing > 0))
        return ct_step_fail(step, NULL, err,
                            "VDIF needs the time between samples, which is not known: give the "
                            "source sample_time_s");
    if (!(rate >= 1) || rate > 1e13 || fabs(rate * spacing - 1) > 1e-9)
        return ct_step_fail(step, NULL, err,
                            "VDIF needs a whole number of samples a second, found %.12g",
                            1 / spacing);
    const int64_t hz = (int64_t)rate;
    ct_status status = shape_set_bits(out, step, err);
    if (status == CT_OK) status = shape_set_threads(out, step, err);
    if (status == CT_OK) status = shape_set_kind(out, step, hz, err);
    if (status == CT_OK) status = shape_set_samples(out, step, hz, err);
    if (status == CT_OK) status = shape_set_begin(out, step, hz, err);
    return status;
}
