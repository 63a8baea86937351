/* delay_read.c: where delays come from, as a pipeline says it.
 * Room: stages/delay. Knows parameters and their mistakes. Does not know kernels. */
#include "delay.h"

#include <math.h>

#include "arrival.h"

#define MOST_S 1e6 /* of a table's delays */
#define KNOTS_S                                                                                    \
    0.25 /* from one knot of a direction to the next: 100 km at 1.5 GHz bend by 0.01 degrees */

static const ct_array *input(const ct_step *step)
{
    return &step->port[CT_DELAY_X];
}

static int64_t pairs(const ct_step *step, const ct_delay *delay)
{
    return ct_array_extent(input(step), 'S') * delay->pols;
}

/* ---- a table */

static ct_status fail_shape(ct_step *step, ct_error *err)
{
    return ct_step_fail(step, "delays", err,
                        "expected seconds for each of the %lld stations, or of their %lld "
                        "polarizations: a .npy of shape [stations, rows] or [stations, "
                        "polarizations, rows], or lists of these; or 0, for none",
                        (long long)ct_array_extent(input(step), 'S'),
                        (long long)ct_array_extent(input(step), 'P'));
}

static ct_status table_new(ct_step *step, ct_delay *delay, int64_t stations, ct_error *err)
{
    if (stations != ct_array_extent(input(step), 'S') || delay->rows < 1 ||
        (delay->pols != 1 && delay->pols != ct_array_extent(input(step), 'P')))
        return fail_shape(step, err);
    delay->row =
        ct_step_alloc(step, (size_t)(pairs(step, delay) * delay->rows) * sizeof *delay->row);
    return delay->row ? CT_OK : CT_FAILED;
}

static ct_status table_put(ct_step *step, ct_delay *delay, int64_t n, double value, ct_error *err)
{
    ((double *)delay->row)[n] = value;
    if (fabs(value) < MOST_S) return CT_OK;
    return ct_step_fail(step, "delays", err, "row %lld is %g s, expected less than %g",
                        (long long)(n % delay->rows), value, MOST_S);
}

static ct_status table_from_file(ct_step *step, ct_delay *delay, ct_error *err)
{
    ct_array file;
    ct_status status = ct_npy_load(step, "delays", &file, err);
    if (status != CT_OK) return status;
    if ((file.rank != 2 && file.rank != 3) || ct_type_complex(file.type))
        return fail_shape(step, err);
    const int last = file.rank - 1;
    delay->pols = file.rank == 3 ? file.extent[1] : 1;
    delay->rows = file.extent[last];
    status = table_new(step, delay, file.extent[0], err);
    for (int64_t n = 0; status == CT_OK && n < pairs(step, delay) * delay->rows; n++) {
        const int64_t k = n % delay->rows, p = n / delay->rows % delay->pols;
        const int64_t at = n / delay->rows / delay->pols * file.stride[0] + k * file.stride[last] +
                           (last == 2 ? p * file.stride[1] : 0);
        status = table_put(step, delay, n, ct_array_load(&file, at).re, err);
    }
    return status;
}

static bool is_number(const ct_value *value)
{
    return ct_value_kind(value) == CT_INT || ct_value_kind(value) == CT_REAL;
}

static ct_status table_from_list(ct_step *step, ct_delay *delay, const ct_value *list,
                                 ct_error *err)
{
    const ct_value *one = ct_value_at(list, 0);
    const bool each = ct_value_kind(ct_value_at(one, 0)) == CT_LIST;
    delay->pols = each ? (int64_t)ct_value_count(one) : 1;
    delay->rows = (int64_t)ct_value_count(each ? ct_value_at(one, 0) : one);
    ct_status status = table_new(step, delay, (int64_t)ct_value_count(list), err);
    for (int64_t n = 0; status == CT_OK && n < pairs(step, delay); n++) {
        const ct_value *row = ct_value_at(list, (size_t)(n / delay->pols));
        if (each) row = ct_value_at(row, (size_t)(n % delay->pols));
        if ((int64_t)ct_value_count(row) != delay->rows) return fail_shape(step, err);
        for (int64_t k = 0; status == CT_OK && k < delay->rows; k++) {
            const ct_value *value = ct_value_at(row, (size_t)k);
            if (!is_number(value)) return fail_shape(step, err);
            status = table_put(step, delay, n * delay->rows + k, ct_value_real(value, 0), err);
        }
    }
    return status;
}

