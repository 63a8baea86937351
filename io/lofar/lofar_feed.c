/* lofar_feed.c: see lofar_feed.h.
 * Room: io/lofar. Knows files and positions. Does not know packets. */
#include "lofar_feed.h"
#include <string.h>

enum { FEED_BUFFER = 1 << 19, FEED_PACKETS = 8 }; /* bytes, and packets at least */

static int64_t feed_begin(const ct_feed *feed, int64_t file)
{
    if (feed->begin) return feed->begin[file];
    return file > 0 ? feed->size : 0;
}

/* One file is open at a time. */
static ct_status feed_turn_to(ct_feed *feed, int64_t file, ct_error *err)
{
    if (file == feed->present && feed->input.fd >= 0) return CT_OK;
    ct_input_close(&feed->input);
    feed->present = file;
    return ct_input_open(&feed->input, feed->file[file], err);
}

static ct_status feed_measure(ct_feed *feed, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t i = feed->files - 1; status == CT_OK && i >= 0; i--) {
        status = feed_turn_to(feed, i, err);
        if (feed->begin) feed->begin[i + 1] = feed->input.size;
        feed->size += feed->input.size;
    }
    for (int64_t i = 0; feed->begin && i < feed->files; i++)
        feed->begin[i + 1] += feed->begin[i];
    return status;
}

ct_status ct_feed_open(ct_feed *feed, ct_step *step, const char *const *file, int64_t files,
                       ct_error *err)
{
    feed->step = step;
    feed->file = file;
    feed->files = files;
    feed->input.fd = -1;
    if (files > 1) feed->begin = ct_step_alloc(step, (size_t)(files + 1) * sizeof *feed->begin);
    if (files > 1 && !feed->begin) return CT_FAILED;
    const ct_status status = feed_measure(feed, err);
    if (status != CT_OK) ct_feed_close(feed);
    return status;
}

void ct_feed_open_pull(ct_feed *feed, ct_step *step, const char *name, ct_feed_pull *pull, void *of)
{
    feed->step = step;
    feed->files = 1;
    feed->input.file = name;
    feed->input.fd = -1;
    feed->pull = pull;
    feed->of = of;
    feed->size = INT64_MAX;
}

ct_status ct_feed_make_buffer(ct_feed *feed, int64_t packet)
{
    const size_t least = FEED_PACKETS * (size_t)packet;
    feed->room = least > FEED_BUFFER ? least : FEED_BUFFER;
    feed->buffer = ct_step_alloc(feed->step, feed->room);
    return feed->buffer ? CT_OK : CT_FAILED;
}

/* More of what comes once; false at its end, and where it fails. */
static bool feed_pull(ct_feed *feed)
{
    size_t got = 0;
    if (feed->status != CT_OK || feed->size != INT64_MAX) return false;
    if (feed->have == feed->room) {
        const size_t gone = (size_t)(feed->floor - feed->at);
        feed->have -= gone;
        feed->at = feed->floor;
        memmove(feed->buffer, feed->buffer + gone, feed->have);
    }
    const size_t free = feed->room - feed->have, most = free < FEED_BUFFER ? free : FEED_BUFFER;
    if (most == 0)
        feed->status = ct_error_add(&feed->trouble, CT_DATA, "%s: a packet beyond %zu bytes",
                                    feed->input.file, feed->room);
    else
        feed->status = feed->pull(feed->of, feed->buffer + feed->have, most, &got, &feed->trouble);
    feed->have += got;
    if (feed->status == CT_OK && got == 0) feed->size = feed->at + (int64_t)feed->have;
    return got > 0;
}

bool ct_feed_reaches(ct_feed *feed, int64_t bytes)
{
    if (!feed->pull) return bytes <= feed->size;
    while (feed->at + (int64_t)feed->have < bytes)
        if (!feed_pull(feed)) return false;
    return true;
}

bool ct_feed_holds(const ct_feed *feed, int64_t at, int64_t bytes)
{
    const int64_t end = at + bytes < feed->size ? at + bytes : feed->size;
    return at >= feed->at && end <= feed->at + (int64_t)feed->have;
}

/* Files that end in one another's packets are read across. */
static ct_status feed_fetch(ct_feed *feed, int64_t at, uint8_t *to, size_t bytes, ct_error *err)
{
    ct_status status = CT_OK;
    while (status == CT_OK && bytes > 0) {
        int64_t file = feed->files > 1 ? feed->present : 0;
        while (feed->begin && file + 1 < feed->files && feed->begin[file + 1] <= at)
            file++;
        while (feed->begin && feed->begin[file] > at)
            file--;
        status = feed_turn_to(feed, file, err);
        const int64_t inside = at - feed_begin(feed, file), left = feed->input.size - inside;
        const bool last = file + 1 == feed->files;
        const size_t now = last || (int64_t)bytes <= left ? bytes : (size_t)left;
        if (status == CT_OK) status = ct_input_read(&feed->input, inside, to, now, err);
        to += now, bytes -= now, at += (int64_t)now;
    }
    return status;
}

/* What is there already from this position on, which goes to the front: how many bytes. */
static size_t feed_keep(ct_feed *feed, int64_t at)
{
    const int64_t kept = feed->at + (int64_t)feed->have - at;
    if (at < feed->at || kept <= 0) return 0;
    memmove(feed->buffer, feed->buffer + (at - feed->at), (size_t)kept);
    return (size_t)kept;
}

ct_status ct_feed_load(ct_feed *feed, int64_t at, ct_error *err)
{
    if (feed->pull) {
        feed->floor = at;
        (void)ct_feed_reaches(feed, at + 1);
        return ct_feed_check(feed, err);
    }
    const size_t kept = feed_keep(feed, at);
    const int64_t left = feed->size - at - (int64_t)kept;
    size_t now = feed->room - kept;
    if (feed->ahead > 0 && feed->ahead < now) now = feed->ahead;
    if (left < (int64_t)now) now = (size_t)left;
    feed->at = at;
    feed->have = kept; /* so that a failure leaves nothing stale */
    const ct_status status = feed_fetch(feed, at + (int64_t)kept, feed->buffer + kept, now, err);
    if (status == CT_OK) feed->have += now;
    return status;
}

ct_status ct_feed_check(const ct_feed *feed, ct_error *err)
{
    if (feed->status == CT_OK || feed->trouble.text[0] == 0) return feed->status;
    return ct_error_add(err, feed->status, "%s", feed->trouble.text);
}

ct_status ct_feed_read(ct_feed *feed, int64_t at, void *to, size_t bytes, ct_error *err)
{
    if (feed->pull) (void)ct_feed_reaches(feed, at + (int64_t)bytes);
    if (at >= feed->at && at + (int64_t)bytes <= feed->at + (int64_t)feed->have) {
        memcpy(to, ct_feed_at(feed, at), bytes);
        return CT_OK;
    }
    if (feed->pull) return CT_DATA;
    return feed_fetch(feed, at, to, bytes, err);
}

const char *ct_feed_file(const ct_feed *feed, int64_t at, int64_t *byte)
{
    int64_t file = 0;
    while (feed->begin && file + 1 < feed->files && feed->begin[file + 1] <= at)
        file++;
    *byte = at - feed_begin(feed, file);
    return feed->file ? feed->file[file] : feed->input.file;
}

void ct_feed_close(ct_feed *feed)
{
    ct_input_close(&feed->input);
}
