/* ms_subtables.cc: see ms_casacore.h: how the main table is stored, and all that a Measurement Set
 * says once. [Kemball and Wieringa, MeasurementSet definition version 2.0, casacore note 229]
 * Room: casacore. Knows the names in the tables. Does not know rows. */
#include "ms_casacore.h"

#include <casacore/casa/Arrays/Matrix.h>
#include <casacore/casa/Arrays/Vector.h>
#include <casacore/ms/MeasurementSets/MSColumns.h>
#include <casacore/tables/DataMan/IncrementalStMan.h>
#include <casacore/tables/DataMan/TiledColumnStMan.h>
#include <casacore/tables/DataMan/TiledShapeStMan.h>
#include <casacore/tables/Tables/SetupNewTab.h>
#include <casacore/tables/Tables/TableDesc.h>
#include <casacore/tables/Tables/TableRecord.h>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

using namespace casacore;

namespace
{

const TableLock unlocked(TableLock::NoLocking);

/* ---- the main table: rows are added at the end of files that only grow */

void fix_shape(TableDesc &desc, MS::PredefinedColumns column, const IPosition &shape)
{
    const String name = MS::columnName(column);
    if (!desc.isColumn(name)) MS::addColumnToDesc(desc, column, int(shape.nelements()));
    desc.rwColumnDesc(name).setOptions(0);
    desc.rwColumnDesc(name).setShape(shape);
    desc.rwColumnDesc(name).setOptions(ColumnDesc::FixedShape);
}

void describe_tiles(TableDesc &desc, const String &name)
{
    const ColumnDesc &one = desc.columnDesc(name);
    desc.defineHypercolumn("Tiled" + name, one.isScalar() ? 1 : uInt(one.ndim()) + 1,
                           Vector<String>(1, name));
}

/* Of a column whose cells have this shape; a cell of several channels has the tile that the header
 * says. */
IPosition tile_of(const IPosition &cell, const ct_ms_header &header)
{
    const int64_t rows = 8192; /* where a row has little */
    if (cell.nelements() < 2) return cell.concatenate(IPosition(1, rows));
    return IPosition(3, header.products, header.channels_tile, header.rows_tile);
}

} // namespace

MeasurementSet ct_ms_main(const std::string &folder, const ct_ms_header &header)
{
    const IPosition visibilities(2, header.products, header.channels);
    TableDesc desc = MS::requiredTableDesc();
    for (const auto column : {MS::DATA, MS::FLAG, MS::WEIGHT_SPECTRUM})
        fix_shape(desc, column, visibilities);
    for (const auto column : {MS::WEIGHT, MS::SIGMA})
        fix_shape(desc, column, IPosition(1, header.products));
    for (const auto column : ct_ms_tiled)
        describe_tiles(desc, MS::columnName(column));
    describe_tiles(desc, MS::columnName(MS::FLAG_CATEGORY));
    SetupNewTable setup(folder, desc, Table::New);
    setup.bindAll(IncrementalStMan("Constants"));
    for (const auto column : ct_ms_tiled) {
        const String name = MS::columnName(column);
        const ColumnDesc &one = desc.columnDesc(name);
        const IPosition cell = one.isScalar() ? IPosition() : one.shape();
        setup.bindColumn(name, TiledColumnStMan("Tiled" + name, tile_of(cell, header)));
    }
    setup.bindColumn("FLAG_CATEGORY",
                     TiledShapeStMan("TiledFLAG_CATEGORY", IPosition(4, 1, 1, 1, 64)));
    return MeasurementSet(setup, unlocked, 0);
}

