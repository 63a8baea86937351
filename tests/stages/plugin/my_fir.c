/* my_fir.c: the library's own stage fir, its sources unchanged, as a plug-in's stage my.fir. */
#include <cornerturn_stage.h>

extern const ct_stage ct_stage_fir;

CT_PLUGIN const ct_stage *const *ct_plugin(uint32_t api)
{
    static ct_stage mine;
    static const ct_stage *const stages[] = {&mine, NULL};
    mine = ct_stage_fir;
    mine.name = "my.fir";
    return api == CT_API ? stages : NULL;
}
