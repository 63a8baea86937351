/* step_inner.h: what a step keeps for the library, and helpers for the step's files only.
 * Room: core/step, and seen by no other. */
#ifndef CT_CORE_STEP_INNER_H
#define CT_CORE_STEP_INNER_H
#include "bare_step.h"
#include "device.h"
#include "memory.h"

/* One letter of a port's `dims`. */
typedef struct ct_port_dim {
    char letter;      /* of the accessor */
    char choices[16]; /* what the array may have here */
    bool optional;
} ct_port_dim;

/* A part of `where`, and the tunables that it depends on, a bit each. */
typedef struct ct_condition {
    const char *text;
    ct_expr *expr;
    uint64_t tunables;
} ct_condition;

/* A name that stands for an expression. */
typedef struct ct_step_term {
    const char *name, *value;
    ct_expr *expr; /* NULL: not parsed yet */
} ct_step_term;

/* The step's range along a dimension; see step_range.h. whole[port] 0: the port has all of it. */
typedef struct ct_step_range {
    char dim;
    int64_t first[CT_PORTS], whole[CT_PORTS];
} ct_step_range;

/* Of a source whose data come whether they are read or not. */
typedef struct ct_step_live_start {
    bool is;
    bool again;     /* it would start later if shapes were inferred anew */
    double start_s; /* of ct_clock_now */
} ct_step_live_start;

typedef struct ct_step_inner {
    ct_arena *arena;
    const ct_value *given; /* the node's object; NULL none */
    ct_source_location location;
    const ct_device *device;              /* NULL: none is open; borrowed, see ct_step_set_device */
    ct_device_probes probes;              /* its answers, for when it is closed */
    int64_t local_bytes;                  /* of the last one's local memory; 0: there was none */
    int64_t work_group;                   /* work-items of its largest; likewise */
    ct_device_class of_class;             /* of the device; 0: none is open */
    ct_value *otherwise[CT_STEP_PARAMS];  /* parsed defaults of CT_PARAM_ANY parameters */
    const atomic_bool *stop;              /* NULL: none */
    struct ct_step_open_file *open_files; /* files that are open; NULL none */
    ct_staged *staged;                    /* a sink's; NULL: it has made none */
    const char *unsplit;                  /* why it is not split over ranks; NULL: it may be */
    const char *incomplete;               /* NULL: all of the stream has come */
    ct_step_file_use *uses;               /* said while shapes were inferred */
    int use_count, use_room;
    atomic_bool looks_up; /* it has asked for directions on the sky */
    uint32_t brought;     /* flags ports that the pipeline connects, likewise */
    uint32_t updated;     /* tables that are filled before each block, a bit for each port */
    ct_step_live_start live;
    const char *warned; /* by the stage's infer, a sentence a line; NULL none */
    const char *said;   /* by a sink's close, likewise */
    const char *wrong;  /* what the stage asked for first and had not declared; NULL none */
    ct_probe probe;     /* while shapes were inferred */
    int64_t firing; /* new samples of port 0 along T; 0: shapes were not inferred, or it has no T */
    int ranges;
    ct_step_range range[CT_DIMS];
    ct_meta whole_meta[CT_PORTS]; /* where there are ranges: of its ports before */
    /* The descriptor, read once when the step is made and then never changed. */
    ct_port_dim dims[CT_PORTS][CT_DIMS];
    int64_t *values[CT_TUNABLES]; /* declared, of each tunable */
    int value_count[CT_TUNABLES];
    ct_condition *conditions;
    int condition_count;
    ct_step_term *terms;
    int term_count;
} ct_step_inner;

static inline ct_step_inner *ct_step_in(const ct_step *step)
{
    return step->inner;
}

/* Closes what ct_step_keep_open keeps. */
void ct_step_close_open(ct_step *step);

/* The stage asked for what it has not declared: kept until ct_step_complaint. */
void ct_step_complain(const ct_step *step, const char *what, const char *name);

/* Reads `dims`; how many, 0 for "*". */
int ct_port_parse(const ct_port *port, ct_port_dim out[CT_DIMS]);
/* The place in `array` of what this dimension stands for; -1 where absent. */
int ct_port_dim_find(const ct_port_dim *dim, const ct_array *array);
/* Puts the array's dimensions into the port's order; false where they do not fit the port. */
bool ct_port_order(const ct_port *port, ct_array *array);

/* Checks all parameters of a new step, adds every error. */
ct_status ct_param_check(ct_step *step, const char *const *known, ct_error *err);
/* Parses the defaults of CT_PARAM_ANY parameters. */
ct_status ct_param_defaults(ct_step *step, ct_error *err);
/* The declared parameter and its place; NULL where the stage declares none of this name. */
const ct_param *ct_param_find(const ct_stage *stage, const char *name, int *place);

/* The place of a tunable; -1 where the stage has none of this name. */
int ct_tunable_find(const ct_step *step, const char *name);
/* The next smaller of its declared values; 0 where there is none. */
int64_t ct_tunable_below(const ct_step *step, int tunable);
void ct_tunable_read_values(ct_step *step);

/* The expression that a name stands for; NULL where it is no term. */
const char *ct_terms_find(const ct_step *step, const char *name);
void ct_terms_collect(ct_step *step);
ct_status ct_terms_parse(ct_step *step, ct_error *err);
void ct_terms_free(ct_step *step);

/* Reads `where`, once parameters are known. */
ct_status ct_legal_parse(ct_step *step, ct_error *err);
void ct_legal_free(ct_step *step);
/* The first condition that does not hold; NULL where all do. */
const ct_condition *ct_legal_failing(const ct_step *step);
/* Tries the other values of one tunable, the nearest first, with so many further changes. */
bool ct_legal_mend_one(ct_step *step, int tunable, int changes);
/* Changes so many tunables, each as little as possible, until all are legal together. */
bool ct_legal_mend(ct_step *step, int changes);

#endif
