/* report.h: a tuner's journal as a table: what was measured, in the order of the lines, and the
 * same with further pairs of one candidate put together; and whole plans. Room: tuner/report.
 * Knows the form of lines (docs/tuning.md). Does not know graphs or devices: the journal says all
 * that is reported. Order: ct_report_load, then any of the writers, each of which only adds to a
 * text. */
#ifndef CT_TUNER_REPORT_H
#define CT_TUNER_REPORT_H
#include "memory.h"
#include "tuning_journal.h"

/* How a measurement ended; what Kernel Tuner calls it, NULL where it went well. */
typedef struct ct_report_end {
    const char *word, *error;
} ct_report_end;

/* Pairs of seconds: of the candidate, and of the step's default (a transpose's: of a copy). */
typedef struct ct_report_row {
    const ct_report_end *end;
    bool transpose;
    int table;                     /* of which node */
    const char *at, *read, *write; /* "SPTC>CTSP", "SPTC", "CTSP" */
    const ct_value *tunables;      /* none: the defaults */
    const char *settings;          /* "TILE_T=8 WG=64" */
    size_t line;                   /* of the journal, the first is 1 */
    int candidate;                 /* of a line: which candidate it is about */
    bool more;                     /* further pairs of an earlier one */
    bool taken;                    /* from another candidate that is the same work */
    bool disturbed;                /* other processes kept the machine busy */
    int pairs;
    double *seconds, *usual;
    double middle, usual_middle, ratio; /* medians; 0 where there are no pairs */
    double predicted; /* of a candidate: the ratio that other cells predict; 0 not known */
    double build_s, load;
} ct_report_row;

/* A node's cells, or the transposes of what it writes. */
typedef struct ct_report_table {
    bool transpose;
    bool fused;        /* other nodes run as one with it */
    const char *name;  /* "fft"; "beams+detect" */
    const char *usual; /* the first cell that was measured is the default's; NULL none yet */
    double usual_s;    /* what the default takes, in place where that is known */
    int count;
    ct_report_row **row; /* candidates, in the order in which they were measured first */
} ct_report_table;

typedef struct ct_report_whole {
    const char *plan;
    double seconds;        /* per block, median */
    int blocks;            /* of how many */
    bool usual;            /* the default, that others are compared with */
    double samples;        /* of a block; 0 not known */
    double signal_s;       /* length of a block of the signal; 0 not known */
    double ratio;          /* to the default of the same rehearsal, per sample */
    const ct_value *steps; /* seconds of each; may be none */
} ct_report_whole;

typedef struct ct_report {
    const char *file;
    const ct_value *key;
    const char *pipeline, *time; /* digest; when the journal was written last, ISO 8601 */
    int lines, candidates, tables, wholes;
    ct_report_row *line;      /* each line that measures */
    ct_report_row *candidate; /* further pairs put to the first ones */
    ct_report_table *table;
    ct_report_whole *whole;
    /* The plan that was chosen, or else the best other one, and the default of its rehearsal; NULL
     * none.
     */
    const ct_report_whole *usual, *best;
    const char *chosen; /* the plan that the search ended with; NULL not known */
    bool ended, complete;
    double end_ratio, end_low, end_high; /* per sample; low and high 0: not known */
    double end_samples, end_signal_s;    /* that the seconds are of; 0: of a block */
    const ct_value *end_block;           /* that was chosen, and its gain; NULL as by default */
    double end_s, bound_s, noise_s, model_s; /* 0: not known */
    ct_tuning_journal *journal;
    ct_arena *arena;
} ct_report;

/* CT_DATA names the file's line, and what was expected there. */
ct_status ct_report_load(ct_report **out, const char *file, ct_error *err);
void ct_report_free(ct_report *report); /* NULL is fine */

bool ct_report_is_right(const ct_report_row *row);
double ct_report_median(const double *list, int count, ct_arena *arena); /* 0 of none */
double ct_report_middle(double *list, int count); /* the same; the list is sorted then */
/* The standard deviation of one timing's logarithm, from the pairs' spread. */
double ct_report_noise(const ct_report *report);
const char *ct_report_digits(double value, int digits, ct_arena *arena);
/* The values of tunables as who reads them wants them: booleans 0 and 1, texts as they are. */
const char *ct_report_setting(const ct_value *value, ct_arena *arena);
/* Names of tunables that occur in a table, in the order of their first use. */
const char **ct_report_tunables(const ct_report *report, const ct_report_table *table, int *count);

enum { CT_REPORT_SHARES = 3, CT_REPORT_FAR = 64 };

/* Ratios of the right candidates of a node. */
typedef struct ct_report_spread {
    int count;
    double best, most, mean, deviation;
    double away;                     /* the best one from the mean, in standard deviations */
    int percent[CT_REPORT_SHARES];   /* 1, 5, 10 */
    double within[CT_REPORT_SHARES]; /* how many, in percent, are so close to the best */
} ct_report_spread;
ct_report_spread ct_report_spread_of(const ct_report_table *table);

/* How far a node's cells are from what the others predict of them, if the costs of reading and of
 * writing were separable. */
typedef struct ct_report_separability {
    int count;                                         /* cells that others predict */
    double median, worst;                              /* by what part it misses */
    const ct_report_row *worst_row, *best, *predicted; /* the best measured, the best predicted */
} ct_report_separability;
void ct_report_separability_predict(ct_report *report);
ct_report_separability ct_report_separability_of(const ct_report *report,
                                                 const ct_report_table *table);

/* Ratios of transposes to copies of as many bytes. */
typedef struct ct_report_transposed {
    int count;
    double least, median, most;
} ct_report_transposed;
/* How many places the dimensions move, all together, at most CT_REPORT_FAR - 1; -1: no transpose
 * that counts, that is right and has the default tunables. */
int ct_report_distance(const ct_report_row *row);
ct_report_transposed ct_report_transposed_by(const ct_report *report, int distance);

/* A plan's time as a multiple of the default's, from its steps by themselves; 0: not all of them
 * were measured. */
double ct_report_predicted(const ct_report *report, const ct_report_whole *whole);

/* How much faster the chosen plan is, and by what; and what to do next, a sentence on each line. */
void ct_report_summary_say(ct_text *out, const ct_report *report);
void ct_report_summary_next(ct_text *out, const ct_report *report);

void ct_report_markdown(ct_text *out, const ct_report *report);
void ct_report_csv(ct_text *out, const ct_report *report);
void ct_report_costs(ct_text *out, const ct_report *report);
void ct_report_cache(ct_text *out, const ct_report *report, const ct_report_table *table);
void ct_report_t4(ct_text *out, const ct_report *report);
void ct_report_page(ct_text *out, const ct_report *report);

#endif
