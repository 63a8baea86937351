/* plot.c: the verb plot: a picture of what a file holds.
 * Room: cli. Knows arguments. Does not know what is drawn. */
#include "library.h"
#include "options.h"
#include "page.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct ct_plot_asked {
    const char *picture;
    const char *at[CT_OPTION_TIMES + 1], *libraries[CT_OPTION_TIMES + 1];
    ct_plot_options options;
    ct_arguments args;
} ct_plot_asked;

static ct_status plot_read(ct_plot_asked *out, int argc, char **argv, ct_error *err)
{
    const ct_option options[] = {
        {"o", CT_OPTION_TEXT, &out->picture, "FILE",
         "the picture: its name ends with .svg or .png"},
        {"dim", CT_OPTION_LIST, out->at, "B=3",
         "show this index of a dimension (repeatable); of others the first one is shown"},
        {"dims", CT_OPTION_TEXT, &out->options.dims, "TC",
         "of an array without a description: its dimensions, slowest first"},
        {"max", CT_OPTION_FLAG, &out->options.largest, NULL,
         "what falls into one cell of the picture shows its largest value, not the mean"},
        {"directions", CT_OPTION_TEXT, &out->options.directions, "FILE",
         "of beams: draw each at its direction, from a pipeline or a list (JSON)"},
        {"plan", CT_OPTION_TEXT, &out->options.plan, "FILE",
         "of a pipeline: show this plan, not the default one"},
        {"trace", CT_OPTION_TEXT, &out->options.trace, "FILE",
         "of a pipeline: show each step's time, of what run --trace --json printed, or of run "
         "--stats"},
        CT_LIBRARY_OPTION(out->libraries),
        {0}};
    const ct_usage usage = {
        "plot FILE -o PICTURE [options]",
        "Draws what a file holds: an array as a waterfall, a time series or a spectrum,\n"
        "candidates by time and dispersion measure, a pipeline as a graph. Needs no device.",
        options,
        1,
        1,
        NULL,
        "plot pulse.fil -o pulse.svg\n"
        "plot beams.npy --dim B=3 --max -o beam3.png\n"
        "plot pipeline.json --trace trace.json -o pipeline.svg"};
    return ct_options_read(&out->args, &usage, argc, argv, err);
}

ct_status ct_verb_plot(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *context = NULL;
    char *said = NULL;
    ct_plot_asked asked = {.options = {.size = sizeof asked.options}};
    CT_TRY(plot_read(&asked, argc, argv, err));
    if (!asked.picture)
        CT_TRY(
            ct_error_add(err, CT_USAGE,
                         "cornerturn plot: where it goes is missing: -o FILE.svg or -o FILE.png"));
    CT_TRY(ct_page_refuse(asked.args.plain[0], err));
    asked.options.at = asked.at;
    CT_TRY(ct_library_context(&context, asked.libraries, err));
    CT_TRY(ct_plot_file(&said, context, asked.args.plain[0], asked.picture, &asked.options, err));
    printf("%swrote %s\n", said, asked.picture);
out:
    free(said);
    ct_context_free(context);
    return status;
}
