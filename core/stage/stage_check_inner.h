/* stage_check_inner.h: what the checks of a stage's descriptor use together.
 * Room: core/stage, and seen by no other. */
#ifndef CT_CORE_STAGE_CHECK_INNER_H
#define CT_CORE_STAGE_CHECK_INNER_H
#include "bare_step.h"
#include "stage_check.h"

int ct_stage_find_port(const ct_stage *stage, const char *name); /* -1: none */
bool ct_stage_is_identifier(const char *name);

/* A check in progress: all mistakes are reported. */
typedef struct ct_stage_checker {
    const ct_stage *stage;
    const ct_description *description; /* NULL: a program's, whose sentences say the stage's name */
    ct_error *err;
    ct_status status;
    bool broken[CT_PORTS]; /* ports whose dims cannot be read */
    bool broken_tiles;
    bool broken_counts; /* more parameters or tunables than a step has room for */
    ct_stage sound;
    ct_step *probe; /* of `sound`, a step of which only names are asked; NULL: there can be none */
} ct_stage_checker;

/* Where: a table of the descriptor, a row (as its JSON pointer has it), what a person calls that
 * row (NULL: the same), a field; each may be NULL, and then so are those after it. */
typedef struct ct_stage_place {
    const char *table, *row, *name, *field;
} ct_stage_place;

/* CT_INVALID. */
ct_status ct_stage_say(ct_stage_checker *check, ct_stage_place at, const char *format, ...)
    CT_PRINTF(3, 4);

void ct_stage_check_tiles(ct_stage_checker *check);
void ct_stage_check_terms(ct_stage_checker *check);
void ct_stage_check_more(ct_stage_checker *check);
void ct_stage_check_split(ct_stage_checker *check);
/* A file's expressions are checked when it is read; a program's when a step is made. */
void ct_stage_check_cases(ct_stage_checker *check);
void ct_stage_check_expressions(ct_stage_checker *check);

#endif
