/* guppi.c: see guppi.h. [GUPPI raw: J. Brandt, GUPPI status shared memory, NRAO; M. Lebofsky and
 * others, PASP 131, 124505 (2019)]
 * Room: io/guppi. Knows the cards. Does not know the order of blocks. */
#include "guppi.h"
#include "magic.h"
#include "ranges.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef enum guppi_kind { KIND_INT, KIND_REAL, KIND_TEXT } guppi_kind;

#define KEY(keyword, kind, member, least, most)                                                    \
    {                                                                                              \
#keyword, kind, offsetof(ct_guppi, member), least, most                                    \
    }

/* The cards that are read; whole numbers and their range. Others are ignored. */
static const struct guppi_key {
    const char *keyword;
    guppi_kind kind;
    size_t at;
    int64_t least, most;
} guppi_keys[] = {
    KEY(BLOCSIZE, KIND_INT, bytes, 1, (int64_t)1 << 40),
    KEY(OBSNCHAN, KIND_INT, channels, 1, CT_GUPPI_CHANNELS),
    KEY(NPOL, KIND_INT, components, 1, 4),
    KEY(NBITS, KIND_INT, bits, 1, 64),
    KEY(OVERLAP, KIND_INT, overlap, 0, (int64_t)1 << 40),
    KEY(PKTIDX, KIND_INT, index, 0, (int64_t)1 << 52),
    KEY(PKTSIZE, KIND_INT, packet_bytes, 0, 1 << 30),
    KEY(PIPERBLK, KIND_INT, indices, 0, (int64_t)1 << 40),
    KEY(PKTSTART, KIND_INT, first_index, 0, (int64_t)1 << 52),
    KEY(NANTS, KIND_INT, antennas, 1, 1 << 20),
    KEY(CHANMAJ, KIND_INT, channels_last, 0, 1),
    KEY(DIRECTIO, KIND_INT, filled, 0, 1 << 20),
    KEY(STT_IMJD, KIND_INT, day, 0, 1 << 20),
    KEY(STT_SMJD, KIND_INT, second, 0, 86400),
    KEY(STT_OFFS, KIND_REAL, second_part, 0, 0),
    KEY(OBSFREQ, KIND_REAL, freq_mhz, 0, 0),
    KEY(OBSBW, KIND_REAL, bw_mhz, 0, 0),
    KEY(TBIN, KIND_REAL, sample_time_s, 0, 0),
    KEY(SRC_NAME, KIND_TEXT, source, 0, 0),
    KEY(TELESCOP, KIND_TEXT, telescope, 0, 0),
    KEY(RA_STR, KIND_TEXT, ra, 0, 0),
    KEY(DEC_STR, KIND_TEXT, dec, 0, 0),
    KEY(FD_POLN, KIND_TEXT, receptors, 0, 0),
    KEY(PKTFMT, KIND_TEXT, packets, 0, 0),
};

enum { GUPPI_KEYS = sizeof guppi_keys / sizeof guppi_keys[0] };

/* "KEYWORD = " of letters that can be printed; an END has none. */
static bool guppi_is_card(const uint8_t *card)
{
    for (int i = 0; i < CT_GUPPI_CARD; i++)
        if (card[i] < ' ' || card[i] > '~') return false;
    return isupper(card[0]) && card[8] == '=' && card[9] == ' ';
}

bool ct_guppi_is(const uint8_t *start, size_t bytes)
{
    return bytes >= (size_t)2 * CT_GUPPI_CARD && memcmp(start, "SIMPLE  ", 8) != 0 &&
           guppi_is_card(start) && guppi_is_card(start + CT_GUPPI_CARD);
}

int64_t ct_guppi_end(const ct_guppi *block)
{
    return block->data_at + block->bytes;
}

int64_t ct_guppi_new(const ct_guppi *block)
{
    return block->samples - block->overlap;
}

double ct_guppi_frequency(const ct_guppi *block, int64_t channel)
{
    const double channels = (double)block->channels;
    return (block->freq_mhz + ((double)channel + 0.5 - 0.5 * channels) * block->bw_mhz / channels) *
           1e6;
}

/* ---- a card */

/* What is after "= ": a text without its quotes, or a number without its comment. */
static void guppi_value(char out[CT_GUPPI_CARD], const char *card)
{
    const char *from = card + 10 + strspn(card + 10, " ");
    const bool quoted = *from == '\'';
    from += quoted;
    size_t length = strcspn(from, quoted ? "'" : "/");
    while (length > 0 && from[length - 1] == ' ')
        length--;
    memcpy(out, from, length);
    out[length] = 0;
}

