// third.cpp: a plug-in in C++: a third of every sample.
#include <cornerturn_stage.h>

#include <vector>

namespace
{

ct_status reference(const ct_step *, ct_array ports[], ct_error *)
{
    for (int64_t i = 0; i < ct_array_count(&ports[0]); i++) {
        const ct_complex x = ct_array_load(&ports[0], i);
        ct_array_save(&ports[1], i, x.re / 3, x.im / 3);
    }
    return CT_OK;
}

const ct_case cases[] = {{nullptr, "S=3 P=2 T=13", "cf32", nullptr}, {}};

ct_stage make()
{
    ct_stage stage = {};
    stage.api = CT_API;
    stage.version = 1;
    stage.name = "my.third";
    stage.summary = "a third of every sample";
    stage.ports[0] = {"X", CT_IN, 0, "SPT", "cf32 ci8", "*", nullptr, "voltages"};
    stage.ports[1] = {"Y", CT_OUT, 0, "SPT", "cf32", "*", nullptr, "a third of them"};
    stage.verify.cases = cases;
    stage.kernel.parallel = "T, P, S";
    stage.kernel.text = "kernel void third(CT_ARGS)\n"
                   "{\n"
                   "    if (CT_OUTSIDE) return;\n"
                   "    Y_SAVE(ID_S, ID_P, ID_T, X_LOAD(ID_S, ID_P, ID_T) / 3.0f);\n"
                   "}\n";
    stage.kernel.name = "third.cl";
    stage.kernel.entry = "third";
    stage.verify.tolerance = 1e-6;
    stage.verify.reference = reference;
    return stage;
}

} // namespace

CT_PLUGIN const ct_stage *const *ct_plugin(uint32_t api)
{
    static const ct_stage third = make();
    static const std::vector<const ct_stage *> stages = {&third, nullptr};
    return api == CT_API ? stages.data() : nullptr;
}
