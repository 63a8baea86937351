/* flags_clear.cl: zeroes samples of an array: a work-item one channel of a run of them.
 * runs: the first element of each, its group, and how many samples, `along_t` elements apart; channels: elements from
 * there on to each channel, those of a group together, from first[group] on; others: elements to all that has these in
 * common. */
kernel void clear(global uchar *data, global const long4 *runs, global const int *first,
                  global const long *channels, global const long *others, const int count,
                  const int bytes, const long along_t)
{
    const long4 at = runs[get_global_id(1)];
    const int c = first[at.y] + (int)get_global_id(0);
    if (c >= first[at.y + 1])
        return;
    for (int k = 0; k < count; k++) {
        global uchar *to = data + (at.x + channels[c] + others[k]) * bytes;
        for (long t = 0; t < at.z; t++)
            for (int b = 0; b < bytes; b++)
                to[t * along_t * bytes + b] = 0;
    }
}