static ct_status guppi_number(const struct guppi_key *key, ct_guppi *out, const char *text,
                              const ct_input *in, ct_error *err)
{
    char *end = NULL;
    void *at = (char *)out + key->at;
    const double real = ct_number_read(text, &end);
    if (end == text || *end || !isfinite(real))
        return ct_error_add(err, CT_DATA, "%s: %s: expected a number, found \"%s\"", in->file,
                            key->keyword, text);
    if (key->kind == KIND_REAL) {
        memcpy(at, &real, sizeof real);
        return CT_OK;
    }
    if (floor(real) != real || real < (double)key->least || real > (double)key->most)
        return ct_error_add(err, CT_DATA,
                            "%s: %s: expected a whole number from %" PRId64 " to %" PRId64
                            ", found %s",
                            in->file, key->keyword, key->least, key->most, text);
    const int64_t whole = (int64_t)real;
    memcpy(at, &whole, sizeof whole);
    return CT_OK;
}

static ct_status guppi_take(ct_guppi *out, const char *card, const ct_input *in, ct_error *err)
{
    char value[CT_GUPPI_CARD];
    for (int i = 0; i < GUPPI_KEYS; i++) {
        const struct guppi_key *key = &guppi_keys[i];
        const size_t length = strlen(key->keyword);
        if (memcmp(card, key->keyword, length) != 0 || strspn(card + length, " ") != 8 - length)
            continue;
        guppi_value(value, card);
        if (key->kind != KIND_TEXT) return guppi_number(key, out, value, in, err);
        snprintf((char *)out + key->at, CT_GUPPI_TEXT, "%s", value);
    }
    return CT_OK;
}

/* ---- what the cards say must be possible */

static ct_status guppi_missing(const char *keyword, const ct_input *in, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: the header has no card %s", in->file, keyword);
}

static ct_status guppi_check_there(const ct_guppi *out, const ct_input *in, ct_error *err)
{
    const struct {
        const char *keyword;
        bool there;
    } needed[] = {{"BLOCSIZE", out->bytes > 0},        {"OBSNCHAN", out->channels > 0},
                  {"NPOL", out->components > 0},       {"NBITS", out->bits > 0},
                  {"OBSFREQ", !isnan(out->freq_mhz)},  {"OBSBW", !isnan(out->bw_mhz)},
                  {"TBIN", !isnan(out->sample_time_s)}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!needed[i].there) return guppi_missing(needed[i].keyword, in, err);
    return CT_OK;
}

static ct_status guppi_check_reals(const ct_guppi *out, const ct_input *in, ct_error *err)
{
    const struct {
        const char *keyword, *key, *unit;
        double value, scale;
        bool above;
    } rows[] = {{"TBIN", "sample_time_s", " s", out->sample_time_s, 1, true},
                {"OBSFREQ", "frequency_hz", " MHz", out->freq_mhz, 1e6, true},
                {"OBSBW", "channel_width_hz", " MHz", fabs(out->bw_mhz), 1e6, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[CT_RANGES_EXPECTED];
        const bool sane = !rows[i].above || rows[i].value > 0;
        if (sane && ct_ranges_hold(rows[i].key, rows[i].value * rows[i].scale, expected)) continue;
        return ct_error_add(err, CT_DATA, "%s: %s: expected %s, found %g%s", in->file,
                            rows[i].keyword, sane ? expected : "a number above 0", rows[i].value,
                            rows[i].unit);
    }
    if (out->second_part >= 0 && out->second_part < 86400) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: STT_OFFS: expected a part of a second, found %g",
                        in->file, out->second_part);
}

/* One channel of real samples is half as long as its band says of complex ones. */
static ct_status guppi_check_kind(const ct_guppi *out, const ct_input *in, ct_error *err)
{
    const double values = out->sample_time_s * fabs(out->bw_mhz) * 1e6 / (double)out->channels;
    if (out->bits != 2 && out->bits != 4 && out->bits != 8)
        return ct_error_add(err, CT_DATA, "%s: NBITS: expected 2, 4 or 8, found %" PRId64, in->file,
                            out->bits);
    if (out->components == 3)
        return ct_error_add(err, CT_DATA,
                            "%s: NPOL: expected 4 (two polarizations, with real and imaginary "
                            "parts), 2 or 1, found 3",
                            in->file);
    if (out->antennas > 1)
        return ct_error_add(err, CT_DATA,
                            "%s: NANTS: expected one antenna, found %" PRId64
                            ": files of several are not read",
                            in->file, out->antennas);
    if (out->channels == 1 && values > 0.4 && values < 0.6)
        return ct_error_add(err, CT_DATA,
                            "%s: TBIN: expected complex samples, one for each 1/OBSBW, found two: "
                            "real ones are not read",
                            in->file);
    return CT_OK;
}

