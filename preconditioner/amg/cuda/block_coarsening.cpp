#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/cuda/block_diagonal.hpp"
#include "stiefel/preconditioner/amg/cuda/block_prolongation.hpp"
#include "stiefel/preconditioner/amg/cuda/coarsening.hpp"
#include "stiefel/preconditioner/amg/strength.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

class BlockCoarsening final : public DeviceCoarsening {
public:
    BlockCoarsening(Cuda& backend, DeviceNearNullSpace space) : backend_(backend), space_(std::move(space)) {}

    std::optional<DeviceCoarserLevel> coarsen(const DeviceCsr<double>& a, DeviceMatrix& found,
                                              StepClock& clock) override {
        if (blocks_.n_rows == 0) blocks_ = to_blocks(backend_, a, space_.height);
        const DeviceCsr<double> norms = block_norms(backend_, blocks_);
        DeviceMatrix found_of_norms = looked_at(backend_, norms);
        const DeviceStrength strength = find_strong(backend_, norms, found_of_norms, Strength::theta_of_blocks);
        LevelFacts facts_of_norms;
        const DeviceAggregates aggregates =
            parallel_aggregates(backend_, norms, strength, found_of_norms, facts_of_norms);
        const LevelFacts facts = load(backend_, found.facts);
        clock.mark(&SetupSeconds::aggregate);
        if (facts.first_bad_row != LevelFacts::none) throw NeedsHost{};
        if (aggregates.count > least_shrinking * norms.n_rows) return {};
        DeviceSpectralRadius radius(backend_, a, found, LevelFacts::number(facts.gershgorin));
        clock.mark(&SetupSeconds::smoother);
        DeviceTentativeProlongation t = tentative_prolongation(backend_, aggregates, std::move(space_));
        const DeviceBlockMatrix p =
            block_prolongation(backend_, blocks_, found.inverse_root, strength, aggregates, t, radius.value(backend_));
        space_ = std::move(t.coarse);
        clock.mark(&SetupSeconds::prolongate);
        const DeviceBlockMatrix r = transpose(backend_, p);
        blocks_ = product(backend_, r, product(backend_, blocks_, p));
        DeviceMatrix coarse_found = settled_diagonal(backend_, blocks_, r, found.diagonal);
        clock.mark(&SetupSeconds::product);
        DeviceCsr<double> coarse = to_csr(backend_, blocks_);
        look_at_rows(backend_, coarse, coarse_found);
        DeviceCoarserLevel coarser{std::move(radius), to_csr(backend_, p),     to_csr(backend_, r),
                                   std::move(coarse), std::move(coarse_found), coarsening_names::smoothed};
        clock.mark(&SetupSeconds::convert);
        return coarser;
    }

private:
    Cuda& backend_;
    DeviceNearNullSpace space_;
    DeviceBlockMatrix blocks_;  // A of the level at hand, once the finest has been seen
};

}  // namespace

std::unique_ptr<DeviceCoarsening> block_coarsening(Cuda& backend, DeviceNearNullSpace space) {
    return std::make_unique<BlockCoarsening>(backend, std::move(space));
}

}  // namespace stiefel::amg
