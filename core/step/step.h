/* step.h: making a ct_step: parameters checked, shapes inferred, layouts and tunables set.
 * Room: core/step. Knows stages only through ct_stage. Does not know what is fast. Order:
 * ct_step_new, [inputs set], ct_step_infer, [ct_step_extend], ct_step_set_layout for each port,
 * ct_step_default_tunables or ct_step_set_tunable, ct_step_settle, then core/emit. */
#ifndef CT_CORE_STEP_H
#define CT_CORE_STEP_H
#include "cornerturn_stage.h"
#include "description.h"
#include "staged_output.h"
#include <stdatomic.h>

#define CT_STEP_PARAMS 32 /* most parameters of a stage */

/* What a source can learn on this rank only: these of `extent` indices along `dim`. */
typedef struct ct_probe {
    char dim; /* 0: it has asked for nothing */
    int64_t extent, first, count;
    bool divided; /* each rank has a range of its own */
} ct_probe;

/* Where a node stands, for messages: all borrowed, NULL outside a pipeline. */
typedef struct ct_source_location {
    const char *file;    /* the pipeline's name as given */
    const char *text;    /* its contents */
    const char *pointer; /* "/nodes/beams" */
    const char *folder;  /* relative files are taken from here; NULL: the working folder */
    const char *params;  /* "/params": where parameters stand in the object; NULL: in it */
    const ct_observation *observation; /* the pipeline's; NULL: it says nothing */
    bool (*may_wait)(void *graph);     /* ct_step_may_wait; NULL: true */
    /* ct_step_probe_range, ct_step_probe_allgather; NULL: there is one process */
    void (*probe_range)(void *graph, const ct_step *step, ct_probe *probe);
    ct_status (*probe_allgather)(void *graph, const ct_probe *probe, ct_status mine, void *records,
                                 size_t bytes, ct_error *err);
    /* Which stages make what a port needs of what there is, "detect or products"; NULL: none is
     * known. The text lives as the graph. */
    const char *(*between)(void *graph, const ct_array *there, const ct_port *needed);
    void *graph;
} ct_source_location;

/* Whether the stage, by what it declares, makes what the port needs of what there is. */
bool ct_step_leads(const ct_stage *between, const ct_array *there, const ct_port *needed);

/* Of a case in a stage's file, "/cases/0" (borrowed). */
ct_source_location ct_source_location_of_case(const ct_description *page, const char *pointer);

/* The keys that a node has whatever its stage, NULL at the end: no parameter is called so. */
const char *const *ct_step_keys(void);

/* `given`: the node's object (borrowed as long as the step lives); keys in `known` (NULL at the
 * end) are not the stage's. Checks every key, kind, range and choice, adds every error, then
 * returns CT_INVALID. */
ct_status ct_step_new(ct_step **out, const ct_stage *stage, const char *name, const ct_value *given,
                      const char *const *known, const ct_source_location *location, ct_error *err);
ct_status ct_step_copy(ct_step **out, const ct_step *step, ct_error *err); /* shares `given`; meta
                      pointers and ct_step_alloc memory stay with the original */
void ct_step_free(ct_step *step);
/* What the step is for (NULL: a CPU that is not open); borrowed until the step has been given
 * another one, for as long as a stage is asked for defaults, legal combinations or text. Its
 * answers (ct_step_device_accepts) are kept without it. */
void ct_step_set_device(ct_step *step, const ct_device *device);

/* Checks inputs' dims and types against the ports, sets outputs to port 0's dims where the port
 * names them, calls infer, then sets outputs' T extents (T of port 0 * accumulate / decimate).
 * Where an output accumulates and decimate is a multiple of the block, accumulate becomes that
 * multiple and T 1; kernels then see the new samples of a firing as DECIMATE. Optional outputs get
 * their shapes too: who leaves one unconnected sets its type to CT_NONE. */