static ct_status guppi_measure(ct_guppi *out, const ct_input *in, ct_error *err)
{
    out->pols = out->components == 4 ? 2 : 1;
    const int64_t sample = 2 * out->bits * out->pols * out->channels; /* bits */
    if (out->bytes * 8 % sample != 0)
        return ct_error_add(err, CT_DATA,
                            "%s: BLOCSIZE: expected whole samples, of %" PRId64
                            " bits each, found %" PRId64 " bytes",
                            in->file, sample, out->bytes);
    out->samples = out->bytes * 8 / sample;
    if (out->overlap < 0) out->overlap = 0;
    if (out->overlap >= out->samples)
        return ct_error_add(err, CT_DATA,
                            "%s: OVERLAP: expected less than the %" PRId64
                            " samples of a block, found %" PRId64,
                            in->file, out->samples, out->overlap);
    out->time_first = out->channels_last == 1 || strcmp(out->packets, "SIMPLE") == 0;
    if (out->indices > 0)
        out->per_index = (double)ct_guppi_new(out) / (double)out->indices;
    else if (out->packet_bytes > 0)
        out->per_index = (double)(out->packet_bytes * 8) / (double)sample;
    const bool counted = out->indices > 0 && out->first_index >= 0;
    if (out->index >= 0)
        out->after_start =
            round((double)(out->index - (counted ? out->first_index : 0)) * out->per_index);
    return CT_OK;
}

static ct_status guppi_check(ct_guppi *out, const ct_input *in, ct_error *err)
{
    ct_status status = guppi_check_there(out, in, err);
    if (status == CT_OK) status = guppi_check_reals(out, in, err);
    if (status == CT_OK) status = guppi_check_kind(out, in, err);
    return status == CT_OK ? guppi_measure(out, in, err) : status;
}

/* ---- a header */

static ct_status guppi_no_card(const ct_input *in, int64_t at, ct_error *err)
{
    return ct_error_add(err, CT_DATA,
                        "%s: expected a header's card, such as \"NBITS   = 8\", at byte %" PRId64
                        ", found something else",
                        in->file, at);
}

/* Cards up to END. *at ends after it; *ended is false if the file ends before. */
static ct_status guppi_cards(ct_guppi *out, bool *ended, ct_input *in, int64_t *at, ct_error *err)
{
    char card[CT_GUPPI_CARD + 1] = {0};
    *ended = false;
    for (int i = 0; i < CT_GUPPI_CARDS; i++, *at += CT_GUPPI_CARD) {
        if (*at + CT_GUPPI_CARD > in->size) return CT_OK;
        ct_status status = ct_input_read(in, *at, card, CT_GUPPI_CARD, err);
        if (status != CT_OK) return status;
        *ended = strncmp(card, "END", 3) == 0 && strspn(card + 3, " ") == CT_GUPPI_CARD - 3;
        if (*ended) break;
        if (strchr("=/ ", card[8]) == NULL || !isupper((uint8_t)card[0]) ||
            memchr(card, 0, CT_GUPPI_CARD))
            return guppi_no_card(in, *at, err);
        if (card[8] == '=') status = guppi_take(out, card, in, err);
        if (status != CT_OK) return status;
    }
    *at += CT_GUPPI_CARD;
    return *ended ? CT_OK : guppi_no_card(in, *at, err);
}

ct_status ct_guppi_read(ct_guppi *out, ct_input *in, int64_t at, ct_error *err)
{
    bool ended;
    uint8_t start[2 * CT_GUPPI_CARD] = {0};
    *out = (ct_guppi){.bytes = -1, .channels = -1, .components = -1, .bits = -1, .index = -1};
    out->overlap = out->packet_bytes = out->indices = out->first_index = out->day = -1;
    out->freq_mhz = out->bw_mhz = out->sample_time_s = NAN;
    const size_t bytes = in->size < (int64_t)sizeof start ? (size_t)in->size : sizeof start;
    ct_status status = at == 0 ? ct_input_read(in, 0, start, bytes, err) : CT_OK;
    if (status == CT_OK && at == 0 && !ct_guppi_is(start, bytes))
        return ct_error_add(
            err, CT_DATA,
            "%s: expected a GUPPI raw file, which begins with cards of 80 letters, found %s",
            in->file, ct_magic_name(in));
    if (status == CT_OK) status = guppi_cards(out, &ended, in, &at, err);
    if (status != CT_OK || !ended) return status;
    status = guppi_check(out, in, err);
    if (out->filled > 0) at = ct_divide_up(at, CT_GUPPI_SECTOR) * CT_GUPPI_SECTOR;
    out->data_at = at;
    out->whole = out->bytes > 0 && at + out->bytes <= in->size;
    return status;
}
