/* Rows of one transform each, contiguous, from and to an array of any strides. Work-item (c, row).
 * `extent` and `step`: of the batch's axes, slowest first; `stride`: along the channels. */
long place(const long axes, const long first, const long stride, const long8 extent,
           const long8 step)
{
    long extents[8], steps[8], row = get_global_id(1), at = first + get_global_id(0) * stride;
    vstore8(extent, 0, extents);
    vstore8(step, 0, steps);
    for (int i = (int)axes - 1; i >= 0; i--) {
        at += row % extents[i] * steps[i];
        row /= extents[i];
    }
    return at;
}

kernel void gather(global const float2 *from, global float2 *to, const long axes, const long first,
                   const long stride, const long8 extent, const long8 step)
{
    to[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
        from[place(axes, first, stride, extent, step)];
}

kernel void scatter(global const float2 *from, global float2 *to, const long axes,
                    const long first, const long stride, const long8 extent, const long8 step)
{
    to[place(axes, first, stride, extent, step)] =
        from[get_global_id(1) * get_global_size(0) + get_global_id(0)];
}
