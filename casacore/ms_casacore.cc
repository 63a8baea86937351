/* ms_casacore.cc: see io/ms/ms_tables.h: rows of a Measurement Set, by casacore. A module of its
 * own, so that the library needs no casacore where no pipeline has such a sink. Room: casacore.
 * Knows casacore. Does not know pipelines. */
#include "ms_casacore.h"

#include <casacore/casa/Arrays/Array.h>
#include <casacore/casa/Arrays/Slicer.h>
#include <casacore/tables/DataMan/TiledStManAccessor.h>
#include <casacore/tables/Tables/ArrayColumn.h>
#include <casacore/tables/Tables/ScalarColumn.h>
#include <complex>
#include <cstring>
#include <mutex>

using namespace casacore;

namespace
{

/* Columns that have one value in all rows; new rows have that of the row before. */
const struct {
    MS::PredefinedColumns column;
    int value;
} constants[] = {{MS::FEED1, 0},          {MS::FEED2, 0},    {MS::DATA_DESC_ID, 0},
                 {MS::PROCESSOR_ID, 0},   {MS::FIELD_ID, 0}, {MS::SCAN_NUMBER, 1},
                 {MS::OBSERVATION_ID, 0}, {MS::ARRAY_ID, 0}, {MS::STATE_ID, 0}};

template <typename T> class Grid
{
  public:
    Grid(const Table &table, MS::PredefinedColumns which) : column(table, MS::columnName(which))
    {
    }
    /* The last dimension is rows, as many as there are from `first` on. */
    void put(int64_t first, const IPosition &shape, const void *data)
    {
        const Array<T> values(shape, const_cast<T *>(static_cast<const T *>(data)), SHARE);
        const IPosition at(1, first), count(1, shape[shape.nelements() - 1]);
        column.putColumnRange(Slicer(at, count), values);
    }

  private:
    ArrayColumn<T> column;
};

template <typename T> class Row
{
  public:
    Row(const Table &table, MS::PredefinedColumns which) : column(table, MS::columnName(which))
    {
    }
    void put(int64_t first, const Vector<T> &values)
    {
        column.putColumnRange(Slicer(IPosition(1, first), IPosition(1, values.nelements())),
                              values);
    }
    void set(T value)
    {
        column.put(0, value);
    }

  private:
    ScalarColumn<T> column;
};

template <typename T> Vector<T> shared(const void *data, int64_t count)
{
    return Vector<T>(IPosition(1, count), const_cast<T *>(static_cast<const T *>(data)), SHARE);
}

static_assert(sizeof(Complex) == 2 * sizeof(float) && sizeof(Bool) == 1 && sizeof(Int) == 4,
              "arrays are taken as they are");

} // namespace

struct ct_ms {
    explicit ct_ms(const MeasurementSet &with)
        : set(with), time(set, MS::TIME), centroid(set, MS::TIME_CENTROID),
          ant_1(set, MS::ANTENNA1), ant_2(set, MS::ANTENNA2), row_flag(set, MS::FLAG_ROW),
          uvw(set, MS::UVW), weight(set, MS::WEIGHT), sigma(set, MS::SIGMA),
          spectrum(set, MS::WEIGHT_SPECTRUM), data(set, MS::DATA), flag(set, MS::FLAG)
    {
    }
    MeasurementSet set;
    Row<Double> time, centroid;
    Row<Int> ant_1, ant_2;
    Row<Bool> row_flag;
    Grid<Double> uvw;
    Grid<Float> weight, sigma, spectrum;
    Grid<Complex> data;
    Grid<Bool> flag;
    IPosition cell; /* products, channels */
    bool failed = false;
};

