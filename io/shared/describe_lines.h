/* describe_lines.h: the lines with which `cornerturn info FILE` describes a data file.
 * Room: io/shared. Does not know formats. */
#ifndef CT_IO_DESCRIBE_LINES_H
#define CT_IO_DESCRIBE_LINES_H
#include "cornerturn_stage.h"
#include <stdio.h>

/* What a file holds may be anything: to a terminal go letters only, "\x1b" for other bytes. */
void ct_describe_text(FILE *out, const char *text);
void ct_describe_line(FILE *out, const char *label, const char *format, ...) CT_PRINTF(3, 4);
/* Seconds from 1970 as UTC and MJD. */
void ct_describe_instant(FILE *out, const char *label, double unix_s);
/* What the JSON file beside a data file says; nothing if there is none. */
ct_status ct_describe_sidecar(FILE *out, const char *file, ct_error *err);

#endif
