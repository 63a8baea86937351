/* new_stage.c: the verb new-stage: writes a working skeleton of a stage: a page of JSON, a shared
 * library, or a folder of the source tree.
 * Room: cli. Knows the skeletons' files. Does not know how stages are built. The files come
 * from cli/skeleton/, embedded by the build. */
#include "cornerturn_stage.h"
#include "options.h"
#include "self.h"
#include "verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "skeleton.h"

/* A skeleton's file: which forms have it. */
enum { OWN = 1, PLUGIN = 2, TREE = 4 };
typedef struct ct_skeleton {
    int forms;
    const char *suffix, *text; /* "_test.c": NAME_test.c; "README.md" as it is */
    bool named;
} ct_skeleton;

static const ct_skeleton ct_new_stage_files[] = {
    {OWN, ".json", skeleton_own_stage_json, true},
    {OWN | PLUGIN, ".cl", skeleton_own_stage_cl, true},
    {OWN, "_ref.cl", skeleton_own_ref_cl, true},
    {OWN, "README.md", skeleton_own_README_md, false},
    {PLUGIN, ".c", skeleton_plugin_stage_c, true},
    {PLUGIN, "CMakeLists.txt", skeleton_plugin_CMakeLists_txt, false},
    {PLUGIN, "README.md", skeleton_plugin_README_md, false},
    {OWN | PLUGIN, "try.json", skeleton_own_try_json, false},
    {TREE, ".c", skeleton_tree_stage_c, true},
    {TREE, ".h", skeleton_tree_stage_h, true},
    {TREE, "_tune.c", skeleton_tree_stage_tune_c, true},
    {TREE, ".cl", skeleton_tree_stage_cl, true},
    {TREE, "_ref.c", skeleton_tree_stage_ref_c, true},
    {TREE, "_test.c", skeleton_tree_stage_test_c, true},
    {TREE, "README.md", skeleton_tree_README_md, false},
};
enum { CT_FILES = sizeof ct_new_stage_files / sizeof ct_new_stage_files[0] };

/* What is to be typed next. */
static const char ct_new_stage_own[] = "\nnext:\n"
                                       "    @command@ verify @name@/@name@.json\n"
                                       "    @command@ run @name@/try.json\n";
static const char ct_new_stage_plugin[] =
    "\nnext:\n"
    "    cmake -S @name@ -B @name@/build @where@\n"
    "    cmake --build @name@/build\n"
    "    @command@ verify @name@ --library @name@/build/@name@.so\n"
    "    @command@ run @name@/try.json --library @name@/build/@name@.so\n";
static const char ct_new_stage_tree[] =
    "\nMove the folder into stages/ of the source tree, add the line `ROW(@name@) \\` to the list "
    "in\nstages/stages.c, build, then `cornerturn verify @name@`. A program of your own adds "
    "ct_stage_@name@\nby ct_context_add_stage.\n";

/* What stands for a mark in those texts. */
typedef struct ct_mark {
    const char *mark, *text;
} ct_mark;

typedef struct ct_new_stage {
    const char *name;
    int form;
    ct_mark marks[5]; /* ends at the first without one */
    char stages[128], command[CT_SELF_PATH], where[CT_SELF_PATH + 64];
} ct_new_stage;

static void new_stage_path(char *out, size_t size, const char *name, int i)
{
    const ct_skeleton *file = &ct_new_stage_files[i];
    snprintf(out, size, "%s/%s%s", name, file->named ? name : "", file->suffix);
}

static ct_status new_stage_check(const char *name, ct_error *err)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (name[length] != 0 || length == 0 || length > 32 || strchr("0123456789_", name[0]) != NULL)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn new-stage: expected a name of at most 32 small letters, "
                            "digits and '_' that starts with a letter, found '%s'",
                            name);
    return CT_OK;
}

/* Two stages of one name cannot be in one program. */
static ct_status new_stage_free(const char *name, ct_error *err)
{
    ct_context *context = NULL;
    ct_status status = ct_context_open(&context, err);
    if (status == CT_OK && ct_context_stage(context, name) != NULL)
        status = ct_error_add(err, CT_USAGE, "cornerturn new-stage: there is a stage '%s' already",
                              name);
    ct_context_free(context);
    return status;
}

/* The mark with which a text begins; NULL: none. */
static const ct_mark *new_stage_mark(const ct_new_stage *made, const char *text)
{
    for (const ct_mark *at = made->marks; at->mark != NULL; at++)
        if (strncmp(text, at->mark, strlen(at->mark)) == 0) return at;
    return NULL;
}

