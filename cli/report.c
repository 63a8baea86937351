/* report.c: the verb report: what a tuner's journal says, in the forms that are asked for.
 * Room: cli. Knows arguments. Does not know what a journal holds. */
#include "cornerturn_tune.h"
#include "options.h"
#include "verbs.h"

static ct_status report_read(ct_arguments *out, ct_tune_files *files, int argc, char **argv,
                             ct_error *err)
{
    const ct_option options[] = {
        {"o", CT_OPTION_TEXT, &files->html, "FILE", "one page with pictures and tables (HTML)"},
        {"md", CT_OPTION_TEXT, &files->markdown, "FILE", "its tables in Markdown"},
        {"csv", CT_OPTION_TEXT, &files->csv, "FILE", "a row for each measurement"},
        {"costs", CT_OPTION_TEXT, &files->costs, "FILE", "what tune --simulate reads"},
        {"kernel-tuner", CT_OPTION_TEXT, &files->kernel_tuner, "FOLDER",
         "a cache file of Kernel Tuner for each node"},
        {"t4", CT_OPTION_TEXT, &files->t4, "FILE", "auto-tuning results in the T4 form (JSON)"},
        {0}};
    const ct_usage usage = {"report JOURNAL -o FILE [options]",
                            "Shows what a tuning has measured: as a page for a browser, or as "
                            "tables for other\nprograms. Needs no device.",
                            options,
                            1,
                            1,
                            NULL,
                            "report plan.json.journal -o page.html\n"
                            "report plan.json.journal --md tables.md --csv all.csv"};
    return ct_options_read(out, &usage, argc, argv, err);
}

ct_status ct_verb_report(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_tune_files files = {.size = sizeof files};
    CT_TRY(report_read(&args, &files, argc, argv, err));
    if (!files.html && !files.markdown && !files.csv && !files.costs && !files.kernel_tuner &&
        !files.t4)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "cornerturn report: where it goes is missing: -o FILE, --md, --csv, "
                            "--costs, --kernel-tuner or --t4"));
    CT_TRY(ct_tune_report(args.plain[0], &files, err));
out:
    return status;
}
