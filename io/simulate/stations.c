/* stations.c: where the simulated stations stand.
 * Room: io/simulate. Knows rings, lists, LOFAR parameter sets of ITRF phase centres. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simulate.h"

#define MOST_STATIONS 4096
#define MOST_M 1e9 /* from the origin */

static ct_status check_count(const ct_step *step, int64_t count, ct_error *err)
{
    if (count >= 1 && count <= MOST_STATIONS) return CT_OK;
    return ct_step_fail(step, "stations", err, "%lld stations, expected 1 to %d", (long long)count,
                        MOST_STATIONS);
}

/* Station 0 lies north of the centre, the others follow through east. */
static ct_status make_ring(ct_step *step, simulation *sim, int64_t count, ct_error *err)
{
    double radius = ct_step_real(step, "radius_m");
    ct_status status = check_count(step, count, err);
    if (status != CT_OK) return status;
    sim->stations = count;
    sim->position = ct_step_alloc(step, (size_t)count * sizeof *sim->position);
    if (!sim->position) return CT_FAILED;
    for (int64_t s = 0; s < count; s++) {
        double angle = 6.283185307179586 * (double)s / (double)count;
        sim->position[s][0] = radius * sin(angle);
        sim->position[s][1] = radius * cos(angle);
    }
    return CT_OK;
}

static ct_status read_position(const ct_step *step, const ct_value *item, double out[3],
                               ct_error *err)
{
    bool fine = ct_value_kind(item) == CT_LIST && ct_value_count(item) == 3;
    for (size_t k = 0; fine && k < 3; k++) {
        ct_kind kind = ct_value_kind(ct_value_at(item, k));
        fine = kind == CT_INT || kind == CT_REAL;
        out[k] = ct_value_real(ct_value_at(item, k), 0);
        if (fine && !(fabs(out[k]) <= MOST_M))
            return ct_step_fail(step, "stations", err,
                                "found a station at %g m, expected at most %g", out[k], MOST_M);
    }
    if (fine) return CT_OK;
    return ct_step_fail(step, "stations", err, "a position must be [east, north, up] in metres");
}

static ct_status read_list(ct_step *step, simulation *sim, const ct_value *list, ct_error *err)
{
    ct_status status = check_count(step, (int64_t)ct_value_count(list), err);
    if (status != CT_OK) return status;
    sim->stations = (int64_t)ct_value_count(list);
    sim->position = ct_step_alloc(step, (size_t)sim->stations * sizeof *sim->position);
    if (!sim->position) return CT_FAILED;
    for (int64_t s = 0; s < sim->stations && status == CT_OK; s++)
        status = read_position(step, ct_value_at(list, (size_t)s), sim->position[s], err);
    return status;
}

/* ---- parameter sets: PIC.Core.CS001HBA.phaseCenter = [x, y, z] */

/* Only the wanted antenna field, and not the halves HBA0 and HBA1. */
static bool wanted(const char *name, const char *prefix, const char *antenna)
{
    size_t length = strlen(name), tail = strlen(antenna);
    return length > tail && strcmp(name + length - tail, antenna) == 0 &&
           strncmp(name, prefix, strlen(prefix)) == 0;
}

/* False where the line is another one. */
static bool read_line(const char *line, char name[128], double out[3])
{
    static const char begin[] = "PIC.Core.";
    int length = 0;
    if (strncmp(line, begin, sizeof begin - 1) != 0) return false;
    line += sizeof begin - 1;
    if (sscanf(line, "%127[^.].phaseCenter = [%n", name, &length) != 1 || length == 0) return false;
    line += length;
    for (int k = 0; k < 3; k++) {
        char *end;
        out[k] = ct_number_read(line, &end);
        if (end == line || (*end != ',' && *end != ']')) return false;
        line = end + 1;
    }
    return true;
}

static int64_t read_lines(FILE *file, double (*out)[3], const char *prefix, const char *antenna)
{
    char line[512], name[128];
    int64_t count = 0;
    while (fgets(line, sizeof line, file)) {
        double r[3];
        if (!read_line(line, name, r)) continue;
        if (count < MOST_STATIONS && wanted(name, prefix, antenna))
            memcpy(out[count++], r, sizeof r);
    }
    return count;
}

