/* sigproc.c: see sigproc.h. [D. Lorimer, SIGPROC; nsamples and FREQUENCY tables are read only]
 * Room: io/sigproc. Knows the keywords. Does not know blocks. */
#include "sigproc.h"
#include "magic.h"
#include "numbers.h"
#include <stdio.h>

enum { KEYWORD_LONGEST = 80, TABLE_RECORD = 4 + 8 + 8 };

typedef enum sigproc_kind { KIND_INT, KIND_REAL, KIND_TEXT, KIND_BYTE } sigproc_kind;

static const struct {
    const char *keyword;
    sigproc_kind kind;
} sigproc_keys[] = {
    {"telescope_id", KIND_INT},  {"machine_id", KIND_INT},   {"data_type", KIND_INT},
    {"nchans", KIND_INT},        {"nbits", KIND_INT},        {"nifs", KIND_INT},
    {"nbeams", KIND_INT},        {"ibeam", KIND_INT},        {"barycentric", KIND_INT},
    {"pulsarcentric", KIND_INT}, {"nsamples", KIND_INT},     {"tstart", KIND_REAL},
    {"tsamp", KIND_REAL},        {"fch1", KIND_REAL},        {"foff", KIND_REAL},
    {"src_raj", KIND_REAL},      {"src_dej", KIND_REAL},     {"az_start", KIND_REAL},
    {"za_start", KIND_REAL},     {"refdm", KIND_REAL},       {"period", KIND_REAL},
    {"source_name", KIND_TEXT},  {"rawdatafile", KIND_TEXT}, {"signed", KIND_BYTE},
};

enum { SIGPROC_KEYS = sizeof sigproc_keys / sizeof sigproc_keys[0] };

static const char *const sigproc_keywords[] = {"telescope_id", "machine_id",
                                               "data_type",    "nchans",
                                               "nbits",        "nifs",
                                               "nbeams",       "ibeam",
                                               "barycentric",  "pulsarcentric",
                                               "nsamples",     "tstart",
                                               "tsamp",        "fch1",
                                               "foff",         "src_raj",
                                               "src_dej",      "az_start",
                                               "za_start",     "refdm",
                                               "period",       "source_name",
                                               "rawdatafile",  "signed",
                                               "HEADER_START", "FREQUENCY_START",
                                               "HEADER_END",   NULL};

static int sigproc_key(const char *keyword)
{
    for (int i = 0; i < SIGPROC_KEYS; i++)
        if (strcmp(sigproc_keys[i].keyword, keyword) == 0) return i;
    return -1;
}

/* An int32 length and as many letters. */
static ct_status sigproc_read_text(ct_input *in, int64_t *at, char *out, size_t size, ct_error *err)
{
    uint8_t bytes[4];
    ct_status status = ct_input_read(in, *at, bytes, 4, err);
    if (status != CT_OK) return status;
    uint64_t length = ct_numbers_get(bytes, 4);
    if (length >= size)
        return ct_error_add(err, CT_DATA,
                            "%s: byte %lld of the header: expected a text of less than %zu "
                            "letters, found a length of %llu",
                            in->file, (long long)*at, size, (unsigned long long)length);
    status = ct_input_read(in, *at + 4, out, length, err);
    out[status == CT_OK ? length : 0] = '\0';
    *at += 4 + (int64_t)length;
    return status;
}

static ct_status sigproc_read_value(ct_sigproc_entry *out, ct_input *in, int64_t *at, ct_error *err)
{
    static const unsigned widths[] = {[KIND_INT] = 4, [KIND_REAL] = 8, [KIND_BYTE] = 1};
    sigproc_kind kind = sigproc_keys[out->key].kind;
    uint8_t bytes[8] = {0};
    if (kind == KIND_TEXT) return sigproc_read_text(in, at, out->text, sizeof out->text, err);
    ct_status status = ct_input_read(in, *at, bytes, widths[kind], err);
    *at += widths[kind];
    out->integer = (int32_t)(uint32_t)ct_numbers_get(bytes, 4);
    out->real = kind == KIND_REAL ? ct_numbers_get_double(bytes) : (double)out->integer;
    return status;
}

