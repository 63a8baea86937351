/* report_files.c: the public call: a journal is read once, and each form that is asked for written,
 * whole or not at all. Room: tuner/report. Knows names of files. Does not know what stands in them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fail.h"
#include "file.h"
#include "report.h"
#include "struct_version.h"

enum { FILES_NAME = 4096 };

static ct_status files_write(const char *file, ct_text *text, const ct_report *report,
                             ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_text_check(text, err));
    CT_TRY(ct_arena_check(report->arena, err));
    status = ct_file_write(file, text->data ? text->data : "", text->length, err);
out:
    ct_text_free(text);
    return status;
}

static ct_status files_form(const char *file, void (*form)(ct_text *, const ct_report *),
                            const ct_report *report, ct_error *err)
{
    ct_text text = {0};
    if (!file) return CT_OK;
    form(&text, report);
    return files_write(file, &text, report, err);
}

/* "beams+detect" -> DIR/beams+detect.json; other signs become '_', and names that would then be the
 * same get the table's number. */
static void files_name(char out[FILES_NAME], const char *folder, const ct_report *report, int t)
{
    const ct_report_table *table = &report->table[t];
    char name[128];
    bool plain = true;
    snprintf(name, sizeof name, "%s%s", table->name, table->transpose ? "-transposes" : "");
    for (char *at = name; *at; at++) {
        if (isalnum((unsigned char)*at) || strchr("-_+", *at)) continue;
        *at = '_';
        plain = false;
    }
    if (plain)
        snprintf(out, FILES_NAME, "%.3900s/%s.json", folder, name);
    else
        snprintf(out, FILES_NAME, "%.3900s/%s.%d.json", folder, name, t + 1);
}

static ct_status files_caches(const char *folder, const ct_report *report, ct_error *err)
{
    ct_status status = CT_OK;
    char file[FILES_NAME];
    if (!folder) return CT_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ct_error_add(err, CT_DATA, "%s: cannot be made: %s", folder, strerror(errno));
    for (int t = 0; t < report->tables; t++) {
        ct_text text = {0};
        files_name(file, folder, report, t);
        ct_report_cache(&text, report, &report->table[t]);
        CT_TRY(files_write(file, &text, report, err));
    }
out:
    return status;
}

ct_status ct_tune_report(const char *journal, const ct_tune_files *files, ct_error *err)
{
    CT_GIVEN(err, journal);
    static const ct_struct_version kind = CT_STRUCT_VERSION(ct_tune_files, t4);
    ct_status status = CT_OK;
    ct_tune_files to;
    ct_report *report = NULL;
    CT_TRY(ct_struct_take(&to, &kind, files, err));
    CT_TRY(ct_report_load(&report, journal, err));
    CT_TRY(files_form(to.html, ct_report_page, report, err));
    CT_TRY(files_form(to.markdown, ct_report_markdown, report, err));
    CT_TRY(files_form(to.csv, ct_report_csv, report, err));
    CT_TRY(files_form(to.costs, ct_report_costs, report, err));
    CT_TRY(files_form(to.t4, ct_report_t4, report, err));
    CT_TRY(files_caches(to.kernel_tuner, report, err));
out:
    ct_report_free(report);
    return status;
}