namespace
{

/* ---- the others */

/* Arrays of two dimensions whose shape is known: elsewhere casacore leaves bytes between shape and
 * values as memory had them, and no run would write the same bytes as another. */
typedef std::vector<std::pair<const char *, IPosition>> Shapes;

template <typename T>
void add_table(MeasurementSet &ms, MS::PredefinedKeywords keyword, const Shapes &shapes = Shapes())
{
    const String name = MS::keywordName(keyword);
    TableDesc desc = T::requiredTableDesc();
    for (const auto &one : shapes) {
        desc.rwColumnDesc(one.first).setShape(one.second);
        desc.rwColumnDesc(one.first).setOptions(ColumnDesc::Direct | ColumnDesc::FixedShape);
    }
    SetupNewTable setup(ms.tableName() + "/" + name, desc, Table::New);
    ms.rwKeywordSet().defineTable(name, Table(setup, unlocked));
}

void add_tables(MeasurementSet &ms, const ct_ms_header &header)
{
    const ssize_t receptors = ssize_t(std::strlen(header.receptors));
    const IPosition direction(2, 2, 1), each(2, receptors, receptors);
    add_table<MSAntenna>(ms, MS::ANTENNA);
    add_table<MSDataDescription>(ms, MS::DATA_DESCRIPTION);
    add_table<MSFeed>(ms, MS::FEED,
                      {{"BEAM_OFFSET", IPosition(2, 2, receptors)}, {"POL_RESPONSE", each}});
    add_table<MSField>(
        ms, MS::FIELD,
        {{"DELAY_DIR", direction}, {"PHASE_DIR", direction}, {"REFERENCE_DIR", direction}});
    add_table<MSFlagCmd>(ms, MS::FLAG_CMD);
    add_table<MSHistory>(ms, MS::HISTORY);
    add_table<MSObservation>(ms, MS::OBSERVATION);
    add_table<MSPointing>(ms, MS::POINTING);
    add_table<MSPolarization>(ms, MS::POLARIZATION,
                              {{"CORR_PRODUCT", IPosition(2, 2, header.products)}});
    add_table<MSProcessor>(ms, MS::PROCESSOR);
    add_table<MSSpectralWindow>(ms, MS::SPECTRAL_WINDOW);
    add_table<MSState>(ms, MS::STATE);
    ms.initRefs();
}

void fill_antennas(MSColumns &columns, const ct_ms_header &header)
{
    auto &to = columns.antenna();
    for (int64_t s = 0; s < header.stations; s++) {
        Vector<Double> place(3);
        for (int k = 0; k < 3; k++)
            place[k] = header.position[s][k];
        to.name().put(s, header.names[s]);
        to.station().put(s, header.names[s]);
        to.type().put(s, "GROUND-BASED");
        to.mount().put(s, "X-Y");
        to.position().put(s, place);
        to.offset().put(s, Vector<Double>(3, 0.0));
        to.dishDiameter().put(s, 0.0);
        to.flagRow().put(s, False);
    }
}

void fill_feeds(MSColumns &columns, const ct_ms_header &header)
{
    const int count = int(std::strlen(header.receptors));
    Matrix<Complex> response(count, count, Complex(0, 0));
    Vector<String> kinds(count);
    response.diagonal() = Complex(1, 0);
    for (int r = 0; r < count; r++)
        kinds[r] = String(header.receptors[r]);
    auto &to = columns.feed();
    for (int64_t s = 0; s < header.stations; s++) {
        to.antennaId().put(s, Int(s));
        to.feedId().put(s, 0);
        to.spectralWindowId().put(s, -1);
        to.time().put(s, header.start_s);
        to.interval().put(s, 0.0);
        to.numReceptors().put(s, count);
        to.beamId().put(s, -1);
        to.beamOffset().put(s, Matrix<Double>(2, count, 0.0));
        to.polarizationType().put(s, kinds);
        to.polResponse().put(s, response);
        to.position().put(s, Vector<Double>(3, 0.0));
        to.receptorAngle().put(s, Vector<Double>(count, 0.0));
    }
}

void fill_field(MSColumns &columns, const ct_ms_header &header)
{
    Matrix<Double> centre(2, 1);
    centre(0, 0) = header.centre[0];
    centre(1, 0) = header.centre[1];
    auto &to = columns.field();
    to.name().put(0, header.source);
    to.code().put(0, "");
    to.time().put(0, header.start_s);
    to.numPoly().put(0, 0);
    to.delayDir().put(0, centre);
    to.phaseDir().put(0, centre);
    to.referenceDir().put(0, centre);
    to.sourceId().put(0, -1);
    to.flagRow().put(0, False);
}

void fill_band(MSColumns &columns, const ct_ms_header &header)
{
    const uInt count = uInt(header.channels);
    const double width = std::abs(header.channel_width_hz);
    Vector<Double> centres(count);
    for (uInt c = 0; c < count; c++)
        centres[c] = header.frequency_hz[c];
    auto &to = columns.spectralWindow();
    to.numChan().put(0, Int(count));
    to.name().put(0, "");
    to.refFrequency().put(0, centres[count / 2]);
    to.chanFreq().put(0, centres);
    to.chanWidth().put(0, Vector<Double>(count, header.channel_width_hz));
    to.effectiveBW().put(0, Vector<Double>(count, width));
    to.resolution().put(0, Vector<Double>(count, width));
    to.totalBandwidth().put(0, width * count);
    to.measFreqRef().put(0, MFrequency::TOPO);
    to.netSideband().put(0, 1);
    to.ifConvChain().put(0, 0);
    to.freqGroup().put(0, 0);
    to.freqGroupName().put(0, "");
    to.flagRow().put(0, False);
}

void fill_products(MSColumns &columns, const ct_ms_header &header)
{
    const int count = int(header.products);
    Vector<Int> kinds(count);
    Matrix<Int> of(2, count);
    for (int q = 0; q < count; q++) {
        kinds[q] = header.kind[q];
        of(0, q) = header.receptor[q][0];
        of(1, q) = header.receptor[q][1];
    }
    auto &to = columns.polarization();
    to.numCorr().put(0, count);
    to.corrType().put(0, kinds);
    to.corrProduct().put(0, of);
    to.flagRow().put(0, False);
    columns.dataDescription().spectralWindowId().put(0, 0);
    columns.dataDescription().polarizationId().put(0, 0);
    columns.dataDescription().flagRow().put(0, False);
}

void fill_observation(MSColumns &columns, const ct_ms_header &header)
{
    auto &to = columns.observation();
    to.telescopeName().put(0, header.telescope);
    to.timeRange().put(0, Vector<Double>(2, header.start_s));
    to.observer().put(0, "unknown");
    to.log().put(0, Vector<String>(1, ""));
    to.scheduleType().put(0, "");
    to.schedule().put(0, Vector<String>(1, ""));
    to.project().put(0, "");
    to.releaseDate().put(0, 0.0);
    to.flagRow().put(0, False);
    auto &state = columns.state();
    state.sig().put(0, True);
    state.ref().put(0, False);
    state.cal().put(0, 0.0);
    state.load().put(0, 0.0);
    state.subScan().put(0, 0);
    state.obsMode().put(0, "OBSERVE_TARGET#ON_SOURCE");
    state.flagRow().put(0, False);
    auto &processor = columns.processor();
    processor.type().put(0, "CORRELATOR");
    processor.subType().put(0, "Cornerturn");
    processor.typeId().put(0, -1);
    processor.modeId().put(0, -1);
    processor.flagRow().put(0, False);
}

void put_history(MSColumns &columns, double time_s, const char *message)
{
    auto &to = columns.history();
    to.time().put(0, time_s);
    to.observationId().put(0, 0);
    to.message().put(0, message);
    to.priority().put(0, "NORMAL");
    to.origin().put(0, "sink.ms");
    to.objectId().put(0, -1);
    to.application().put(0, "Cornerturn");
    to.cliCommand().put(0, Vector<String>(1, ""));
    to.appParams().put(0, Vector<String>(1, ""));
}

} // namespace

