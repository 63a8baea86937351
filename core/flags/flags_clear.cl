/* flags_clear.cl: zeroes samples of an array: a work-item one channel of one of them.
 * samples: its first element, and its group; channels: elements from there on to each channel, those of
 * a group together, from first[group] on; others: elements to all that has these in common. */
kernel void clear(global uchar *data, global const long2 *samples, global const int *first,
                  global const long *channels, global const long *others, const int count,
                  const int bytes)
{
    const long2 at = samples[get_global_id(1)];
    const int c = first[at.y] + (int)get_global_id(0);
    if (c >= first[at.y + 1])
        return;
    for (int k = 0; k < count; k++) {
        global uchar *to = data + (at.x + channels[c] + others[k]) * bytes;
        for (int b = 0; b < bytes; b++)
            to[b] = 0;
    }
}
