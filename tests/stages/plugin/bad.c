/* bad.c: libraries that cannot be used, one for each name of a mistake that is defined. */
#include <cornerturn_stage.h>

static ct_status infer(ct_step *step, ct_error *err)
{
    (void)step, (void)err;
    return CT_OK;
}

#define STAGE(its_name, its_dims)                                                                  \
    {                                                                                              \
        .api = CT_API, .version = 1, .name = its_name,                                             \
        .ports = {{"X", CT_IN, 0, its_dims, "f32", "*", NULL, NULL},                               \
                  {"Y", CT_OUT, 0, "T", "f32", "*", NULL, NULL}},                                  \
        .infer = infer, .kernel = {                                                                \
            .text = "kernel void k(CT_ARGS) {}",                                                   \
            .name = "k.cl",                                                                        \
            .entry = "k",                                                                          \
            .parallel = "T"                                                                        \
        }                                                                                          \
    }

static const ct_stage good = STAGE("my.good", "T");
static const ct_stage taken = STAGE("fir", "T");
static const ct_stage wrong = STAGE("my.wrong", "SPT[C");
static const ct_stage *const stages[] = {
#ifdef GOOD
    &good,
#endif
#ifdef TAKEN
    &good, &taken,
#endif
#ifdef WRONG
    &good, &wrong,
#endif
    NULL};

#ifdef LACKING
const void *unused(void);
const void *unused(void)
{
    return &stages[0] + (good.name == taken.name) + (wrong.name != NULL);
}
#else
CT_PLUGIN const ct_stage *const *ct_plugin(uint32_t api)
{
#ifdef OTHER
    return api == CT_API + 1 ? stages : NULL;
#else
    return api == CT_API && good.name && taken.name && wrong.name ? stages : NULL;
#endif
}
#endif