ct_status ct_step_infer(ct_step *step, ct_error *err);
/* Whether a stage has outputs that may accumulate. */
bool ct_accumulate_declared(const ct_stage *stage);
/* What is wrong with the port's flags about that; NULL nothing. */
const char *ct_accumulate_wrong(const ct_stage *stage, int port);
/* New samples of port 0 along T that a firing takes, without the overlap; 0 where it has no T. */
int64_t ct_step_firing(const ct_step *step);
/* Of how many of them an output sample is made: `decimate`, or all where outputs accumulate. */
int64_t ct_step_per_firing(const ct_step *step);
/* Whether an output that is connected accumulates; whether its sums may begin and end inside a
 * firing, too. */
bool ct_step_accumulates(const ct_step *step);
bool ct_step_carries(const ct_step *step);
/* Says that the pipeline connects a port that takes flags, or that the run does. */
void ct_step_bring(ct_step *step, int port, bool brought);
bool ct_step_brought(const ct_step *step, int port);
/* The shape of port 0's flags as a port takes them: one byte per station (one where there are none)
 * and sample, and where `channels` is true and the port has C, per channel. */
ct_array ct_step_flags(const ct_step *step, int port, bool channels);
/* A port with CT_PORT_FLAGS takes them or gives them. */
bool ct_port_takes_flags(const ct_port *port);
bool ct_port_gives_flags(const ct_port *port);
/* Whether verify allows no error in this output's integers. */
bool ct_port_is_exact(const ct_port *port);
/* Why a stage cannot have such a flags port; NULL where it can. */
const char *ct_flags_wrong(const ct_stage *stage, int port);
/* Flags that the step gives are of the stations that its other outputs have. */
ct_status ct_step_check_flags(const ct_step *step, ct_error *err);
/* Whether an input takes samples of the block before: port 0, and its flags. */
bool ct_step_has_history(const ct_step *step, int port);
/* Lengthens port 0 along T by the overlap (and its flags). */
void ct_step_extend(ct_step *step);
/* What a port can read or write ("*C"; not "=X") in the array's own letters: the port says B where
 * this array may have S. Returns `out`. */
enum { CT_STEP_PATTERN = 64 };
const char *ct_step_pattern(const ct_step *step, int port, char out[CT_STEP_PATTERN]);
/* What a port prefers, likewise in the array's own letters; rank 0 where it prefers nothing. */
ct_layout ct_step_prefer(const ct_step *step, int port);
/* Dense strides in this layout; CT_INVALID where the port's pattern forbids it. */
ct_status ct_step_set_layout(ct_step *step, int port, const ct_layout *layout, ct_error *err);

/* All layouts that a port may have (`only` not NULL: those of this word); how many, -1 where
 * there is no memory for them. `list` is the caller's, released with ct_memory_free. */
int64_t ct_step_layouts(ct_layout **list, const ct_step *step, int port, const char *only);

/* Every port in natural order, or the first that it can have; tunables at their defaults. */
ct_status ct_step_plain(ct_step *step, ct_error *err);

/* When layouts and tunables are set, on a step that keeps them: disconnects optional scratch and
 * tables that the stage then does not need. */
void ct_step_settle(ct_step *step);

/* A sentence where the stage's functions have asked for what it does not declare (CT_INVALID), or
 * for memory that there is not (CT_FAILED). */
ct_status ct_step_complaint(const ct_step *step, ct_error *err);
/* What a function of the stage has returned, but CT_FAILED and a sentence where ct_step_alloc has
 * given it NULL. */
ct_status ct_step_answer(const ct_step *step, ct_status said, ct_error *err);

/* The flag that says that the run shall stop; borrowed, NULL: none. */
void ct_step_watch(ct_step *step, const atomic_bool *stop);
/* What ct_step_reads and ct_step_writes said since shapes were inferred last. */
typedef struct ct_step_file_use {
    const char *param, *file;
    bool written;
} ct_step_file_use;
const ct_step_file_use *ct_step_uses(const ct_step *step, int *count);
/* What ct_step_warn said since then, a sentence a line; "" nothing. */
const char *ct_step_warned(const ct_step *step);
/* What ct_step_say said, likewise; NULL nothing. */
const char *ct_step_said(const ct_step *step);
/* The dimension along which its source learns of a range on each rank, and so has to be split; 0
 * none. */