/* Without locks casacore writes how many rows a table has only together with its keywords. */
void ct_ms_flush(MeasurementSet &ms)
{
    (void)ms.rwKeywordSet();
    const TableRecord &keywords = ms.keywordSet();
    for (uInt n = 0; n < keywords.nfields(); n++)
        if (keywords.type(Int(n)) == TpTable) {
            Table table = keywords.asTable(Int(n));
            (void)table.rwKeywordSet();
        }
    ms.flush(False);
}

void ct_ms_subtables(MeasurementSet &ms, const ct_ms_header &header)
{
    add_tables(ms, header);
    MSColumns columns(ms);
    columns.setDirectionRef(MDirection::ICRS);
    columns.setUVWRef(Muvw::ICRS);
    ms.antenna().addRow(uInt(header.stations));
    ms.feed().addRow(uInt(header.stations));
    ms.dataDescription().addRow();
    ms.field().addRow();
    ms.history().addRow();
    ms.observation().addRow();
    ms.polarization().addRow();
    ms.processor().addRow();
    ms.spectralWindow().addRow();
    ms.state().addRow();
    fill_antennas(columns, header);
    fill_feeds(columns, header);
    fill_field(columns, header);
    fill_band(columns, header);
    fill_products(columns, header);
    fill_observation(columns, header);
    put_history(columns, header.start_s, "");
    ct_ms_flush(ms);
}

void ct_ms_subtables_end(MeasurementSet &ms, const ct_ms_end &end)
{
    MSColumns columns(ms);
    Vector<Double> range(2);
    range[0] = end.start_s;
    range[1] = end.end_s;
    columns.observation().timeRange().put(0, range);
    put_history(columns, end.end_s, end.history);
}
