/* fits_walk.c: see fits_walk.h. [FITS 4.0, 3.1, 4.4 and 7.3]
 * Room: io/psrfits. Knows cards and sizes. Does not know tables. */
#include "fits_walk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 2880, CARD = 80, HEADERS = 1000, COLUMNS = 999, AXES = 999 };

/* Of one header. */
typedef struct fits_head {
    int64_t bitpix, axes, fields, pcount, gcount, elements;
    bool end;
} fits_head;

/* "NAXIS2  =                  100 / rows": the number; false where it is no whole one. */
static bool fits_value(const char *card, int64_t *out)
{
    char text[CARD + 1] = {0};
    char *end;
    memcpy(text, card + 10, CARD - 10);
    *out = strtoll(text, &end, 10);
    end += strspn(end, " ");
    return end != text && (*end == 0 || *end == '/');
}

static ct_status fits_wrong(const ct_input *in, const char *card, const char *expected,
                            ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: %.8s: expected %s, found \"%.20s\"", in->file, card,
                        expected, card + 10);
}

static ct_status fits_card(fits_head *head, const char *card, const ct_input *in, ct_error *err)
{
    const struct {
        const char *key;
        size_t letters;
        int64_t *out, least, most;
    } rows[] = {{"BITPIX  ", 8, &head->bitpix, -64, 64},
                {"NAXIS   ", 8, &head->axes, 0, AXES},
                {"TFIELDS ", 8, &head->fields, 0, COLUMNS},
                {"PCOUNT  ", 8, &head->pcount, 0, INT64_MAX},
                {"GCOUNT  ", 8, &head->gcount, 1, INT64_MAX}};
    int64_t extent = 0;
    if (memcmp(card, "END     ", 8) == 0) head->end = true;
    if (card[8] != '=') return CT_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (memcmp(card, rows[i].key, rows[i].letters) == 0 &&
            (!fits_value(card, rows[i].out) || *rows[i].out < rows[i].least ||
             *rows[i].out > rows[i].most))
            return fits_wrong(in, card, "a whole number that is possible", err);
    if (memcmp(card, "NAXIS", 5) != 0 || card[5] < '0' || card[5] > '9') return CT_OK;
    if (!fits_value(card, &extent) || extent < 0 ||
        __builtin_mul_overflow(head->elements, extent, &head->elements))
        return fits_wrong(in, card, "an extent that is possible", err);
    return CT_OK;
}

static ct_status fits_head_read(fits_head *head, ct_input *in, int64_t *at, ct_error *err)
{
    char record[RECORD];
    ct_status status = CT_OK;
    *head = (fits_head){.gcount = 1, .elements = 1};
    for (; status == CT_OK && !head->end; *at += RECORD) {
        if (in->size - *at < RECORD)
            return ct_error_add(err, CT_DATA, "%s: ends after %lld bytes, within a header",
                                in->file, (long long)in->size);
        status = ct_input_read(in, *at, record, RECORD, err);
        for (int card = 0; status == CT_OK && !head->end && card < RECORD; card += CARD)
            status = fits_card(head, record + card, in, err);
    }
    return status;
}

/* Bytes after a header, with what fills up the last record; -1: more than there can be. */
static int64_t fits_data(const fits_head *head)
{
    int64_t bytes = head->axes > 0 ? head->elements : 0;
    if (__builtin_add_overflow(bytes, head->pcount, &bytes) ||
        __builtin_mul_overflow(bytes, head->gcount, &bytes) ||
        __builtin_mul_overflow(bytes, llabs(head->bitpix) / 8, &bytes) ||
        bytes > INT64_MAX - RECORD)
        return -1;
    return (bytes + RECORD - 1) / RECORD * RECORD;
}

ct_status ct_fits_walk(ct_input *in, ct_error *err)
{
    int64_t at = 0;
    ct_status status = CT_OK;
    for (int i = 0; status == CT_OK && at + RECORD <= in->size && i < HEADERS; i++) {
        fits_head head;
        status = fits_head_read(&head, in, &at, err);
        if (status != CT_OK) return status;
        const int64_t bytes = fits_data(&head), left = in->size - at;
        /* the last record need not be full */
        if (bytes < 0 || (bytes > 0 && bytes - RECORD >= left))
            return ct_error_add(err, CT_DATA,
                                "%s: ends after %lld bytes, within the data of header %d", in->file,
                                (long long)in->size, i + 1);
        at += bytes;
    }
    return status;
}
