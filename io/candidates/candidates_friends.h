/* candidates_friends.h: rows, which are boxcars above the threshold, and which of them one event
 * has made: friends of friends in time, dispersion measure, width and beam.
 * Room: io/candidates. Knows rows. Does not know files, blocks or metadata.
 * Order: fill in `beams`, `trials`, `sweep`, `found`, `to`; ct_friends_begin; for each bin that has
 * rows, or while ct_friends_wait says so: ct_friends_open, ct_friends_add for each row,
 * ct_friends_join; at last ct_friends_finish. What is found depends on the rows only. */
#ifndef CT_IO_CANDIDATES_FRIENDS_H
#define CT_IO_CANDIDATES_FRIENDS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CT_FRIENDS_ROWS = 256, /* of a bin that are compared with others */
    CT_FRIENDS_REACH = 4,  /* bins between the ends of two friends */
    CT_FRIENDS_COLUMNS = CT_FRIENDS_REACH + 1,
    CT_FRIENDS_PLACES = CT_FRIENDS_COLUMNS * CT_FRIENDS_ROWS,
    CT_FRIENDS_GROUPS = CT_FRIENDS_PLACES + 1 /* one that becomes part of another at once */
};

/* A boxcar above the threshold. */
typedef struct ct_row {
    double snr, dm;
    int64_t from, to;      /* samples along the time axis */
    int64_t sample, width; /* the same in the trial's own samples */
    int64_t trial, plane, beam;
    int64_t spread; /* neighbouring trials of which it is the strongest; 1: its own */
    int64_t group;
} ct_row;

/* Rows that one event has made, so far. */
typedef struct ct_group {
    ct_row best;
    int64_t members;
    double dm_low, dm_high;
    int64_t from, to; /* of all rows */
    int64_t widest;   /* of these, along the time axis */
    double snr_first; /* the largest S/N in trial `first`; 0: none */
    int64_t last_bin; /* in which a row of it ends */
    int64_t joined;   /* another group that it became part of; -1: none */
    bool used;
} ct_group;

/* What is carried from bin to bin, with what follows it in memory. */
typedef struct ct_friends_kept {
    int64_t bin;                       /* the present one */
    int64_t count[CT_FRIENDS_COLUMNS]; /* rows of bin n at n % COLUMNS */
    int64_t groups;                    /* in use */
    int64_t merged;                    /* rows for which a neighbour stands */
} ct_friends_kept;

typedef struct ct_friends {
    int64_t beams, trials;
    int64_t first; /* the trial whose S/N is kept as `snr_first` */
    double sweep;  /* samples along the time axis by which a unit of DM moves the band's lower end
                      against its upper one; 0: not known */
    /* A group has ended. */
    void (*found)(void *to, const ct_group *group, int64_t beams);
    void *to;
    ct_friends_kept *kept;
    ct_row *row;     /* [COLUMNS][ROWS], so PLACES */
    ct_group *group; /* [GROUPS] */
    uint64_t *in;    /* [GROUPS][words]: beams that a group's rows are in, a bit each */
    int64_t words, next;
    int64_t spread; /* of this bin: trials of a run */
    bool crowded;   /* it has more rows than are compared */
} ct_friends;

double ct_friends_bytes(double beams);
/* In as many zeroed bytes. Returns what follows them. */
void *ct_friends_begin(ct_friends *f, void *memory);
/* Bin `bin` begins, with `rows` rows. Where these are more than CT_FRIENDS_ROWS, the strongest of
 * each run of neighbouring trials, over all beams, stands for the others, which are its members. */
void ct_friends_open(ct_friends *f, int64_t bin, int64_t rows);
void ct_friends_add(ct_friends *f, const ct_row *row);
void ct_friends_join(ct_friends *f);
/* The bin that follows is needed even if it has no rows: groups wait for their end. */
bool ct_friends_wait(const ct_friends *f);
void ct_friends_finish(ct_friends *f);
/* One event may have made both: whatever their beams are. */
bool ct_friends_are(const ct_friends *f, const ct_row *a, const ct_row *b);

#endif
