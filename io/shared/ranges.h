/* ranges.h: what the numbers that describe an array can be, in nature and in arithmetic: their
 * squares and inverses are finite. Units and plausible values are another matter.
 * Room: io/shared. Knows ct_meta's numbers by name. Does not know formats. */
#ifndef CT_IO_RANGES_H
#define CT_IO_RANGES_H
#include "cornerturn_stage.h"

enum { CT_RANGES_EXPECTED = 96 };

/* Whether a number of this name ("frequency_hz", "dm") can be so; *expected is for the sentence if
 * it cannot: "0 or 0.001 to 1e+18 Hz". */
bool ct_ranges_hold(const char *key, double value, char expected[CT_RANGES_EXPECTED]);

#endif
