/* calendar.c: see calendar.h.
 * Room: io/shared. */
#include "calendar.h"
#include <math.h>
#include <stdio.h>

int64_t ct_calendar_day(int64_t year, int64_t month, int64_t day)
{
    const int64_t y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 678882;
}

/* So many digits, and the character after them. */
static bool calendar_digits(const char **at, int digits, char after, int64_t *out)
{
    *out = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        if (**at < '0' || **at > '9') return false;
        *out = *out * 10 + (**at - '0');
    }
    return *(*at)++ == after;
}

static bool calendar_has(int64_t year, int64_t month, int64_t day)
{
    if (year < 1859 || month < 1 || month > 12 || day < 1) return false;
    const int64_t next =
        month < 12 ? ct_calendar_day(year, month + 1, 1) : ct_calendar_day(year + 1, 1, 1);
    return ct_calendar_day(year, month, day) < next;
}

bool ct_calendar_read(const char *text, char between, int64_t *minutes, double *second)
{
    int64_t year, month, day, hour, minute;
    char *end;
    if (!calendar_digits(&text, 4, '-', &year) || !calendar_digits(&text, 2, '-', &month) ||
        !calendar_digits(&text, 2, between, &day) || !calendar_digits(&text, 2, ':', &hour) ||
        !calendar_digits(&text, 2, ':', &minute) || *text < '0' || *text > '9')
        return false;
    if (!calendar_has(year, month, day) || hour > 23 || minute > 59) return false;
    *second = ct_number_read(text, &end);
    *minutes = (ct_calendar_day(year, month, day) * 24 + hour) * 60 + minute;
    return *second >= 0 && *second < 61 && *end == 0;
}

void ct_calendar_print_mjd(char out[CT_CALENDAR_MJD], double day, double part)
{
    char fraction[24];
    day += floor(part);
    part -= floor(part);
    ct_number_print(fraction, sizeof fraction, "%.15f", part);
    if (fraction[0] == '1') day += 1; /* rounded up to a whole day */
    ct_number_print(out, CT_CALENDAR_MJD, "%.0f.%s", day, fraction + 2);
}

void ct_calendar_date(int64_t day, int64_t *year, int64_t *month, int64_t *mday)
{
    *year = 1858 + day / 366;
    *month = 1;
    while (ct_calendar_day(*year + 1, 1, 1) <= day)
        (*year)++;
    while (*month < 12 && ct_calendar_day(*year, *month + 1, 1) <= day)
        (*month)++;
    *mday = day - ct_calendar_day(*year, *month, 1) + 1;
}

void ct_calendar_print(char out[CT_CALENDAR_INSTANT], double day, double seconds)
{
    double whole = floor(seconds), nano = floor((seconds - whole) * 1e9 + 0.5);
    if (nano >= 1e9) nano -= 1e9, whole += 1;
    const double days = floor(whole / 86400);
    const int64_t rest = (int64_t)(whole - days * 86400);
    int64_t year, month, mday;
    ct_calendar_date((int64_t)(day + days), &year, &month, &mday);
    snprintf(out, CT_CALENDAR_INSTANT, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lld.%09lldZ",
             (long long)year, (long long)month, (long long)mday, (long long)(rest / 3600),
             (long long)(rest / 60 % 60), (long long)(rest % 60), (long long)nano);
}
