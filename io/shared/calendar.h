/* calendar.h: instants as text: yyyy-mm-ddThh:mm:ss, and what stands between day and hour
 * elsewhere.
 * Room: io/shared. Knows the Gregorian calendar. Does not know formats. */
#ifndef CT_IO_CALENDAR_H
#define CT_IO_CALENDAR_H
#include "cornerturn_stage.h"

/* Days from 1858-11-17 (MJD 0) to a day of the Gregorian calendar. */
int64_t ct_calendar_day(int64_t year, int64_t month, int64_t day);
/* Reads "1859-01-01T00:00:00" or later, with parts of a second perhaps; `between` stands for the T.
 * Minutes from MJD 0, and what is left, below 61 s. False: it is no such text, or no such day. */
bool ct_calendar_read(const char *text, char between, int64_t *minutes, double *second);
/* What a day (MJD) is in the Gregorian calendar, from 1858-11-17 on. */
void ct_calendar_date(int64_t day, int64_t *year, int64_t *month, int64_t *mday);
/* "1859-01-01T00:00:00.000000000Z": an instant so many seconds after a day (MJD) begins. */
enum { CT_CALENDAR_INSTANT = 48 };
void ct_calendar_print(char out[CT_CALENDAR_INSTANT], double day, double seconds);
/* A day and a part of it as one MJD, to more digits than a double has. */
enum { CT_CALENDAR_MJD = 40 };
void ct_calendar_print_mjd(char out[CT_CALENDAR_MJD], double day, double part);

#endif