namespace
{

/* casacore may be called by one thread at a time, and its exceptions end here. */
template <typename Does> int guarded(char why[CT_MS_WHY], ct_ms *ms, Does does)
{
    static std::mutex one;
    const std::lock_guard<std::mutex> lock(one);
    try {
        does();
        return 0;
    } catch (const std::exception &failure) {
        std::strncpy(why, failure.what(), CT_MS_WHY - 1);
    } catch (...) {
        std::strncpy(why, "an unknown exception", CT_MS_WHY - 1);
    }
    why[CT_MS_WHY - 1] = 0;
    if (ms) ms->failed = true;
    return 1;
}

IPosition with_rows(const IPosition &cell, int64_t rows)
{
    return cell.concatenate(IPosition(1, rows));
}

/* The first row, from which the others take what never changes. */
void add_first(ct_ms *ms, double interval_s)
{
    ms->set.addRow(1);
    for (const auto &one : constants)
        Row<Int>(ms->set, one.column).set(one.value);
    Row<Double>(ms->set, MS::INTERVAL).set(interval_s);
    Row<Double>(ms->set, MS::EXPOSURE).set(interval_s);
}

void put_rows(ct_ms *ms, const ct_ms_rows &rows)
{
    const int64_t first = static_cast<int64_t>(ms->set.nrow()), count = rows.count;
    const IPosition cells = with_rows(ms->cell, count), products(1, ms->cell[0]);
    if (first == 0) add_first(ms, rows.interval_s);
    ms->set.addRow(first == 0 ? count - 1 : count);
    const Vector<Double> times(IPosition(1, count), rows.time_s);
    ms->time.put(first, times);
    ms->centroid.put(first, times);
    ms->ant_1.put(first, shared<Int>(rows.ant_1, count));
    ms->ant_2.put(first, shared<Int>(rows.ant_2, count));
    ms->row_flag.put(first, shared<Bool>(rows.row_flag, count));
    ms->uvw.put(first, IPosition(2, 3, count), rows.uvw);
    ms->weight.put(first, with_rows(products, count), rows.row_weight);
    ms->sigma.put(first, with_rows(products, count), rows.row_sigma);
    ms->spectrum.put(first, cells, rows.weight);
    ms->data.put(first, cells, rows.visibility);
    ms->flag.put(first, cells, rows.flag);
}

void drain(ct_ms &ms)
{
    if (ms.set.nrow() == 0) return;
    for (const auto column : ct_ms_tiled)
        ROTiledStManAccessor(ms.set, MS::columnName(column), True).clearCaches();
}

ct_ms *made(const MeasurementSet &set, const ct_ms_header &header)
{
    ct_ms *ms = new ct_ms(set);
    ms->cell = IPosition(2, header.products, header.channels);
    return ms;
}

int ms_create(ct_ms **out, const char *folder, const ct_ms_header *header, char why[CT_MS_WHY])
{
    *out = nullptr;
    return guarded(why, nullptr, [&] {
        MeasurementSet set = ct_ms_main(folder, *header);
        ct_ms_subtables(set, *header);
        *out = made(set, *header);
    });
}

int ms_reopen(ct_ms **out, const char *folder, const ct_ms_header *header, char why[CT_MS_WHY])
{
    *out = nullptr;
    return guarded(why, nullptr, [&] {
        *out =
            made(MeasurementSet(folder, TableLock(TableLock::NoLocking), Table::Update), *header);
    });
}

int ms_put(ct_ms *ms, const ct_ms_rows *rows, char why[CT_MS_WHY])
{
    return guarded(why, ms, [&] { put_rows(ms, *rows); });
}

/* The columns' tiles. */
int ms_drain(ct_ms *ms, char why[CT_MS_WHY])
{
    return guarded(why, ms, [&] { drain(*ms); });
}

int ms_flush(ct_ms *ms, char why[CT_MS_WHY])
{
    return guarded(why, ms, [&] { ct_ms_flush(ms->set); });
}

int ms_end(ct_ms *ms, const ct_ms_end *end, char why[CT_MS_WHY])
{
    return guarded(why, ms, [&] {
        ct_ms_subtables_end(ms->set, *end);
        ct_ms_flush(ms->set);
    });
}

/* A table that cannot be flushed when it is destroyed ends the program: it is left alone instead.
 */
void ms_release(ct_ms *ms)
{
    char why[CT_MS_WHY];
    if (ms && !ms->failed && ms_drain(ms, why) == 0)
        (void)guarded(why, nullptr, [&] { delete ms; });
}

} // namespace

extern "C" __attribute__((visibility("default"))) const ct_ms_tables ct_ms_tables_casacore = {
    CT_MS_VERSION, ms_create, ms_reopen, ms_put, ms_drain, ms_flush, ms_end, ms_release};
