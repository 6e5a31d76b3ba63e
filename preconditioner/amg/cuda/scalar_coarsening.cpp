#include "stiefel/preconditioner/amg/coarsening.hpp"

#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/cuda/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/neighbourhoods.hpp"
#include "stiefel/preconditioner/amg/cuda/pairs.hpp"
#include "stiefel/preconditioner/amg/cuda/prolongation.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

class ScalarCoarsening final : public DeviceCoarsening {
public:
    ScalarCoarsening(Cuda& backend, double finest_spread, std::string_view finest)
        : backend_(backend), finest_spread_(finest_spread), finest_(finest) {}

    std::optional<DeviceCoarserLevel> coarsen(const DeviceCsr<double>& a, DeviceMatrix& found,
                                              StepClock& clock) override {
        if (std::exchange(is_finest_, false) && !is_surely_smoothed(a.n_rows, a.nnz(), finest_)) {
            const int passes = pairing_passes(sample_neighbourhoods(backend_, a, found), finest_);
            auto by_pairs = passes > 0 ? this->by_pairs(a, found, passes, clock) : std::nullopt;
            if (by_pairs) return by_pairs;
        }
        return by_smoothed_aggregation(a, found, clock);
    }

private:
    std::optional<DeviceCoarserLevel> by_smoothed_aggregation(const DeviceCsr<double>& a, DeviceMatrix& found,
                                                              StepClock& clock) {
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
        return DeviceCoarserLevel{
            std::move(radius),         std::move(p), std::move(r), std::move(coarse), std::move(coarse_found),
            coarsening_names::smoothed};
    }

    std::optional<DeviceCoarserLevel> by_pairs(const DeviceCsr<double>& a, const DeviceMatrix& found, int passes,
                                               StepClock& clock) {
        DeviceSpectralRadius radius(backend_, a, found, LevelFacts::number(load(backend_, found.facts).gershgorin));
        clock.mark(&SetupSeconds::smoother);
        DeviceVector<Index> aggregate_of;
        DeviceCsr<double> coarse;
        DeviceMatrix coarse_found;
        for (int pass = 0; pass < passes; ++pass) {
            const DeviceCsr<double>& from = pass == 0 ? a : coarse;
            DevicePairs pairs = strongest_pairs(backend_, from, pass == 0 ? found : coarse_found);
            if (pass == 0) {
                aggregate_of = std::move(pairs.of_node);
            } else {
                renumber(backend_, pairs.of_node, aggregate_of);
            }
            clock.mark(&SetupSeconds::aggregate);
            const double factor = pass + 1 == passes ? 1 / over_correction : 1;
            coarse = sum_of_pairs(backend_, from, pass == 0 ? aggregate_of : pairs.of_node, pairs, factor);
            clock.mark(&SetupSeconds::product);
            coarse_found = looked_at(backend_, coarse);
            clock.mark(&SetupSeconds::aggregate);
        }
        if (coarse.n_rows > least_shrinking * a.n_rows) return {};
        DeviceCsr<double> p = indicator(backend_, std::move(aggregate_of), coarse.n_rows);
        DeviceCsr<double> r = transpose(backend_, p);
        clock.mark(&SetupSeconds::prolongate);
        return DeviceCoarserLevel{std::move(radius),       std::move(p),           std::move(r), std::move(coarse),
                                  std::move(coarse_found), coarsening_names::pairs};
    }

    Cuda& backend_;
    double finest_spread_;
    std::string_view finest_;
    bool is_finest_ = true;
};

}  // namespace

std::unique_ptr<DeviceCoarsening> scalar_coarsening(Cuda& backend, double finest_spread, std::string_view finest) {
    return std::make_unique<ScalarCoarsening>(backend, finest_spread, finest);
}

}  // namespace stiefel::amg
