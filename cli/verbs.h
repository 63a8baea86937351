/* verbs.h: every verb of the command is one function in one file; main.c holds the table.
 * Room: cli. Knows cornerturn.h. Does not know the library's rooms. A verb prints its result on
 * standard output, adds what went wrong to *err and returns the exit code; CT_EOF (help was asked
 * for) counts as done. */
#ifndef CT_CLI_VERBS_H
#define CT_CLI_VERBS_H
#include "cornerturn.h"

ct_status ct_verb_bench(int argc, char **argv, ct_error *err);
ct_status ct_verb_explain(int argc, char **argv, ct_error *err);
ct_status ct_verb_info(int argc, char **argv, ct_error *err);
ct_status ct_verb_new_stage(int argc, char **argv, ct_error *err);
ct_status ct_verb_plot(int argc, char **argv, ct_error *err);
ct_status ct_verb_report(int argc, char **argv, ct_error *err);
ct_status ct_verb_run(int argc, char **argv, ct_error *err);
ct_status ct_verb_serve(int argc, char **argv, ct_error *err);
ct_status ct_verb_simulate(int argc, char **argv, ct_error *err);
ct_status ct_verb_source(int argc, char **argv, ct_error *err);
ct_status ct_verb_tune(int argc, char **argv, ct_error *err);
ct_status ct_run_tuned(int argc, char **argv, ct_error *err); /* tune --continuous, in run.c */
ct_status ct_verb_validate(int argc, char **argv, ct_error *err);
ct_status ct_verb_verify(int argc, char **argv, ct_error *err);

#endif
