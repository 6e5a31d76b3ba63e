#include "stiefel/preconditioner/amg/coarsening.hpp"

#include "stiefel/preconditioner/amg/cuda/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/prolongation.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

class ScalarCoarsening final : public DeviceCoarsening {
public:
    ScalarCoarsening(Cuda& backend, double finest_spread) : backend_(backend), finest_spread_(finest_spread) {}

    std::optional<DeviceCoarserLevel> coarsen(const DeviceCsr<double>& a, DeviceMatrix& found,
                                              StepClock& clock) override {
        DeviceStrength strength = find_strong(backend_, a, found);
        LevelFacts facts;
        const DeviceAggregates aggregates = parallel_aggregates(backend_, a, strength, found, facts);
        clock.mark(&SetupSeconds::aggregate);
        check_coarse_diagonal(facts, finest_spread_);
        if (aggregates.count > least_shrinking * a.n_rows) return {};
        DeviceSpectralRadius radius(backend_, a, found, LevelFacts::number(facts.gershgorin));
        clock.mark(&SetupSeconds::smoother);
        DeviceCsr<double> p = smoothed_prolongation(backend_, a, strength, found, aggregates);
        strength = {};
        clock.mark(&SetupSeconds::prolongate);
        DeviceCsr<double> r = transpose(backend_, p);
        DeviceCsr<double> coarse = spgemm(backend_, r, spgemm(backend_, a, p));
        clock.mark(&SetupSeconds::product);
        DeviceMatrix coarse_found = looked_at(backend_, coarse);
        clock.mark(&SetupSeconds::aggregate);
        return DeviceCoarserLevel{std::move(radius), std::move(p), std::move(r), std::move(coarse),
                                  std::move(coarse_found)};
    }

private:
    Cuda& backend_;
    double finest_spread_;
};

}  // namespace

std::unique_ptr<DeviceCoarsening> scalar_coarsening(Cuda& backend, double finest_spread) {
    return std::make_unique<ScalarCoarsening>(backend, finest_spread);
}

}  // namespace stiefel::amg
