/* look.c: see look.h.
 * Room: tuner/pipeline. */
#include "look.h"

#include "confirm.h"
#include "fail.h"

typedef struct look {
    ct_status (*run)(ct_tuner *tuner, double share, ct_error *err);
    double share; /* of the time, at the end of which the next look begins */
    bool needed;  /* for a search to have come to its end */
} look;

static const look looks[] = {{ct_sweep_run, 0.4, false},      {ct_refine_run, 0.55, false},
                             {ct_values_run, 0.88, true},     {ct_refine_run, 0.9, false},
                             {ct_refine_again, 0.95, false},  {ct_refine_run, 0.97, true},
                             {ct_confirm_calibrate, 1, false}};
enum { LOOKS = sizeof looks / sizeof looks[0] };

/* What was cut though others then left some of the time. */
static const look rest[] = {
    {ct_values_run, 0.94, true}, {ct_refine_run, 0.97, true}, {ct_confirm_calibrate, 1, false}};
enum { REST = sizeof rest / sizeof rest[0] };

/* That a share of the time is over is no failure. */
static ct_status look_one(ct_tuner *tuner, const look *at, double share, bool *whole, ct_error *err)
{
    const ct_status status = at->run(tuner, at->share * share, err);
    if (status == CT_EOF && at->needed) *whole = false;
    return status == CT_EOF ? CT_OK : status;
}

static ct_status look_all(ct_tuner *tuner, const look *all, int count, double share, bool *whole,
                          ct_error *err)
{
    ct_status status = CT_OK;
    *whole = true;
    for (int i = 0; i < count; i++)
        CT_TRY(look_one(tuner, &all[i], share, whole, err));
out:
    return status;
}

ct_status ct_look_run(ct_tuner *tuner, double share, bool *whole, ct_error *err)
{
    static const look every[] = {{ct_sweep_all, 1, true}, {ct_confirm_calibrate, 1, false}};
    ct_status status = CT_OK;
    const bool exhaustive = tuner->options->exhaustive;
    CT_TRY(look_all(tuner, exhaustive ? every : looks, exhaustive ? 2 : LOOKS, share, whole, err));
    if (!*whole && !exhaustive) CT_TRY(look_all(tuner, rest, REST, share, whole, err));
    CT_TRY(ct_refine_bound(tuner, err));
out:
    return status;
}

ct_status ct_look_rest(ct_tuner *tuner, bool *whole, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(look_all(tuner, rest, REST, 1, whole, err));
    CT_TRY(ct_refine_bound(tuner, err));
out:
    return status;
}
