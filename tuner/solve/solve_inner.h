/* solve_inner.h: how the solver's parts see a problem: as it was given, and as terms over the
 * values that are still alive.
 * Room: tuner/solve, nobody else. */
#ifndef CT_TUNER_SOLVE_INNER_H
#define CT_TUNER_SOLVE_INNER_H
#include "memory.h"
#include "problem.h"

/* A cost as it was given: a table, or (layouts > 0) an array's copies. */
typedef struct ct_factor {
    int count;           /* variables: of copies the writer, then the readers */
    const int *variable; /* [count] */
    double *cost;        /* [values]..[values], or transpose[layouts][layouts] */
    size_t entries;
    int layouts;
    const int *const *layout; /* [count][value] */
} ct_factor;

struct ct_problem {
    ct_arena *arena;
    int variables, factors;
    int *values;   /* [variables] */
    size_t *first; /* [variables]: where a list of all variables' values has this one's */
    size_t total;  /* values of all variables */
    ct_factor *factor;
    size_t limit;
};

/* An array's copies over live values. Roles: the writer, then the readers. */
typedef struct ct_copies {
    const ct_factor *factor;
    int roles;
    int *variable; /* [roles]; -1: it has one value only */
    int **layout;  /* [roles][live value] */
} ct_copies;

/* A cost that depends on live values of the variables in its scope. */
typedef struct ct_term {
    int count;
    const int *scope;   /* ascending, without variables of one value */
    const double *cost; /* the last variable fastest; NULL: copies */
    ct_copies *copies;  /* NULL: a table */
    bool done;          /* a variable that it depends on is eliminated */
} ct_term;

/* What is eliminated at once: one variable, or (copies) those readers of an array that nothing else
 * binds together. */
typedef struct ct_bucket {
    ct_copies *copies;
    int count;
    int variable[CT_PROBLEM_SCOPE]; /* [count] */
    int role[CT_PROBLEM_SCOPE];     /* [count]: in the copies */
    const int *scope;               /* what the result depends on */
    int scopes;
    double work; /* additions, about */
    const ct_term **term;
    int terms;
    const int *of; /* [terms]: which of the variables it depends on */
} ct_bucket;

/* One solution of one problem whose variables have some of their values. */
typedef struct ct_solve {
    const ct_problem *problem;
    ct_arena *arena;
    int *values; /* [values of all variables]: what live[] points into */
    int *extent; /* [variables]: live values */
    int **live;  /* [variables][extent]: which they are */
    ct_term *term;
    int terms, room;
    ct_bucket *bucket; /* eliminated so far, in order */
    int buckets;
    int *at;         /* [variables]: live value where a walk is, or that is decided */
    int *mark;       /* [variables]: scratch */
    bool *gone;      /* [variables]: eliminated */
    double constant; /* what depends on nothing any more */
    int split;       /* the first variable at which a bound was taken; -1: none */
} ct_solve;

/* No solution of the allowed values costs less than `least`; `values` cost `cost`. */
typedef struct ct_bound {
    double least, cost;
    int split; /* -1: `values` are the best; else a variable to branch on */
} ct_bound;

/* allowed[total]: which values each variable may have; values[variables]. */
ct_status ct_solve_bound(ct_bound *out, const ct_problem *problem, const bool *allowed, int *values,
                         ct_error *err);

/* In what follows, false (or NULL) says that there was no memory, which the arena remembers. */

/* What copies cost for each role's layout. */
double ct_solve_copies_cost(const ct_factor *factor, const int *layout, int roles);
double ct_solve_copies_at(const ct_copies *copies, const int *at);

/* Terms over the live values; CT_SOLVE_DENSE: copies with fewer entries become tables. */
#define CT_SOLVE_DENSE ((size_t)1 << 12)
bool ct_solve_terms(ct_solve *solve);
ct_term *ct_solve_terms_add(ct_solve *solve, const int *scope, int count);
double ct_solve_terms_size(const ct_solve *solve, const int *scope, int count);
bool ct_solve_terms_has(const ct_term *term, int variable);

/* Takes values out that no possible solution has, and those than which another is never worse.
 * False, too: nothing is left of some variable. */
bool ct_solve_reduce(ct_solve *solve);

/* Eliminates all variables: the sum's lower bound stands in solve->constant then. */
bool ct_solve_eliminate(ct_solve *solve);
bool ct_solve_decide(ct_solve *solve); /* solve->at: the values, variable by variable backwards */

/* The readers that can be eliminated together: count 0 where there are none. */
bool ct_solve_copies_bucket(ct_solve *solve, const ct_term *wide, ct_bucket *out);
bool ct_solve_copies_eliminate(ct_solve *solve, const ct_bucket *bucket, double *result);
bool ct_solve_copies_decide(ct_solve *solve, const ct_bucket *bucket);
/* The array without the reader that it names last. */
bool ct_solve_copies_drop(ct_solve *solve, ct_term *wide);

/* Every combination of some variables' values, the last fastest, and where in terms it is. */
enum { CT_WALK_DIMS = 32 };
typedef struct ct_walk {
    int dims, streams;
    int extent[CT_WALK_DIMS];
    int *at[CT_WALK_DIMS]; /* where the value of each stands, in solve->at */
    size_t *offset;        /* [streams] */
    size_t *stride;        /* [dims][streams] */
} ct_walk;
bool ct_walk_start(ct_walk *walk, ct_solve *solve, const int *scope, int dims,
                   const ct_term *const *terms, int streams);
bool ct_walk_next(ct_walk *walk);
size_t ct_walk_stride(const ct_solve *solve, const ct_term *term, int variable); /* 0: without it */
size_t ct_walk_offset(const ct_solve *solve, const ct_term *term);               /* at solve->at */

#endif
