// consumer_beams.cpp: what consumer_beams.c does, as C++ would: vectors, objects that free themselves, strides walked
// by hand, and weights in another order.
//
//     beams PIPELINE SAMPLES OUT [WEIGHTS]
#include <cornerturn_stage.h>

#include <complex>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace
{

template <typename T, void (*free_it)(T *)> struct Free {
    void operator()(T *one) const
    {
        free_it(one);
    }
};
using Context = std::unique_ptr<ct_context, Free<ct_context, ct_context_free>>;
using Device = std::unique_ptr<ct_device, Free<ct_device, ct_device_free>>;
using Graph = std::unique_ptr<ct_graph, Free<ct_graph, ct_graph_free>>;
using Plan = std::unique_ptr<ct_plan, Free<ct_plan, ct_plan_free>>;
using Run = std::unique_ptr<ct_run, Free<ct_run, ct_run_free>>;

void must(ct_status status, const ct_error &err)
{
    if (status != CT_OK) throw std::runtime_error(err.text);
}

std::vector<char> load(const char *file)
{
    std::ifstream from(file, std::ios::binary);
    if (!from) throw std::runtime_error(std::string(file) + " cannot be read");
    return std::vector<char>(std::istreambuf_iterator<char>(from), {});
}

struct Buffer {
    std::vector<char> data;
    std::size_t at = 0; // bytes read or written so far
};

// Calls does(element of the block, size) for all but T, in natural order.
template <typename Does> void each(const ct_array *block, int64_t t, Does does)
{
    const std::size_t size = ct_type_bits(block->type) / 8;

    const int64_t all = ct_array_count(block) / ct_array_extent(block, 'T');
    for (int64_t n = 0; n < all; n++) {
        int64_t rest = n, element = block->offset + t * ct_array_stride(block, 'T');
        for (int d = block->rank - 1; d >= 0; d--) {
            if (block->dim[d] == 'T') continue;
            element += rest % block->extent[d] * block->stride[d];
            rest /= block->extent[d];
        }
        does(static_cast<char *>(block->data) + static_cast<std::size_t>(element) * size, size);
    }
}

ct_status read_block(void *state, ct_array *block, uint8_t *, int64_t *got, ct_error *)
{
    auto &own = *static_cast<Buffer *>(state);
    *got = 0;
    for (int64_t t = 0; t < ct_array_extent(block, 'T') && own.at < own.data.size(); t++, ++*got)
        each(block, t, [&](char *element, std::size_t size) {
            std::memcpy(element, &own.data[own.at], size);
            own.at += size;
        });
    return CT_OK;
}

ct_status write_block(void *state, const ct_array *block, int64_t first, int64_t count, ct_error *)
{
    auto &own = *static_cast<Buffer *>(state);
    for (int64_t t = first; t < first + count; t++)
        each(block, t, [&](const char *element, std::size_t size) {
            own.data.insert(own.data.end(), element, element + size);
        });
    return CT_OK;
}

// From B,S to doubles in the order C,S,B, the same for all channels.
void change_weights(ct_run *run, const ct_plan *plan, const char *file)
{
    ct_error err = {};
    ct_layout order = {};
    const ct_array *table = nullptr;
    must(ct_plan_find(&table, plan, "beams.W", &err), err);
    must(ct_layout_parse(&order, "CSB", &err), err);
    const std::vector<char> bytes = load(file);
    const int64_t beams = ct_array_extent(table, 'B'), stations = ct_array_extent(table, 'S');
    const int64_t channels = ct_array_extent(table, 'C');
    std::vector<std::complex<double>> weights(static_cast<std::size_t>(ct_array_count(table)));
    for (int64_t n = 0; n < ct_array_count(table); n++) {
        const int64_t b = n % beams, s = n / beams % stations;
        std::complex<float> one;
        std::memcpy(&one, &bytes[static_cast<std::size_t>(b * stations + s) * sizeof one],
                    sizeof one);
        weights[static_cast<std::size_t>(n)] = one;
    }
    if (channels * stations * beams != ct_array_count(table))
        throw std::runtime_error("the weights have other dimensions");
    ct_array fill = *table;
    fill.type = CT_CF64;
    fill.data = weights.data();
    if (!ct_array_dense(&fill, &order)) throw std::runtime_error("no such order");
    must(ct_run_table(run, "beams", "W", &fill, &err), err);
}

template <typename Object, typename Made, typename... Arguments>
Object make(ct_status (*call)(Made **, Arguments...), Arguments... arguments)
{
    Made *made = nullptr;
    must(call(&made, arguments...), *std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)));
    return Object(made);
}

void run(const char *pipeline, const char *samples, const char *out, const char *weights)
{
    ct_error err = {};
    const char *const *settings = nullptr;
    const char *name = nullptr;
    Context context = make<Context>(ct_context_open, &err);
    Device device = make<Device>(ct_device_open, name, &err);
    Graph graph = make<Graph>(ct_graph_load, context.get(), pipeline, settings, &err);
    const ct_graph *shapes = graph.get();
    const ct_device *on = device.get();
    Plan plan = make<Plan>(ct_plan_default, shapes, on, &err);
    const ct_plan *how = plan.get();
    Run now = make<Run>(ct_run_new, how, device.get(), &err);
    Buffer in, beams;
    in.data = load(samples);
    ct_io from = {sizeof from, &in, read_block, nullptr, nullptr};
    ct_io to = {sizeof to, &beams, nullptr, write_block, nullptr};
    must(ct_run_bind(now.get(), "in", &from, &err), err);
    must(ct_run_bind(now.get(), "out", &to, &err), err);
    ct_status status = CT_OK;
    for (int block = 0; status == CT_OK; block++) {
        if (block == 2 && weights) change_weights(now.get(), how, weights);
        status = ct_run_block(now.get(), &err);
    }
    must(status == CT_EOF ? ct_run_finish(now.get(), &err) : status, err);
    std::ofstream(out, std::ios::binary)
        .write(beams.data.data(), static_cast<std::streamsize>(beams.data.size()));
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc < 4) return CT_USAGE;
    run(argv[1], argv[2], argv[3], argc > 4 ? argv[4] : nullptr);
    return 0;
} catch (const std::exception &why) {
    std::fprintf(stderr, "%s\n", why.what());
    return CT_FAILED;
}
