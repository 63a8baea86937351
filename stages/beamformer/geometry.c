/* geometry.c: station positions and beam directions, as a pipeline gives them.
 * Room: stages/beamformer. Knows vectors and angles. Does not know weights or kernels. */
#include "beamformer.h"
#include <math.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180.0)

static const char *kind_name(const ct_value *value)
{
    static const char *const names[] = {"nothing", "true or false", "an integer", "a number",
                                        "a text",  "a list",        "an object"};
    return names[ct_value_kind(value)];
}

/* Reads up to three numbers; how many, or -1 where something else stands there. */
static int read_numbers(const ct_value *list, double out[3])
{
    size_t count = ct_value_count(list);
    if (ct_value_kind(list) != CT_LIST || count > 3) return -1;
    for (size_t i = 0; i < count; i++) {
        ct_kind kind = ct_value_kind(ct_value_at(list, i));
        if (kind != CT_INT && kind != CT_REAL) return -1;
        out[i] = ct_value_real(ct_value_at(list, i), 0);
    }
    return (int)count;
}

static ct_status check_stations(ct_step *step, int64_t found, ct_error *err)
{
    int64_t stations = ct_array_extent(ct_step_array(step, "X"), 'S');
    if (found == stations) return CT_OK;
    return ct_step_fail(step, "positions", err,
                        "expected one position for each of the %lld stations, found %lld",
                        (long long)stations, (long long)found);
}

static ct_status positions_from_file(ct_step *step, double (*out)[3], ct_error *err)
{
    ct_array file;
    ct_status status = ct_npy_load(step, "positions", &file, err);
    if (status != CT_OK) return status;
    if (file.rank != 2 || file.extent[1] != 3 || ct_type_complex(file.type))
        return ct_step_fail(step, "positions", err,
                            "%s: expected real numbers of shape [stations, 3], found another "
                            "shape or type",
                            ct_step_text(step, "positions"));
    status = check_stations(step, file.extent[0], err);
    for (int64_t s = 0; status == CT_OK && s < file.extent[0]; s++)
        for (int axis = 0; axis < 3; axis++) {
            out[s][axis] = ct_array_load(&file, s * file.stride[0] + axis * file.stride[1]).re;
            if (!isfinite(out[s][axis]))
                return ct_step_fail(step, "positions", err,
                                    "%s: element [%lld, %d] is %g; positions must be finite",
                                    ct_step_text(step, "positions"), (long long)s, axis,
                                    out[s][axis]);
        }
    return status;
}

static ct_status positions_from_list(ct_step *step, const ct_value *list, double (*out)[3],
                                     ct_error *err)
{
    ct_status status = check_stations(step, (int64_t)ct_value_count(list), err);
    for (size_t s = 0; status == CT_OK && s < ct_value_count(list); s++)
        if (read_numbers(ct_value_at(list, s), out[s]) != 3)
            return ct_step_fail(step, "positions", err,
                                "expected [x, y, z] in metres for station %zu", s);
    return status;
}

/* A phase of what is farther away has no digit left. */
static ct_status check_far(ct_step *step, double (*position)[3], int64_t stations, ct_error *err)
{
    const double most_m = 1e9;
    for (int64_t s = 0; s < stations; s++)
        for (int axis = 0; axis < 3; axis++)
            if (!(fabs(position[s][axis]) <= most_m))
                return ct_step_fail(step, "positions", err,
                                    "station %lld is at %g m, expected at most %g", (long long)s,
                                    position[s][axis], most_m);
    return CT_OK;
}

ct_status ct_geometry_positions(ct_step *step, const double (**out)[3], ct_error *err)
{
    const ct_value *value = ct_step_value(step, "positions");
    int64_t stations = ct_array_extent(ct_step_array(step, "X"), 'S');
    double(*position)[3] = ct_step_alloc(step, (size_t)stations * sizeof *position);
    ct_status status;
    if (!position) return CT_FAILED;
    *out = (const double(*)[3])position;
    if (ct_value_kind(value) == CT_TEXT)
        status = positions_from_file(step, position, err);
    else if (ct_value_kind(value) == CT_LIST)
        status = positions_from_list(step, value, position, err);
    else
        return ct_step_fail(step, "positions", err,
                            "expected a .npy file or a list of [x, y, z] in metres, found %s",
                            kind_name(value));
    return status == CT_OK ? check_far(step, position, stations, err) : status;
}

/* Azimuth from north through east, elevation from the horizon; x east, y north, z up. */
static void from_angles(double az_deg, double el_deg, double out[3])
{
    double az = az_deg * DEGREE, el = el_deg * DEGREE;
    out[0] = sin(az) * cos(el);
    out[1] = cos(az) * cos(el);
    out[2] = sin(el);
}

static ct_status check_angles(const ct_step *step, const char *param, size_t beam, double az_deg,
                              double el_deg, ct_error *err)
{
    if (fabs(el_deg) <= 90 && fabs(az_deg) <= 360) return CT_OK;
    return ct_step_fail(step, param, err,
                        "direction %zu has azimuth %g and elevation %g, expected degrees: -360 to "
                        "360 and -90 to 90",
                        beam, az_deg, el_deg);
}