/* FREQUENCY_START, { "fchannel", double }, FREQUENCY_END. */
static ct_status sigproc_read_table(ct_sigproc *out, ct_input *in, int64_t *at, ct_error *err)
{
    char keyword[KEYWORD_LONGEST];
    uint8_t value[8];
    out->table_at = *at;
    out->table_count = 0;
    for (;;) {
        int64_t start = *at;
        ct_status status = sigproc_read_text(in, at, keyword, sizeof keyword, err);
        if (status != CT_OK || strcmp(keyword, "FREQUENCY_END") == 0) return status;
        if (strcmp(keyword, "fchannel") != 0)
            return ct_error_add(err, CT_DATA,
                                "%s: byte %lld of the header: expected fchannel or FREQUENCY_END, "
                                "found \"%s\"",
                                in->file, (long long)start, keyword);
        status = ct_input_read(in, *at, value, 8, err);
        if (status != CT_OK) return status;
        *at += 8;
        out->table_count++;
    }
}

static ct_status sigproc_read_entry(ct_sigproc *out, ct_input *in, const char *keyword, int64_t *at,
                                    ct_error *err)
{
    int key = sigproc_key(keyword);
    if (strcmp(keyword, "FREQUENCY_START") == 0) return sigproc_read_table(out, in, at, err);
    if (key < 0) {
        const char *near = ct_suggest_nearest(keyword, sigproc_keywords);
        return ct_error_add(
            err, CT_DATA, "%s: unknown keyword \"%s\" in the header before byte %lld%s%s", in->file,
            keyword, (long long)*at, near ? ", expected " : "", near ? near : "");
    }
    if (out->count == CT_SIGPROC_ENTRIES)
        return ct_error_add(err, CT_DATA, "%s: expected at most %d keywords in the header",
                            in->file, CT_SIGPROC_ENTRIES);
    out->entry[out->count].key = key;
    return sigproc_read_value(&out->entry[out->count++], in, at, err);
}

bool ct_sigproc_is(const uint8_t *start, size_t bytes)
{
    (void)bytes;
    return memcmp(start, "\x0c\0\0\0HEADER_START", 16) == 0;
}

ct_status ct_sigproc_read(ct_sigproc *out, ct_input *in, ct_error *err)
{
    char keyword[KEYWORD_LONGEST];
    uint8_t magic[16] = {0};
    int64_t at = sizeof magic;
    memset(out, 0, sizeof *out);
    if (in->size >= at && ct_input_read(in, 0, magic, sizeof magic, err) != CT_OK) return CT_DATA;
    if (!ct_sigproc_is(magic, sizeof magic))
        return ct_error_add(err, CT_DATA,
                            "%s: expected a SIGPROC file, which begins with HEADER_START, found "
                            "%s",
                            in->file, ct_magic_name(in));
    for (;;) {
        ct_status status = sigproc_read_text(in, &at, keyword, sizeof keyword, err);
        if (status == CT_OK && strcmp(keyword, "HEADER_END") == 0) break;
        if (status == CT_OK) status = sigproc_read_entry(out, in, keyword, &at, err);
        if (status != CT_OK) return status;
    }
    out->data_at = at;
    return CT_OK;
}

static ct_status sigproc_check(const ct_sigproc_shape *shape, const ct_sigproc *header,
                               const ct_input *in, ct_error *err)
{
    if (shape->channels < 1 || shape->ifs < 1)
        return ct_error_add(err, CT_DATA,
                            "%s: expected nchans and nifs of at least 1, found %lld and %lld",
                            in->file, (long long)shape->channels, (long long)shape->ifs);
    if (shape->channels > CT_SIGPROC_CHANNELS)
        return ct_error_add(err, CT_DATA, "%s: expected nchans of at most %d, found %lld", in->file,
                            CT_SIGPROC_CHANNELS, (long long)shape->channels);
    if (shape->type == CT_NONE)
        return ct_error_add(err, CT_DATA,
                            "%s: expected nbits 1, 2, 4, 8, 16 or 32 (signed: 8 or 16), found "
                            "%u%s",
                            in->file, shape->bits, shape->with_sign ? " signed" : "");
    if (header->table_count && header->table_count != shape->channels)
        return ct_error_add(err, CT_DATA,
                            "%s: expected a frequency for each of %lld channels, found %lld",
                            in->file, (long long)shape->channels, (long long)header->table_count);
    return CT_OK;
}