/* ITRF metres -> east, north, up about the stations' mean, whose vertical is the normal of the
 * ellipsoid (WGS 84). */
static void make_local(double (*r)[3], int64_t count)
{
    static const double squared[3] = {6378137.0 * 6378137.0, 6378137.0 * 6378137.0,
                                      6356752.3142 * 6356752.3142};
    double mean[3] = {0}, up[3], length = 0;
    for (int64_t s = 0; s < count; s++)
        for (int k = 0; k < 3; k++)
            mean[k] += r[s][k] / (double)count;
    for (int k = 0; k < 3; k++) {
        up[k] = mean[k] / squared[k];
        length += up[k] * up[k];
    }
    for (int k = 0; k < 3; k++)
        up[k] /= sqrt(length);
    double flat = hypot(up[0], up[1]);
    double east[3] = {-up[1] / flat, up[0] / flat, 0};
    double north[3] = {-up[2] * east[1], up[2] * east[0], up[0] * east[1] - up[1] * east[0]};
    for (int64_t s = 0; s < count; s++) {
        double d[3], local[3] = {0};
        for (int k = 0; k < 3; k++)
            d[k] = r[s][k] - mean[k];
        for (int k = 0; k < 3; k++) {
            local[0] += d[k] * east[k];
            local[1] += d[k] * north[k];
            local[2] += d[k] * up[k];
        }
        memcpy(r[s], local, sizeof local);
    }
}

/* A regular file; does not wait for a pipe's writer. */
static FILE *open_parset(const char *path)
{
    struct stat about;
    const int handle = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool regular = handle >= 0 && fstat(handle, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = regular ? fdopen(handle, "r") : NULL;
    if (!file && handle >= 0) (void)close(handle);
    return file;
}

static ct_status read_parset(ct_step *step, simulation *sim, const char *given, ct_error *err)
{
    const char *path = ct_step_resolve(step, given), *prefix = ct_step_text(step, "select");
    bool low = ct_step_real(step, "frequency_hz") > 0 ? sim->centre_hz < 100e6
                                                      : ct_step_int(step, "zone") == 0;
    const char *antenna = low ? "LBA" : "HBA";
    ct_step_reads(step, "stations", path);
    sim->position = ct_step_alloc(step, MOST_STATIONS * sizeof *sim->position);
    if (!sim->position) return CT_FAILED;
    FILE *file = open_parset(path);
    if (file == NULL)
        return ct_step_fail(step, "stations", err,
                            "cannot read \"%s\": expected a number of "
                            "stations, a list of positions, or a LOFAR parameter set",
                            path);
    if (prefix == NULL) prefix = "";
    sim->stations = read_lines(file, sim->position, prefix, antenna);
    fclose(file);
    if (sim->stations == 0)
        return ct_step_fail(step, "stations", err,
                            "%s has no line \"PIC.Core.%s...%s.phaseCenter = [x, y, z]\"", path,
                            prefix, antenna);
    make_local(sim->position, sim->stations);
    return CT_OK;
}

/* Those of the pipeline's observation. */
static ct_status read_observed(ct_step *step, simulation *sim, ct_error *err)
{
    const ct_observation *said = ct_step_observation(step);
    ct_status status = CT_OK;
    sim->stations = said->stations;
    sim->position = ct_step_alloc(step, (size_t)sim->stations * sizeof *sim->position);
    if (!sim->position) return CT_FAILED;
    for (int64_t s = 0; s < sim->stations && status == CT_OK; s++)
        status = ct_step_local(step, said->station[s], sim->position[s], err);
    return status;
}

ct_status ct_stations_read(ct_step *step, simulation *sim, ct_error *err)
{
    const ct_value *given = ct_step_value(step, "stations");
    switch (ct_value_kind(given)) {
    case CT_NULL:
        return ct_step_observation(step)->stations > 0 ? read_observed(step, sim, err)
                                                       : make_ring(step, sim, 1, err);
    case CT_INT:
        return make_ring(step, sim, ct_value_int(given, 0), err);
    case CT_LIST:
        return read_list(step, sim, given, err);
    case CT_TEXT:
        return read_parset(step, sim, ct_value_text(given, ""), err);
    default:
        return ct_step_fail(step, "stations", err,
                            "expected a number of stations, a list of [east, north, up], or a "
                            "parameter set's name");
    }
}