/* [az, el] or {"az": .., "el": ..}; false where it is neither. */
static bool read_angles(const ct_value *value, double angle[2])
{
    double number[3];
    const ct_value *az = ct_value_get(value, "az"), *el = ct_value_get(value, "el");
    if (read_numbers(value, number) == 2) {
        memcpy(angle, number, 2 * sizeof *angle);
        return true;
    }
    if (ct_value_kind(value) != CT_OBJECT || ct_value_count(value) != 2) return false;
    if (ct_value_kind(az) != CT_INT && ct_value_kind(az) != CT_REAL) return false;
    if (ct_value_kind(el) != CT_INT && ct_value_kind(el) != CT_REAL) return false;
    angle[0] = ct_value_real(az, 0);
    angle[1] = ct_value_real(el, 0);
    return true;
}

static ct_status read_direction(ct_step *step, const char *param, size_t beam,
                                const ct_value *value, double out[3], ct_error *err)
{
    double number[3], angle[2];
    if (read_angles(value, angle)) {
        from_angles(angle[0], angle[1], out);
        return check_angles(step, param, beam, angle[0], angle[1], err);
    }
    if (read_numbers(value, number) != 3)
        return ct_step_fail(step, param, err,
                            "expected [azimuth, elevation] in degrees, a unit vector [x, y, z] or "
                            "{\"az\": .., \"el\": ..} for direction %zu, found %s",
                            beam, kind_name(value));
    memcpy(out, number, sizeof number);
    double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    if (fabs(length - 1) <= 1e-3) return CT_OK;
    return ct_step_fail(step, param, err,
                        "expected a vector of length 1 for direction %zu, found length %.6g", beam,
                        length);
}

/* A beam's direction, or a list of them: one after the other. */
static const ct_value *row_of(const ct_value *beam, int64_t row, int64_t rows)
{
    return rows > 1 ? ct_value_at(beam, (size_t)row) : beam;
}

/* 1 where it is a direction. */
static int64_t count_rows(const ct_value *beam)
{
    const ct_kind first = ct_value_kind(ct_value_at(beam, 0));
    const bool several = ct_value_kind(beam) == CT_LIST && (first == CT_LIST || first == CT_OBJECT);
    return several ? (int64_t)ct_value_count(beam) : 1;
}

static ct_status check_rows(ct_step *step, const char *param, const ct_value *list, int64_t rows,
                            ct_error *err)
{
    for (size_t b = 0; b < ct_value_count(list); b++)
        if (count_rows(ct_value_at(list, b)) != rows)
            return ct_step_fail(step, param, err,
                                "expected as many rows of directions for each beam: the first has "
                                "%lld, beam %zu has %lld",
                                (long long)rows, b, (long long)count_rows(ct_value_at(list, b)));
    return CT_OK;
}

/* Angles that all are radians of the sky above are hardly degrees, unless they are whole ones. */
static void warn_radians(ct_step *step, const char *param, const ct_value *list, int64_t rows)
{
    double angle[2];
    bool fractions = false;
    const int64_t count = (int64_t)ct_value_count(list) * rows;
    for (int64_t n = 0; n < count; n++) {
        const ct_value *beam = ct_value_at(list, (size_t)(n / rows));
        if (!read_angles(row_of(beam, n % rows, rows), angle)) return;
        if (fabs(angle[0]) > 360 * DEGREE || fabs(angle[1]) > 90 * DEGREE) return;
        fractions = fractions || angle[0] != floor(angle[0]) || angle[1] != floor(angle[1]);
    }
    if (fractions)
        ct_step_warn(step,
                     "\"%s\" are degrees, and all of them lie within %g of north and %g of the "
                     "horizon: are they in radians?",
                     param, 360 * DEGREE, 90 * DEGREE);
}

ct_status ct_geometry_directions(ct_step *step, const char *param, ct_beams *beams, ct_error *err)
{
    const ct_value *list = ct_step_value(step, param);
    const int64_t count = (int64_t)ct_value_count(list);
    if (ct_value_kind(list) != CT_LIST || count == 0)
        return ct_step_fail(step, param, err, "expected a list of directions, found %s",
                            ct_value_kind(list) == CT_LIST ? "an empty one" : kind_name(list));
    const int64_t rows = count_rows(ct_value_at(list, 0));
    double(*direction)[3] = ct_step_alloc(step, (size_t)(count * rows) * sizeof *direction);
    if (!direction) return CT_FAILED;
    ct_status status = check_rows(step, param, list, rows, err);
    for (int64_t n = 0; status == CT_OK && n < count * rows; n++)
        status = read_direction(step, param, (size_t)(n / rows),
                                row_of(ct_value_at(list, (size_t)(n / rows)), n % rows, rows),
                                direction[n], err);
    if (status == CT_OK) warn_radians(step, param, list, rows);
    beams->direction = (const double(*)[3])direction;
    beams->count = count;
    beams->rows = rows;
    return status;
}