ct_status ct_sigproc_measure(ct_sigproc_shape *out, const ct_sigproc *header, const ct_input *in,
                             ct_error *err)
{
    static const struct {
        unsigned bits;
        bool with_sign;
        ct_type type;
    } types[] = {{1, false, CT_U8},  {2, false, CT_U8},   {4, false, CT_U8},
                 {8, false, CT_U8},  {8, true, CT_I8},    {16, false, CT_U16},
                 {16, true, CT_I16}, {32, false, CT_F32}, {32, true, CT_F32}};
    *out = (ct_sigproc_shape){.ifs = ct_sigproc_int(header, "nifs", 1)};
    out->channels = ct_sigproc_int(header, "nchans", header->table_count ? header->table_count : 1);
    out->bits = (unsigned)ct_sigproc_int(header, "nbits", 8);
    out->with_sign = ct_sigproc_int(header, "signed", 0) != 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].bits == out->bits && types[i].with_sign == out->with_sign)
            out->type = types[i].type;
    ct_status status = sigproc_check(out, header, in, err);
    if (status != CT_OK) return status;
    int64_t bytes = in->size - header->data_at, most = INT64_MAX / 8, sample;
    bool fits = !__builtin_mul_overflow(out->channels, out->ifs * (int64_t)out->bits, &sample);
    int64_t bits = bytes < most ? bytes * 8 : INT64_MAX;
    if (!fits || bytes <= 0 || bits < sample)
        return ct_error_add(err, CT_DATA,
                            "%s: expected samples of %lld bits after the header "
                            "(%lld channels, %lld ifs, %u bits), found %lld bytes",
                            in->file, (long long)(fits ? sample : -1), (long long)out->channels,
                            (long long)out->ifs, out->bits, (long long)bytes);
    out->samples = bits / sample;
    out->torn = bits % sample / 8;
    return CT_OK;
}

ct_status ct_sigproc_frequency(double *out, const ct_sigproc *header, ct_input *in, int64_t c,
                               ct_error *err)
{
    uint8_t value[8];
    double first = ct_sigproc_real(header, "fch1", 0), step = ct_sigproc_real(header, "foff", 0);
    *out = first * 1e6 + (double)c * (step * 1e6);
    if (!header->table_count) return CT_OK;
    int64_t at = header->table_at + c * TABLE_RECORD + TABLE_RECORD - 8;
    ct_status status = ct_input_read(in, at, value, 8, err);
    if (status == CT_OK) *out = ct_numbers_get_double(value) * 1e6;
    return status;
}

const ct_sigproc_entry *ct_sigproc_find(const ct_sigproc *header, const char *keyword)
{
    int key = sigproc_key(keyword);
    for (int i = header->count; i-- > 0;)
        if (header->entry[i].key == key) return &header->entry[i];
    return NULL;
}

int64_t ct_sigproc_int(const ct_sigproc *header, const char *keyword, int64_t otherwise)
{
    const ct_sigproc_entry *entry = ct_sigproc_find(header, keyword);
    return entry ? entry->integer : otherwise;
}

double ct_sigproc_real(const ct_sigproc *header, const char *keyword, double otherwise)
{
    const ct_sigproc_entry *entry = ct_sigproc_find(header, keyword);
    return entry ? entry->real : otherwise;
}

const char *ct_sigproc_text(const ct_sigproc *header, const char *keyword, const char *otherwise)
{
    const ct_sigproc_entry *entry = ct_sigproc_find(header, keyword);
    return entry ? entry->text : otherwise;
}

void ct_sigproc_add(ct_sigproc *header, const char *keyword, double number, const char *text)
{
    ct_sigproc_entry *entry = &header->entry[header->count++];
    entry->key = sigproc_key(keyword);
    entry->real = number;
    entry->integer = (int64_t)number;
    snprintf(entry->text, sizeof entry->text, "%s", text ? text : "");
}

static size_t sigproc_print_text(uint8_t *out, const char *text)
{
    size_t length = strlen(text);
    ct_numbers_put(out, 4, length);
    for (size_t i = 0; i < length; i++)
        out[4 + i] = (uint8_t)text[i];
    return 4 + length;
}

static size_t sigproc_print_entry(uint8_t *out, const ct_sigproc_entry *entry)
{
    size_t length = sigproc_print_text(out, sigproc_keys[entry->key].keyword);
    switch (sigproc_keys[entry->key].kind) {
    case KIND_INT:
        ct_numbers_put(out + length, 4, (uint64_t)entry->integer);
        return length + 4;
    case KIND_REAL:
        ct_numbers_put_double(out + length, entry->real);
        return length + 8;
    case KIND_BYTE:
        out[length] = (uint8_t)entry->integer;
        return length + 1;
    case KIND_TEXT:
        break;
    }
    return length + sigproc_print_text(out + length, entry->text);
}

size_t ct_sigproc_print(uint8_t *out, size_t size, const ct_sigproc *header)
{
    const size_t most = 4 + KEYWORD_LONGEST + 4 + CT_SIGPROC_TEXT;
    size_t length = sigproc_print_text(out, "HEADER_START");
    for (int i = 0; i < header->count && length + 2 * most <= size; i++)
        length += sigproc_print_entry(out + length, &header->entry[i]);
    return length + sigproc_print_text(out + length, "HEADER_END");
}