static void new_stage_print(FILE *to, const char *text, const ct_new_stage *made)
{
    while (*text != 0) {
        const ct_mark *mark = *text == '@' ? new_stage_mark(made, text) : NULL;
        if (mark != NULL)
            fputs(mark->text, to);
        else
            fputc(*text, to);
        text += mark != NULL ? strlen(mark->mark) : 1;
    }
}

static ct_status new_stage_write(const ct_new_stage *made, int i, ct_error *err)
{
    char path[256];
    new_stage_path(path, sizeof path, made->name, i);
    FILE *to = fopen(path, "wx");
    if (to == NULL)
        return ct_error_add(err, CT_DATA, "%s: cannot be written: %s", path, strerror(errno));
    new_stage_print(to, ct_new_stage_files[i].text, made);
    const bool bad = ferror(to) != 0;
    if (fclose(to) != 0 || bad)
        return ct_error_add(err, CT_DATA, "%s: cannot be written: %s", path, strerror(errno));
    return CT_OK;
}

static void new_stage_undo(const ct_new_stage *made)
{
    for (int i = 0; i < CT_FILES; i++) {
        char path[256];
        new_stage_path(path, sizeof path, made->name, i);
        if (ct_new_stage_files[i].forms & made->form) unlink(path);
    }
    rmdir(made->name);
}

static void new_stage_report(const ct_new_stage *made)
{
    char pages[CT_SELF_PATH];
    for (int i = 0; i < CT_FILES; i++) {
        char path[256];
        new_stage_path(path, sizeof path, made->name, i);
        if (ct_new_stage_files[i].forms & made->form) printf("wrote %s\n", path);
    }
    new_stage_print(stdout,
                    made->form == OWN      ? ct_new_stage_own
                    : made->form == PLUGIN ? ct_new_stage_plugin
                                           : ct_new_stage_tree,
                    made);
    if (made->form == PLUGIN && !ct_self_folder(pages, CT_PACKAGE_FROM_HERE))
        printf("\nPREFIX is where `cmake --install` has put Cornerturn.\n");
    if (ct_self_folder(pages, CT_DOCS_FROM_HERE)) printf("\nThe pages are in %s.\n", pages);
}

/* CMake is told where the package is, where this command is an installed one. */
static void new_stage_marks(ct_new_stage *made)
{
    char folder[CT_SELF_PATH];
    ct_self_command(made->command);
    if (made->form == OWN)
        snprintf(made->stages, sizeof made->stages, " \"stages\": [\"%s.json\"],", made->name);
    if (ct_self_folder(folder, CT_PACKAGE_FROM_HERE))
        snprintf(made->where, sizeof made->where, "-Dcornerturn_DIR=%s", folder);
    else
        snprintf(made->where, sizeof made->where, "-DCMAKE_PREFIX_PATH=PREFIX");
    const ct_mark marks[] = {{"@name@", made->name},
                             {"@stages@", made->stages},
                             {"@command@", made->command},
                             {"@where@", made->where}};
    memcpy(made->marks, marks, sizeof marks);
}

static ct_status new_stage_make(ct_new_stage *made, ct_error *err)
{
    ct_status status = CT_OK;
    bool begun = false;
    new_stage_marks(made);
    CT_TRY(new_stage_check(made->name, err));
    CT_TRY(new_stage_free(made->name, err));
    if (mkdir(made->name, 0777) != 0)
        CT_TRY(ct_error_add(err, CT_DATA, "%s: the folder cannot be made: %s", made->name,
                            strerror(errno)));
    begun = true;
    for (int i = 0; i < CT_FILES; i++)
        if (ct_new_stage_files[i].forms & made->form) CT_TRY(new_stage_write(made, i, err));
    new_stage_report(made);
out:
    if (status != CT_OK && begun) new_stage_undo(made);
    return status;
}

ct_status ct_verb_new_stage(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    bool plugin = false, tree = false;
    const ct_option options[] = {
        {"c", CT_OPTION_FLAG, &plugin, NULL, "in C, built into a shared library for --library"},
        {"tree", CT_OPTION_FLAG, &tree, NULL, "in C, for stages/ of the source tree"},
        {0}};
    const ct_usage usage = {
        "new-stage NAME [options]",
        "Writes the folder NAME with a working stage: NAME.json (what goes in and comes out),\n"
        "NAME.cl (the kernel), NAME_ref.cl (what is right), README.md, and try.json, a pipeline\n"
        "that runs; and says what to type next.",
        options,
        1,
        1,
        NULL,
        "new-stage power\n"
        "new-stage power --c"};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    if (plugin && tree)
        CT_TRY(ct_error_add(err, CT_USAGE, "cornerturn new-stage: --c or --tree, not both"));
    ct_new_stage made = {.name = args.plain[0], .form = plugin ? PLUGIN : tree ? TREE : OWN};
    status = new_stage_make(&made, err);
out:
    return status;
}