char ct_step_probed_dim(const ct_step *step);
/* The files that a sink has made or is making; NULL none. */
ct_staged *ct_step_staged(const ct_step *step);
/* What it makes from now on another process makes (ct_staged_join). */
ct_status ct_step_join(ct_step *step, const ct_resumable *list, size_t count, ct_error *err);
/* What it makes from now on outlives a run that dies (ct_staged_set_resumable). */
ct_status ct_step_set_resumable(ct_step *step, ct_error *err);
/* Of a step that is ready: whether the expressions of its stage's file (NULL: a program's) that
 * were not needed so far have values here. */
ct_status ct_step_check_values(const ct_step *step, const ct_description *page, ct_error *err);
void ct_step_set_incomplete(ct_step *step, const char *why);
/* Whether what its source sends comes even if it is not read; how many seconds it is until it does,
 * where it would start later if shapes were inferred anew, else INFINITY. */
bool ct_step_is_live(const ct_step *step);
double ct_step_left_s(const ct_step *step);
/* Whether this port is a table that is filled before each block. */
bool ct_step_is_updated(const ct_step *step, int port);
/* Whether it has asked for directions on the sky. */
bool ct_step_looks_up(const ct_step *step);

/* What a stage is in a pipeline: data come from sources and go to sinks, on the host; the rest runs
 * on the device. */
typedef enum ct_role { CT_ROLE_SOURCE, CT_ROLE_SINK, CT_ROLE_KERNEL } ct_role;
ct_role ct_role_of_stage(const ct_stage *stage);
ct_role ct_role_of(const ct_step *step);
/* A source or sink that a thread of the run may read or write. */
bool ct_step_is_threaded(const ct_step *step);
int ct_step_first_output(const ct_step *step); /* the port that a node's plain name means; -1 */

int ct_step_ports(const ct_step *step);                       /* declared ports */
int ct_step_tunables(const ct_step *step);                    /* declared tunables */
int ct_step_find_port(const ct_step *step, const char *name); /* either case; -1 */
/* The letters of a port's accessor and each one's own letter in this step ('-' absent). */
void ct_step_letters(const ct_step *step, int port, char letters[CT_DIMS + 1],
                     char aliases[CT_DIMS + 1]);

void ct_step_default_tunables(ct_step *step); /* declared, then suggest(), then the nearest legal */
ct_status ct_step_set_tunable(ct_step *step, const char *name, const char *word, ct_error *err);
/* The tunable's place, its value in values[]; -1 and an error where there is no such. */
int ct_step_read_tunable(const ct_step *step, const char *name, const char *word,
                         int64_t values[CT_TUNABLES], ct_error *err);
const char *ct_step_tunable_word(const ct_step *step, int tunable, char buffer[32]);
const char *ct_step_value_word(const ct_step *step, int tunable, int64_t value, char buffer[32]);
int ct_step_tunable_count(const ct_step *step, int tunable);            /* declared values */
int64_t ct_step_tunable_value(const ct_step *step, int tunable, int n); /* the n-th of them */
bool ct_step_tunable_declared(const ct_step *step, int tunable, int64_t value);
bool ct_step_is_legal(const ct_step *step); /* where and legal() */
/* For a walk that sets one tunable after the other: do the conditions of `where` hold that need no
 * tunable beyond this one, and needed it? */
bool ct_step_is_legal_so_far(const ct_step *step, int tunable);
/* Makes a combination legal by other values of at most two other tunables than this one, and than
 * those that are fixed (NULL: none); false, and nothing changed, where that cannot be. */
bool ct_step_mend_around(ct_step *step, int tunable, const bool *fixed);
/* Says what is not legal, with the numbers, and which changes would help. Tries them on `step`. */
void ct_step_say_illegal(ct_step *step, ct_text *sentence);
/* The extent of an accessor letter where all connected ports that have it agree. */
bool ct_step_extent(const ct_step *step, char letter, int64_t *value);
/* As ct_step_fail, of data: CT_DATA. */
ct_status ct_step_fail_data(const ct_step *step, const char *param, ct_error *err,
                            const char *format, ...) CT_PRINTF(4, 5);
/* "lofar.json:6:35: /nodes/beams/weights: " or "stage fir: taps: " */
void ct_source_location_print(char *out, size_t size, const ct_source_location *location,
                              const char *suffix, bool key);

#endif
