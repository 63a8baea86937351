/* report_lines.h: a journal's lines, one by one.
 * Room: tuner/report. Knows the form of lines. The report has room for what they say. */
#ifndef CT_TUNER_REPORT_LINES_H
#define CT_TUNER_REPORT_LINES_H
#include "report.h"

/* `place`: the line's number. CT_DATA says what was expected. */
ct_status ct_report_lines_row(ct_report *report, const ct_value *line, size_t place, ct_error *err);
ct_status ct_report_lines_whole(ct_report *report, const ct_value *line, size_t place,
                                ct_error *err);
/* What a line that is none of these gives. */
ct_status ct_report_lines_other(const ct_report *report, size_t place, ct_error *err);

#endif
