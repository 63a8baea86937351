/* sectors.cc: a plugin of Oclgrind (--plugins) that counts how neighbouring work-items' addresses
 * lie to each other, as a GPU's memory sees them. A request is one load or store of global memory
 * by the WARP neighbours of a group that run together: the n-th time that each of them comes to it.
 * It touches sectors of 32 bytes; the fewest are those that hold as many bytes as are different. At
 * the end of each launch a line goes to the file SECTORS_FILE: kernel, load or store, sectors, the
 * fewest. What a work-item accesses directly beside its last access, up to WIDEST bytes, is one
 * with that, as GPUs' compilers join them. Work-items that leave a loop at different times are
 * taken to run its rounds together, as they do on GPUs; no cache is counted. Room: tests/gpu. Knows
 * Oclgrind's plugins. Does not know stages, nor how many are too many. */
#include "oclgrind/common.h"

#include "oclgrind/Context.h"
#include "oclgrind/Kernel.h"
#include "oclgrind/KernelInvocation.h"
#include "oclgrind/Memory.h"
#include "oclgrind/Plugin.h"
#include "oclgrind/WorkGroup.h"
#include "oclgrind/WorkItem.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace
{

constexpr size_t WARP = 32, SECTOR = 32, WIDEST = 16;

struct sums {
    size_t sectors = 0, fewest = 0;
};

struct range {
    size_t begin, end;
};

/* The n-th time of an instruction in a warp, and what its work-items then access. */
using request = std::tuple<const llvm::Instruction *, size_t, size_t>;
using requests = std::map<request, std::vector<range>>;

/* Where a work-item's last access stands. */
struct last {
    const requests *of = nullptr;
    std::vector<range> *in = nullptr;
    size_t at = 0;
};

class sectors_plugin : public oclgrind::Plugin
{
  public:
    explicit sectors_plugin(const oclgrind::Context *context) : Plugin(context)
    {
    }

    bool isThreadSafe() const override
    {
        return false;
    }

    void memoryLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                    size_t size) override
    {
        take(memory, item, address, size, loads);
    }

    void memoryStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                     size_t size, const uint8_t *) override
    {
        take(memory, item, address, size, stores);
    }

    void workGroupComplete(const oclgrind::WorkGroup *) override
    {
        add(loads, loaded);
        add(stores, stored);
        times.clear();
        lasts.clear();
    }

    void kernelEnd(const oclgrind::KernelInvocation *launch) override
    {
        FILE *file = fopen(getenv("SECTORS_FILE"), "a");
        if (!file) return;
        write(file, launch, "load", loaded);
        write(file, launch, "store", stored);
        fclose(file);
    }

  private:
    requests loads, stores;
    std::unordered_map<const llvm::Instruction *, std::vector<size_t>>
        times; /* of each work-item of the group */
    std::vector<last> lasts;
    sums loaded, stored;

    /* Whether it is one with the work-item's last access. */
    static bool joined(const last &to, const requests &of, const range &r)
    {
        if (to.of != &of) return false;
        range &had = (*to.in)[to.at];
        if ((r.begin != had.end && r.end != had.begin) ||
            r.end - r.begin + had.end - had.begin > WIDEST)
            return false;
        had = {std::min(r.begin, had.begin), std::max(r.end, had.end)};
        return true;
    }

    void take(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
              size_t size, requests &to)
    {
        if (memory->getAddressSpace() != oclgrind::AddrSpaceGlobal) return;
        const oclgrind::Size3 id = item->getLocalID(), group = item->getWorkGroup()->getGroupSize();
        const size_t number = id.x + group.x * (id.y + group.y * id.z),
                     items = group.x * group.y * group.z;
        const llvm::Instruction *at = item->getCurrentInstruction();
        const range r = {address, address + size};
        lasts.resize(items);
        std::vector<size_t> &had = times[at];
        had.resize(items);
        const size_t now = had[number]++;
        if (joined(lasts[number], to, r)) return;
        std::vector<range> &in = to[{at, now, number / WARP}];
        lasts[number] = {&to, &in, in.size()};
        in.push_back(r);
    }

    static void add(requests &from, sums &to)
    {
        for (const auto &one : from) {
            std::set<size_t> sectors, bytes;
            for (const range &r : one.second) {
                for (size_t k = r.begin / SECTOR; k <= (r.end - 1) / SECTOR; k++)
                    sectors.insert(k);
                for (size_t k = r.begin; k < r.end; k++)
                    bytes.insert(k);
            }
            to.sectors += sectors.size();
            to.fewest += (bytes.size() + SECTOR - 1) / SECTOR;
        }
        from.clear();
    }

    static void write(FILE *file, const oclgrind::KernelInvocation *launch, const char *what,
                      sums &of)
    {
        fprintf(file, "%s\t%s\t%zu\t%zu\n", launch->getKernel()->getName().c_str(), what,
                of.sectors, of.fewest);
        of = sums();
    }
};

sectors_plugin *plugin;

} // namespace

/* The names by which Oclgrind finds a plugin. */
extern "C" void initializePlugins(oclgrind::Context *context)
{
    plugin = new sectors_plugin(context);
    context->registerPlugin(plugin);
}

extern "C" void releasePlugins(oclgrind::Context *context)
{
    context->unregisterPlugin(plugin);
    delete plugin;
    plugin = nullptr;
}
