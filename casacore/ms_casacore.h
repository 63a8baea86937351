/* ms_casacore.h: what the parts of the module share that writes Measurement Sets by casacore.
 * Room: casacore. Knows casacore and io/ms/ms_tables.h. */
#ifndef CT_CASACORE_MS_CASACORE_H
#define CT_CASACORE_MS_CASACORE_H
#include "ms_tables.h"

#include <casacore/ms/MeasurementSets/MeasurementSet.h>
#include <string>

/* Columns with something of their own in each row: tiles in files that only grow. */
const casacore::MS::PredefinedColumns ct_ms_tiled[] = {
    casacore::MS::DATA,     casacore::MS::FLAG,          casacore::MS::WEIGHT_SPECTRUM,
    casacore::MS::UVW,      casacore::MS::WEIGHT,        casacore::MS::SIGMA,
    casacore::MS::TIME,     casacore::MS::TIME_CENTROID, casacore::MS::ANTENNA1,
    casacore::MS::ANTENNA2, casacore::MS::FLAG_ROW};

/* Locks would only keep other programs out, which do not know the folder's name yet. */
casacore::MeasurementSet ct_ms_main(const std::string &folder, const ct_ms_header &header);
/* Tables beside the main one, with what the header says. */
void ct_ms_subtables(casacore::MeasurementSet &ms, const ct_ms_header &header);
/* All that is in memory is in the files. */
void ct_ms_flush(casacore::MeasurementSet &ms);
void ct_ms_subtables_end(casacore::MeasurementSet &ms, const ct_ms_end &end);

#endif
