/* phases.c: see phases.h.
 * Room: tuner/pipeline. */
#include "phases.h"

#include "confirm.h"
#include "fail.h"

typedef struct phase {
    ct_status (*run)(ct_tuner *tuner, double share, ct_error *err); /* NULL: no further phase */
    double share; /* of the time, at the end of which the next phase begins */
    bool needed;  /* for a search to have come to its end */
} phase;

static const phase phases_search[] = {
    {ct_sweep_run, 0.4, false},           {ct_refine_run, 0.55, false},
    {ct_tunables_search_run, 0.88, true}, {ct_refine_run, 0.9, false},
    {ct_refine_again, 0.95, false},       {ct_refine_run, 0.97, true},
    {ct_confirm_calibrate, 1, false},     {NULL, 0, false}};
static const phase phases_exhaustive[] = {{ct_sweep_all, 1, true},
                                          {ct_refine_again, 1, false},
                                          {ct_confirm_calibrate, 1, false},
                                          {NULL, 0, false}};
/* Phases that are repeated where time is left. */
static const phase phases_rest[] = {{ct_tunables_search_run, 0.94, true},
                                    {ct_refine_run, 0.97, true},
                                    {ct_confirm_calibrate, 1, false},
                                    {NULL, 0, false}};

/* What the rest of the budget is for. */
static const phase phases_certain[] = {
    {ct_vary_run, 1, false},     {ct_tunables_search_run, 1, false}, {ct_refine_run, 1, false},
    {ct_refine_again, 1, false}, {ct_confirm_calibrate, 1, false},   {NULL, 0, false}};

/* The end of a phase's time is no failure. */
static ct_status phases_all(ct_tuner *tuner, const phase *at, double share, bool *whole,
                            ct_error *err)
{
    ct_status status = CT_OK;
    *whole = true;
    for (; at->run; at++) {
        status = at->run(tuner, at->share * share, err);
        if (status == CT_EOF && at->needed) *whole = false;
        if (status != CT_EOF) CT_TRY(status);
        status = CT_OK;
    }
out:
    return status;
}

ct_status ct_phases_run(ct_tuner *tuner, double share, bool *whole, ct_error *err)
{
    ct_status status = CT_OK;
    const bool exhaustive = tuner->options->exhaustive;
    CT_TRY(phases_all(tuner, exhaustive ? phases_exhaustive : phases_search, share, whole, err));
    if (!*whole && !exhaustive) CT_TRY(phases_all(tuner, phases_rest, share, whole, err));
    CT_TRY(ct_refine_bound(tuner, err));
out:
    return status;
}

ct_status ct_phases_rest(ct_tuner *tuner, bool *whole, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(phases_all(tuner, phases_rest, 1, whole, err));
    CT_TRY(ct_refine_bound(tuner, err));
out:
    return status;
}

ct_status ct_phases_certain(ct_tuner *tuner, ct_error *err)
{
    ct_status status = CT_OK;
    bool whole;
    CT_TRY(phases_all(tuner, phases_certain, 1, &whole, err));
    CT_TRY(ct_refine_bound(tuner, err));
out:
    return status;
}

bool ct_phases_is_certain(const ct_tuner *tuner)
{
    const double best = ct_tuner_best(tuner, NULL);
    return tuner->bound_s > 0 && ct_refine_is_doubted(tuner) &&
           ct_tuner_part(tuner, tuner->bound_s) >= best * (1 - ct_tuner_within(tuner));
}
