/* pipeline.c: a pipeline file and what was said about it on the command line, up to its plan.
 * Room: cli. Knows the order of the library's calls. Does not know what a verb does with the plan.
 */
#include "pipeline.h"
#include "cornerturn_ranks.h"
#include "cornerturn_tune.h"
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CT_PIPELINE_DUMPS = 16, CT_PIPELINE_DUMP = 4096 + 256 };

/* The dump's file as JSON text: absolute, since a pipeline's own files are relative to its folder.
 */
static ct_status pipeline_path(char *out, size_t size, const char *file, ct_error *err)
{
    char folder[2048] = "";
    size_t used = 0;
    if (file[0] != '/' && getcwd(folder, sizeof folder) == NULL)
        return ct_error_add(err, CT_DATA, "--dump: the present folder cannot be found");
    const char *const parts[] = {folder, file[0] == '/' ? "" : "/", file};
    for (int i = 0; i < 3; i++) {
        for (const char *c = parts[i]; *c != 0; c++) {
            if (used + 3 > size || (unsigned char)*c < 0x20)
                return ct_error_add(err, CT_USAGE, "--dump: '%s' is no file name to use", file);
            if (*c == '"' || *c == '\\') out[used++] = '\\';
            out[used++] = *c;
        }
    }
    out[used] = 0;
    return CT_OK;
}

/* "fir.Y=out.npy" becomes the setting that adds a sink node to the pipeline. */
static ct_status pipeline_dump(char *out, const char *dump, int number, ct_error *err)
{
    char path[CT_PIPELINE_DUMP - 256];
    const char *equal = strchr(dump, '=');
    if (equal == NULL || equal == dump || equal[1] == 0 || equal - dump > 100 ||
        strcspn(dump, "\"\\") < (size_t)(equal - dump))
        return ct_error_add(err, CT_USAGE,
                            "cornerturn run: --dump: expected NODE.PORT=FILE, found '%s'", dump);
    ct_status status = pipeline_path(path, sizeof path, equal + 1, err);
    if (status == CT_OK)
        snprintf(out, CT_PIPELINE_DUMP,
                 "+dump %d={\"stage\": \"sink.npy\", \"input\": \"%.*s\", \"file\": \"%s\"}",
                 number, (int)(equal - dump), dump, path);
    return status;
}

/* "p.json: /nodes/dump 1/input: " is no place that a person knows: "--dump fft=x.npy: ". */
static void pipeline_say_dumps(const ct_pipeline *p, ct_error *err)
{
    char place[256], said[CT_PIPELINE_DUMP], rest[sizeof err->text];
    for (int i = 0; p->dumps[i] != NULL; i++) {
        for (size_t k = 0; k < 2; k++) {
            snprintf(place, sizeof place, "%.200s: /nodes/dump %d/%s: ", p->file, i + 1,
                     k ? "file" : "input");
            snprintf(said, sizeof said, "cornerturn run: --dump %.500s: ", p->dumps[i]);
            char *at = strstr(err->text, place);
            if (!at) continue;
            snprintf(rest, sizeof rest, "%s", at + strlen(place));
            snprintf(at, sizeof err->text - (size_t)(at - err->text), "%s%s", said, rest);
        }
    }
}

static ct_status pipeline_graph(ct_pipeline *p, ct_error *err)
{
    ct_status status = CT_OK;
    const char *all[2 * CT_OPTION_TIMES + 1] = {NULL};
    int count = 0, dumps = 0;
    while (p->dumps[dumps] != NULL)
        dumps++;
    char texts[CT_PIPELINE_DUMPS][CT_PIPELINE_DUMP];
    if (dumps > CT_PIPELINE_DUMPS)
        return ct_error_add(err, CT_USAGE, "cornerturn run: --dump: at most %d at a time",
                            CT_PIPELINE_DUMPS);
    for (; p->settings[count] != NULL; count++)
        all[count] = p->settings[count];
    for (int i = 0; i < dumps; i++) {
        CT_TRY(pipeline_dump(texts[i], p->dumps[i], i + 1, err));
        all[count++] = texts[i];
    }
    const bool later = p->look_only || ct_ranks_size(p->ranks) > 1; /* ct_graph_set_ranks */
    p->complete = !later;
    status = later ? ct_graph_check(&p->graph, p->context, p->file, all, &p->complete, err)
                   : ct_graph_load(&p->graph, p->context, p->file, all, err);
    if (err) pipeline_say_dumps(p, err);
out:
    return status;
}