static ct_status check_length(ct_step *step, const ct_delay *delay, ct_error *err)
{
    const ct_meta *meta = &input(step)->meta;
    const double last_s = meta->start_s + (double)(meta->total - 1) * meta->sample_time_s;
    const double most_s = (double)(delay->rows - 1) * delay->step_s;
    if (delay->rows == 1 || meta->total < 1 || last_s <= most_s) return CT_OK;
    return ct_step_fail(step, "delays", err,
                        "%lld rows of %g s reach %g s, but the last sample is at %.10g s",
                        (long long)delay->rows, delay->step_s, most_s, last_s);
}

/* 0: no station has a delay. */
static ct_status table_of_none(ct_step *step, ct_delay *delay, const ct_value *given, ct_error *err)
{
    if (!is_number(given) || ct_value_real(given, 1) != 0) return fail_shape(step, err);
    delay->rows = 1;
    return table_new(step, delay, ct_array_extent(input(step), 'S'), err);
}

static ct_status read_table(ct_step *step, ct_delay *delay, const ct_value *given, ct_error *err)
{
    ct_status status = CT_OK;
    delay->step_s = ct_step_real(step, "step_s");
    if (ct_value_kind(given) == CT_TEXT)
        status = table_from_file(step, delay, err);
    else if (ct_value_kind(given) == CT_LIST)
        status = table_from_list(step, delay, given, err);
    else
        status = table_of_none(step, delay, given, err);
    return status == CT_OK ? check_length(step, delay, err) : status;
}

/* ---- a direction */

static ct_status read_direction(ct_step *step, ct_delay *delay, ct_error *err)
{
    const ct_value *given = ct_step_value(step, "radec");
    const double *said = ct_step_observation(step)->radec;
    if (given) return ct_arrival_radec(step, "radec", given, -1, delay->radec[0], err);
    if (!said)
        return ct_step_fail(step, NULL, err,
                            "expected \"radec\", \"delays\", or \"ra_deg\" and \"dec_deg\" in "
                            "\"observation\"");
    delay->radec[0][0] = said[0];
    delay->radec[0][1] = said[1];
    return CT_OK;
}

static ct_status read_sky(ct_step *step, ct_delay *delay, ct_error *err)
{
    const double dt = input(step)->meta.sample_time_s;
    ct_delay_end knot;
    ct_status status = read_direction(step, delay, err);
    if (status == CT_OK)
        status =
            ct_arrival_positions(step, ct_array_extent(input(step), 'S'), &delay->position, err);
    delay->step_s = dt > KNOTS_S ? dt : KNOTS_S;
    step->state = delay;
    return status == CT_OK ? ct_delay_knot(step, 0, &knot, err) : status;
}

/* ---- all of it */

ct_status ct_delay_check_channels(const ct_step *step, ct_error *err)
{
    const ct_meta *meta = &input(step)->meta;
    const int64_t channels = ct_array_extent(input(step), 'C');
    if (meta->frequency_hz && meta->frequencies == channels) return CT_OK;
    return ct_step_fail(step, NULL, err,
                        "delays need the frequency of each of the %lld channels: give the source "
                        "\"frequency_hz\"",
                        (long long)channels);
}

/* What `shift` has begun, with its delays. */
static ct_status read_shifts(ct_step *step, ct_delay *delay, const ct_shifts *shifts, ct_error *err)
{
    static const char *const names[] = {"radec", "delays"};
    for (int n = 0; n < 2; n++)
        if (ct_step_value(step, names[n]))
            return ct_step_fail(
                step, names[n], err,
                "\"shift\" has these delays already, which go on here: leave \"%s\" "
                "out",
                names[n]);
    *delay = *shifts->delay;
    delay->shifts = shifts;
    return CT_OK;
}

ct_status ct_delay_read(ct_step *step, ct_delay **out, ct_error *err)
{
    const ct_value *table = ct_step_value(step, "delays");
    const ct_shifts *shifts = input(step)->meta.shifts;
    ct_delay *delay = *out = ct_step_alloc(step, sizeof *delay);
    if (!delay) return CT_FAILED;
    delay->pols = 1;
    if (!(input(step)->meta.sample_time_s > 0))
        return ct_step_fail(step, NULL, err,
                            "delays need the time of a sample: give the source \"sample_time_s\"");
    if (shifts) return read_shifts(step, delay, shifts, err);
    if (table && ct_step_value(step, "radec"))
        return ct_step_fail(step, "delays", err,
                            "expected either \"radec\" or \"delays\", found both");
    return table ? read_table(step, delay, table, err) : read_sky(step, delay, err);
}
