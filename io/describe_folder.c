/* describe_folder.c: a Measurement Set, which is a folder: its tables' numbers of rows, as the
 * first bytes of their table.dat say them. Room: io. Knows a table's head. Does not know casacore.
 * [casacore, AipsIO: numbers are big-endian] */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "describe_lines.h"
#include "describe_own.h"
#include "numbers.h"

enum { TABLE_HEAD = 25 }; /* a mark, a length, "Table" with its length, a version, rows */

static uint32_t big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* -1: it is no table. */
static int64_t rows_of(const char *folder, const char *table)
{
    char name[4096];
    uint8_t head[TABLE_HEAD];
    ct_input in;
    int64_t rows = -1;
    const int length =
        snprintf(name, sizeof name, "%s/%s%stable.dat", folder, table, *table ? "/" : "");
    if (length < 0 || (size_t)length >= sizeof name || ct_input_open(&in, name, NULL) != CT_OK)
        return -1;
    if (ct_input_read(&in, 0, head, sizeof head, NULL) == CT_OK &&
        memcmp(head, "\xbe\xbe\xbe\xbe", 4) == 0 && memcmp(head + 8, "\0\0\0\5Table", 9) == 0)
        rows = big(head + 21);
    ct_input_close(&in);
    return rows;
}

bool ct_describe_folder(FILE *out, const char *folder)
{
    static const char *const tables[][2] = {{"", "rows"},
                                            {"ANTENNA", "stations"},
                                            {"SPECTRAL_WINDOW", "spectral windows"},
                                            {"POLARIZATION", "polarizations"},
                                            {"FIELD", "fields"}};
    struct stat about;
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode)) return false;
    if (rows_of(folder, "") < 0 || rows_of(folder, "ANTENNA") < 0) return false;
    ct_describe_line(out, "folder", "%s", folder);
    ct_describe_line(out, "format", "Measurement Set (tables of casacore)");
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const int64_t rows = rows_of(folder, tables[i][0]);
        if (rows >= 0) ct_describe_line(out, tables[i][1], "%" PRId64, rows);
    }
    return true;
}
