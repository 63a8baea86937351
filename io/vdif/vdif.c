/* vdif.c: see vdif.h. [VDIF specification 1.1.1; extensions 0x01 (NICT) and 0x03 (VLBA)]
 * Room: io/vdif. Knows the words of a header. Does not know files. */
#include "vdif.h"
#include "calendar.h"
#include "numbers.h"

enum { WORDS = 8, MHZ = 1 << 23 };

/* Days from which on UTC is a second more behind; all begin a half year. */
static const struct {
    int16_t year, month;
} vdif_leaps[] = {{2006, 1}, {2009, 1}, {2012, 7}, {2015, 7}, {2017, 1}};
enum { LEAPS = sizeof vdif_leaps / sizeof vdif_leaps[0] };

static bool vdif_says_rate(int64_t edv)
{
    return edv == 1 || edv == 3;
}

static uint32_t vdif_word(const uint8_t *bytes, int n)
{
    return (uint32_t)ct_numbers_get(bytes + 4 * (ptrdiff_t)n, 4);
}

bool ct_vdif_read(ct_vdif *out, const uint8_t *bytes)
{
    uint32_t word[WORDS];
    for (int i = 0; i < WORDS; i++)
        word[i] = vdif_word(bytes, i);
    *out = (ct_vdif){.invalid = word[0] >> 31,
                     .legacy = word[0] >> 30 & 1,
                     .second = word[0] & 0x3fffffff,
                     .epoch = word[1] >> 24 & 0x3f,
                     .frame = word[1] & 0xffffff,
                     .channels = (int64_t)1 << (word[2] >> 24 & 0x1f),
                     .bytes = (int64_t)(word[2] & 0xffffff) * 8,
                     .complex = word[3] >> 31,
                     .bits = (word[3] >> 26 & 0x1f) + 1,
                     .thread = word[3] >> 16 & 0x3ff,
                     .station = word[3] & 0xffff,
                     .head = CT_VDIF_HEADER,
                     .edv = word[4] >> 24};
    if (out->legacy) out->edv = -1, out->head = CT_VDIF_LEGACY;
    const bool rate = vdif_says_rate(out->edv);
    if (rate)
        out->rate_hz = (int64_t)(word[4] & (MHZ - 1)) * (word[4] & MHZ ? 1000000 : 1000) *
                       (out->complex ? 1 : 2);
    return out->bytes > out->head && out->channels <= CT_VDIF_CHANNELS && word[1] >> 30 == 0 &&
           (!rate || word[5] == CT_VDIF_SYNC);
}

void ct_vdif_print(uint8_t *bytes, const ct_vdif *header)
{
    uint32_t word[WORDS] = {0};
    const int64_t rate = header->rate_hz / (header->complex ? 1 : 2);
    uint32_t log = 0;
    while ((int64_t)1 << log < header->channels)
        log++;
    word[0] =
        (uint32_t)header->second | (uint32_t)header->legacy << 30 | (uint32_t)header->invalid << 31;
    word[1] = (uint32_t)header->frame | (uint32_t)header->epoch << 24;
    word[2] = (uint32_t)(header->bytes / 8) | log << 24 | 1u << 29;
    word[3] = (uint32_t)header->station | (uint32_t)header->thread << 16 |
              (uint32_t)(header->bits - 1) << 26 | (uint32_t)header->complex << 31;
    if (vdif_says_rate(header->edv)) {
        const bool mhz = rate % 1000000 == 0;
        word[4] = (uint32_t)header->edv << 24 | (mhz ? MHZ : 0) |
                  (uint32_t)(rate / (mhz ? 1000000 : 1000));
        word[5] = CT_VDIF_SYNC;
    }
    for (int i = 0; i < header->head / 4; i++)
        ct_numbers_put(bytes + 4 * (ptrdiff_t)i, 4, word[i]);
}

int64_t ct_vdif_sample_bits(const ct_vdif *header)
{
    return header->bits * header->channels * (header->complex ? 2 : 1);
}

/* Version, sizes, station; the rate, and that it is one. */
bool ct_vdif_alike(const uint8_t *bytes, const uint8_t *first)
{
    static const uint32_t kind[] = {0x40000000, 0xc0000000, 0xffffffff, 0xfc00ffff};
    const bool legacy = vdif_word(first, 0) >> 30 & 1;
    for (int i = 0; i < 4; i++)
        if ((vdif_word(bytes, i) ^ vdif_word(first, i)) & kind[i]) return false;
    if (legacy) return true;
    if (!vdif_says_rate(first[19])) return bytes[19] == first[19];
    return vdif_word(bytes, 4) == vdif_word(first, 4) && vdif_word(bytes, 5) == CT_VDIF_SYNC;
}

/* ---- time */

static int64_t vdif_epoch_day(int64_t epoch)
{
    return ct_calendar_day(2000 + epoch / 2, epoch % 2 ? 7 : 1, 1) - ct_calendar_day(2000, 1, 1);
}

/* Leap seconds from 2000 to the beginning of a day since then. */
static int64_t vdif_leaps_before(int64_t day)
{
    int64_t count = 0;
    for (int i = 0; i < LEAPS; i++)
        count += vdif_epoch_day((vdif_leaps[i].year - 2000) * 2 + (vdif_leaps[i].month > 6)) <= day;
    return count;
}

int64_t ct_vdif_second(const ct_vdif *header)
{
    const int64_t day = vdif_epoch_day(header->epoch);
    return day * 86400 + vdif_leaps_before(day) + header->second;
}

int64_t ct_vdif_elapsed(int64_t day, int64_t second)
{
    const int64_t since = day - ct_calendar_day(2000, 1, 1);
    return since * 86400 + vdif_leaps_before(since) + second;
}

/* A leap second itself is the last of its day. */
void ct_vdif_date(int64_t elapsed, int64_t *day, int64_t *second)
{
    int64_t since = elapsed / 86400;
    while (since > 0 && since * 86400 + vdif_leaps_before(since) > elapsed)
        since--;
    *second = elapsed - since * 86400 - vdif_leaps_before(since);
    *day = since + ct_calendar_day(2000, 1, 1);
}

void ct_vdif_set_second(ct_vdif *header, int64_t elapsed)
{
    enum { EPOCHS = 64 };
    ct_vdif begin = {0};
    header->epoch = 0;
    for (begin.epoch = 0; begin.epoch < EPOCHS && ct_vdif_second(&begin) <= elapsed; begin.epoch++)
        header->epoch = begin.epoch;
    begin.epoch = header->epoch;
    header->second = elapsed - ct_vdif_second(&begin);
}
