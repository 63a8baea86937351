/* new_stage.c: the verb new-stage: writes a working skeleton of a stage folder.
 * Room: cli. Knows the skeleton's files. Does not know how stages are built. The files come
 * from cli/skeleton/, embedded by the build. */
#include "options.h"
#include "verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "skeleton.h"

typedef struct ct_skeleton {
    const char *suffix, *text; /* "_test.c": NAME_test.c; "README.md" as it is */
    bool named;
} ct_skeleton;

static const ct_skeleton ct_new_stage_files[] = {
    {".c", skeleton_stage_c, true},           {".h", skeleton_stage_h, true},
    {"_tune.c", skeleton_stage_tune_c, true}, {".cl", skeleton_stage_cl, true},
    {"_ref.c", skeleton_stage_ref_c, true},   {"_test.c", skeleton_stage_test_c, true},
    {"README.md", skeleton_README_md, false},
};
enum { CT_FILES = sizeof ct_new_stage_files / sizeof ct_new_stage_files[0] };

static void ct_new_stage_path(char *out, size_t size, const char *name, int i)
{
    const ct_skeleton *file = &ct_new_stage_files[i];
    snprintf(out, size, "%s/%s%s", name, file->named ? name : "", file->suffix);
}

static ct_status ct_new_stage_check(const char *name, ct_error *err)
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
static ct_status ct_new_stage_free(const char *name, ct_error *err)
{
    ct_context *context = NULL;
    ct_status status = ct_context_open(&context, err);
    if (status == CT_OK && ct_context_stage(context, name) != NULL)
        status = ct_error_add(err, CT_USAGE, "cornerturn new-stage: there is a stage '%s' already",
                              name);
    ct_context_free(context);
    return status;
}

static void ct_new_stage_print(FILE *to, const char *text, const char *name)
{
    static const char mark[] = "@name@";
    for (const char *found; (found = strstr(text, mark)) != NULL; text = found + strlen(mark))
        fprintf(to, "%.*s%s", (int)(found - text), text, name);
    fputs(text, to);
}

static ct_status ct_new_stage_write(const char *name, int i, ct_error *err)
{
    char path[256];
    ct_new_stage_path(path, sizeof path, name, i);
    FILE *to = fopen(path, "wx");
    if (to == NULL)
        return ct_error_add(err, CT_DATA, "%s: cannot be written: %s", path, strerror(errno));
    ct_new_stage_print(to, ct_new_stage_files[i].text, name);
    const bool bad = ferror(to) != 0;
    if (fclose(to) != 0 || bad)
        return ct_error_add(err, CT_DATA, "%s: cannot be written: %s", path, strerror(errno));
    return CT_OK;
}

static void ct_new_stage_undo(const char *name)
{
    for (int i = 0; i < CT_FILES; i++) {
        char path[256];
        ct_new_stage_path(path, sizeof path, name, i);
        unlink(path);
    }
    rmdir(name);
}

static void ct_new_stage_report(const char *name)
{
    for (int i = 0; i < CT_FILES; i++) {
        char path[256];
        ct_new_stage_path(path, sizeof path, name, i);
        printf("wrote %s\n", path);
    }
    printf(
        "\nMove the folder into stages/ of the source tree, add the line `ROW(%s) \\` to the list "
        "in\nstages/stages.c, build, then `cornerturn verify %s`. A program of your own adds "
        "ct_stage_%s\nby ct_context_add_stage.\n",
        name, name, name);
}

ct_status ct_verb_new_stage(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    const ct_usage usage = {"new-stage NAME",
                            "Writes the folder NAME with a working stage: NAME.c (the data sheet), "
                            "NAME_tune.c\n(defaults of tunables), NAME.cl (the kernel), NAME_ref.c "
                            "(the definition), NAME_test.c\nand README.md.",
                            NULL,
                            1,
                            1,
                            NULL};
    bool made = false;
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    const char *name = args.plain[0];
    CT_TRY(ct_new_stage_check(name, err));
    CT_TRY(ct_new_stage_free(name, err));
    if (mkdir(name, 0777) != 0) {
        status =
            ct_error_add(err, CT_DATA, "%s: the folder cannot be made: %s", name, strerror(errno));
        goto out;
    }
    made = true;
    for (int i = 0; i < CT_FILES; i++)
        CT_TRY(ct_new_stage_write(name, i, err));
    ct_new_stage_report(name);
out:
    if (status != CT_OK && made) ct_new_stage_undo(args.plain[0]);
    return status;
}
