#include "stiefel/preconditioner/amg/coarsening.hpp"

#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/cuda/block_diagonal.hpp"
#include "stiefel/preconditioner/amg/cuda/block_prolongation.hpp"
#include "stiefel/preconditioner/amg/cuda/coarsening.hpp"
#include "stiefel/preconditioner/amg/steps.hpp"
#include "stiefel/preconditioner/amg/strength.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

class BlockCoarsening final : public DeviceCoarsening {
public:
    BlockCoarsening(DeviceNearNullSpace space, bool for_updates)
        : DeviceCoarsening(space.height), space_(std::move(space)), steps_(for_updates) {}

    std::optional<DeviceCoarserLevel> coarsen(Cuda& backend, const DeviceCsr<double>& a, DeviceMatrix& found,
                                              StepClock& clock) override {
        if (blocks_.n_rows == 0) blocks_ = to_blocks(backend, a, block_size());
        return steps_.repeats() ? repeated(backend, a, found, clock) : made(backend, a, found, clock);
    }

    void begin_again() override {
        blocks_ = {};
        steps_.begin_again();
    }
    Size bytes() const override { return steps_.bytes(); }

private:
    struct Step {
        DeviceBlockMatrix p, r;
        SharedTransfer<DeviceMemory> transfer;  ///< both by rows

        Size bytes() const { return p.bytes() + r.bytes() + transfer->bytes(); }
    };

    std::optional<DeviceCoarserLevel> made(Cuda& backend, const DeviceCsr<double>& a, DeviceMatrix& found,
                                           StepClock& clock) {
        const DeviceCsr<double> norms = block_norms(backend, blocks_);
        DeviceMatrix found_of_norms = looked_at(backend, norms);
        const DeviceStrength strength = find_strong(backend, norms, found_of_norms, Strength::theta_of_blocks);
        LevelFacts facts_of_norms;
        const DeviceAggregates aggregates =
            parallel_aggregates(backend, norms, strength, found_of_norms, facts_of_norms);
        const LevelFacts facts = load(backend, found.facts);
        clock.mark(&SetupSeconds::aggregate);
        if (facts.first_bad_row != LevelFacts::none) throw NeedsHost{};
        if (aggregates.count > least_shrinking * norms.n_rows) return {};
        DeviceSpectralRadius radius(backend, a, found, LevelFacts::number(facts.gershgorin));
        clock.mark(&SetupSeconds::smoother);
        DeviceTentativeProlongation t = tentative_prolongation(backend, aggregates, std::move(space_));
        DeviceBlockMatrix p =
            block_prolongation(backend, blocks_, found.inverse_root, strength, aggregates, t, radius.value(backend));
        space_ = std::move(t.coarse);
        clock.mark(&SetupSeconds::prolongate);
        DeviceBlockMatrix r = transpose(backend, p);
        DeviceMatrix coarse_found = multiply(backend, p, r, found, clock);
        auto transfer = share(to_csr(backend, p), to_csr(backend, r), coarsening_names::smoothed);
        steps_.keep({std::move(p), std::move(r), transfer});
        return next_level(backend, std::move(radius), std::move(transfer), std::move(coarse_found), clock);
    }

    std::optional<DeviceCoarserLevel> repeated(Cuda& backend, const DeviceCsr<double>& a, const DeviceMatrix& found,
                                               StepClock& clock) {
        const Step* const step = steps_.next();
        if (step == nullptr) return {};
        const LevelFacts facts = load(backend, found.facts);
        if (facts.first_bad_row != LevelFacts::none) throw NeedsHost{};
        DeviceSpectralRadius radius(backend, a, found, LevelFacts::number(facts.gershgorin));
        clock.mark(&SetupSeconds::smoother);
        DeviceMatrix coarse_found = multiply(backend, step->p, step->r, found, clock);
        return next_level(backend, std::move(radius), step->transfer, std::move(coarse_found), clock);
    }

    DeviceMatrix multiply(Cuda& backend, const DeviceBlockMatrix& p, const DeviceBlockMatrix& r,
                          const DeviceMatrix& found, StepClock& clock) {
        blocks_ = product(backend, r, product(backend, blocks_, p));
        DeviceMatrix coarse_found = settled_diagonal(backend, blocks_, r, found.diagonal);
        clock.mark(&SetupSeconds::product);
        return coarse_found;
    }

    DeviceCoarserLevel next_level(Cuda& backend, DeviceSpectralRadius radius, SharedTransfer<DeviceMemory> transfer,
                                  DeviceMatrix coarse_found, StepClock& clock) {
        DeviceCsr<double> coarse = to_csr(backend, blocks_);
        look_at_rows(backend, coarse, coarse_found);
        clock.mark(&SetupSeconds::convert);
        return {std::move(radius), std::move(transfer), std::move(coarse), std::move(coarse_found)};
    }

    DeviceNearNullSpace space_;
    DeviceBlockMatrix blocks_;  // A of the level at hand, once the finest has been seen
    Steps<Step> steps_;
};

}  // namespace

std::unique_ptr<DeviceCoarsening> block_device_coarsening(DeviceNearNullSpace space, bool for_updates) {
    return std::make_unique<BlockCoarsening>(std::move(space), for_updates);
}

}  // namespace stiefel::amg