ct_status ct_pipeline_load(ct_pipeline *p, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_page_refuse(p->file, err));
    CT_TRY(ct_library_context(&p->context, p->libraries, err));
    ct_context_tell(p->context, p->tell, p->tell_state);
    CT_TRY(pipeline_graph(p, err));
    if (!p->quiet && (p->look_only || p->complete)) ct_pipeline_warn(ct_graph_warnings(p->graph));
out:
    return status;
}

void ct_pipeline_warn(const char *sentences)
{
    while (*sentences != 0) {
        const size_t length = strcspn(sentences, "\n");
        fprintf(stderr, "warning: %.*s\n", (int)length, sentences);
        sentences += length + (sentences[length] != 0);
    }
}

ct_status ct_pipeline_device(ct_pipeline *p, ct_error *err)
{
    const ct_status status = ct_ranks_device(&p->device, p->ranks, p->device_name, err);
    return status == CT_OK ? ct_device_check(p->device, err) : status;
}

ct_status ct_pipeline_device_if_any(ct_pipeline *p, ct_error *err)
{
    if (p->device_name != NULL) return ct_device_open(&p->device, p->device_name, err);
    (void)ct_device_open(&p->device, NULL, NULL);
    return CT_OK;
}

ct_status ct_pipeline_match(ct_pipeline *p, const char *verb, ct_error *err)
{
    static const struct {
        const char *name;
        ct_tune_match match;
    } words[] = {{"exact", CT_TUNE_MATCH_EXACT},
                 {"device", CT_TUNE_MATCH_DEVICE},
                 {"nearest", CT_TUNE_MATCH_NEAREST}};
    p->match = CT_TUNE_MATCH_USUAL;
    if (p->match_name == NULL) return CT_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(p->match_name, words[i].name) == 0) p->match = words[i].match;
    if (p->match == CT_TUNE_MATCH_USUAL)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn %s: --plan-match: expected exact, device or nearest, found "
                            "'%s'",
                            verb, p->match_name);
    if (p->plan_file != NULL && strcmp(p->plan_file, "default") == 0)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn %s: --plan-match is for a stored plan or a file: expected "
                            "it without --plan default",
                            verb);
    return CT_OK;
}

static void pipeline_say(const ct_pipeline *p, char *say)
{
    if (say != NULL && !p->quiet) fprintf(stderr, "%s: %s\n", p->file, say);
    free(say);
}

/* What was tuned for such a pipeline and device before; says which, or why none of those there are.
 */
static ct_status pipeline_stored(ct_plan **out, const ct_pipeline *p, ct_error *err)
{
    char *say = NULL;
    ct_status status = ct_tune_stored_as(out, p->graph, p->device, p->match, &say, err);
    if (status == CT_OK && say == NULL && p->says_default && !p->quiet)
        fprintf(stderr, "%s: the default plan; none is stored for such a pipeline\n", p->file);
    pipeline_say(p, say);
    return status;
}

static ct_status pipeline_load(ct_plan **out, const ct_pipeline *p, const char *file, ct_error *err)
{
    char *say = NULL;
    const ct_status status = ct_tune_load_as(out, p->graph, p->device, file, p->match, &say, err);
    pipeline_say(p, say);
    return status;
}

static ct_status pipeline_need_stored(ct_plan **out, const ct_pipeline *p, ct_error *err)
{
    const ct_status status = pipeline_stored(out, p, err);
    if (status != CT_OK || *out != NULL) return status;
    return ct_error_add(err, CT_INVALID,
                        "%s: no plan is stored for it on this device: expected a plan's file, or "
                        "\"default\"",
                        p->file);
}

ct_status ct_pipeline_named(ct_plan **out, const ct_pipeline *p, const char *name, ct_error *err)
{
    if (strcmp(name, "stored") == 0 && p->device != NULL) return pipeline_need_stored(out, p, err);
    if (strcmp(name, "default") == 0) return ct_plan_default(out, p->graph, p->device, err);
    return pipeline_load(out, p, name, err);
}

ct_status ct_pipeline_plan(ct_pipeline *p, ct_error *err)
{
    if (p->plan_file == NULL && p->consult && p->device != NULL) {
        const ct_status status = pipeline_stored(&p->plan, p, err);
        if (status != CT_OK || p->plan != NULL) return status;
    }
    return ct_pipeline_named(&p->plan, p, p->plan_file != NULL ? p->plan_file : "default", err);
}

void ct_pipeline_free(ct_pipeline *p)
{
    ct_plan_free(p->plan);
    ct_graph_free(p->graph);
    ct_device_free(p->device);
    ct_context_free(p->context);
    p->plan = NULL;
    p->graph = NULL;
    p->device = NULL;
    p->context = NULL;
}
