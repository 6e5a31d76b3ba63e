#include "stiefel/preconditioner/amg/coarsening.hpp"

#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/cuda/coarsening.hpp"
#include "stiefel/preconditioner/amg/cuda/neighbourhoods.hpp"
#include "stiefel/preconditioner/amg/cuda/pairs.hpp"
#include "stiefel/preconditioner/amg/cuda/prolongation.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/preconditioner/amg/steps.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <utility>
#include <vector>

namespace stiefel::amg {

namespace {

/// P' A P, in the way that is fastest: by halves where these save more than their sum takes, without counting A P where
/// hardly a row of it has more terms than that is made for.
DeviceCsr<double> coarse_product(Cuda& backend, const DeviceCsr<double>& a, const DeviceCsr<double>& p,
                                 const DeviceCsr<double>& r) {
    constexpr Size many = 4'000'000, long_row = 12, few_terms = 28;
    if (a.nnz() >= many && a.nnz() >= long_row * a.n_rows) return galerkin_product(backend, a, p, r);
    const double terms_of_row = static_cast<double>(a.nnz()) / a.n_rows * static_cast<double>(p.nnz()) / p.n_rows;
    if (terms_of_row <= few_terms) return short_galerkin_product(backend, a, p, r);
    return spgemm(backend, r, spgemm(backend, a, p));
}

class ScalarCoarsening final : public DeviceCoarsening {
public:
    ScalarCoarsening(std::string_view finest, bool for_updates)
        : DeviceCoarsening(1), finest_(finest), steps_(for_updates) {}

    std::optional<DeviceCoarserLevel> coarsen(Cuda& backend, const DeviceCsr<double>& a, DeviceMatrix& found,
                                              StepClock& clock) override {
        if (steps_.repeats()) return repeated(backend, a, found, clock);
        if (is_finest_) finest_rows_ = a.n_rows;
        if (std::exchange(is_finest_, false) && !is_surely_smoothed(a.n_rows, a.nnz(), finest_)) {
            const int passes = pairing_passes(sample_neighbourhoods(backend, a, found), finest_);
            auto level = passes > 0 ? by_pairs(backend, a, found, passes, clock) : std::nullopt;
            if (level) return level;
        }
        return by_smoothed_aggregation(backend, a, found, clock);
    }

    void begin_again() override { steps_.begin_again(); }
    Size bytes() const override { return steps_.bytes(); }

private:
    struct Step {
        SharedTransfer<DeviceMemory> transfer;
        std::vector<DevicePairs> pairs;  ///< of which the transfer was made; none if it is smoothed

        Size bytes() const {
            Size sum = transfer->bytes();
            for (const auto& pass : pairs) sum += pass.bytes();
            return sum;
        }
    };

    std::optional<DeviceCoarserLevel> repeated(Cuda& backend, const DeviceCsr<double>& a, const DeviceMatrix& found,
                                               StepClock& clock) {
        const Step* const step = steps_.next();
        if (step == nullptr) return {};
        const LevelFacts facts = load(backend, found.facts);
        check_coarse_diagonal(facts, finest_spread);
        DeviceSpectralRadius radius(backend, a, found, LevelFacts::number(facts.gershgorin));
        clock.mark(&SetupSeconds::smoother);
        const auto& [transfer, pairs] = *step;
        DeviceCsr<double> coarse;
        for (std::size_t pass = 0; pass < pairs.size(); ++pass) {
            coarse = product_of_pass(backend, pass == 0 ? a : coarse, pairs[pass], pass + 1 == pairs.size());
        }
        if (pairs.empty()) {
            coarse = coarse_product(backend, a, transfer->prolongation, transfer->restriction);
        }
        clock.mark(&SetupSeconds::product);
        DeviceMatrix coarse_found = looked_at(backend, coarse);
        clock.mark(&SetupSeconds::aggregate);
        return DeviceCoarserLevel{std::move(radius), transfer, std::move(coarse), std::move(coarse_found)};
    }

    std::optional<DeviceCoarserLevel> by_smoothed_aggregation(Cuda& backend, const DeviceCsr<double>& a,
                                                              DeviceMatrix& found, StepClock& clock) {
        DeviceStrength strength = find_strong(backend, a, found);
        LevelFacts facts;
        const DeviceAggregates aggregates = parallel_aggregates(backend, a, strength, found, facts);
        clock.mark(&SetupSeconds::aggregate);
        check_coarse_diagonal(facts, finest_spread);
        if (aggregates.count > least_shrinking * a.n_rows) return {};
        DeviceSpectralRadius radius(backend, a, found, LevelFacts::number(facts.gershgorin));
        clock.mark(&SetupSeconds::smoother);
        DeviceCsr<double> p = smoothed_prolongation(backend, a, std::move(strength), found, aggregates,
                                                    least_followed_of(a.n_rows, finest_rows_));
        clock.mark(&SetupSeconds::prolongate);
        DeviceCsr<double> r = transpose(backend, p);
        DeviceCsr<double> coarse = coarse_product(backend, a, p, r);
        clock.mark(&SetupSeconds::product);
        DeviceMatrix coarse_found = looked_at(backend, coarse);
        clock.mark(&SetupSeconds::aggregate);
        auto transfer = share(std::move(p), std::move(r), coarsening_names::smoothed);
        steps_.keep({transfer, {}});
        return DeviceCoarserLevel{std::move(radius), std::move(transfer), std::move(coarse), std::move(coarse_found)};
    }

    std::optional<DeviceCoarserLevel> by_pairs(Cuda& backend, const DeviceCsr<double>& a, const DeviceMatrix& found,
                                               int passes, StepClock& clock) {
        DeviceSpectralRadius radius(backend, a, found, LevelFacts::number(load(backend, found.facts).gershgorin));
        clock.mark(&SetupSeconds::smoother);
        DeviceVector<Index> aggregate_of;
        DeviceCsr<double> coarse;
        DeviceMatrix coarse_found;
        std::vector<DevicePairs> all_pairs;
        const DeviceVector<GridLines> lines = lines_of(backend, a);
        DeviceVector<Index> number;  // on the grid of a, of the nodes of `coarse`
        for (int pass = 0; pass < passes; ++pass) {
            const DeviceCsr<double>& from = pass == 0 ? a : coarse;
            const GridPlaces places{lines.data(), number.data()};
            DevicePairs pairs = strongest_pairs(backend, from, pass == 0 ? found : coarse_found, places);
            if (pass + 1 < passes) number = numbers_of(backend, pairs, places);
            clock.mark(&SetupSeconds::aggregate);
            coarse = product_of_pass(backend, from, pairs, pass + 1 == passes);
            clock.mark(&SetupSeconds::product);
            coarse_found = looked_at(backend, coarse);
            if (pass > 0) {
                renumber(backend, pairs.of_node, aggregate_of);
            } else if (steps_.is_kept()) {
                aggregate_of = make_vector<Index>(backend, pairs.of_node.size());
                backend.copy_bytes(aggregate_of.data(), pairs.of_node.data(), aggregate_of.bytes());
            } else {
                aggregate_of = std::move(pairs.of_node);
            }
            if (steps_.is_kept()) all_pairs.push_back(std::move(pairs));
            clock.mark(&SetupSeconds::aggregate);
        }
        if (coarse.n_rows > least_shrinking * a.n_rows) return {};
        DeviceCsr<double> p = indicator(backend, std::move(aggregate_of), coarse.n_rows);
        DeviceCsr<double> r = transpose(backend, p);
        clock.mark(&SetupSeconds::prolongate);
        auto transfer = share(std::move(p), std::move(r), coarsening_names::pairs);
        steps_.keep({transfer, std::move(all_pairs)});
        return DeviceCoarserLevel{std::move(radius), std::move(transfer), std::move(coarse), std::move(coarse_found)};
    }

    static DeviceCsr<double> product_of_pass(Cuda& backend, const DeviceCsr<double>& from, const DevicePairs& pairs,
                                             bool is_last) {
        if (!is_last) return sum_of_pairs(backend, from, pairs.of_node, pairs, 1);
        DeviceCsr<double> coarse = sum_of_pairs(backend, from, pairs.of_node, pairs, 1 / over_correction);
        keep_row_sums(backend, coarse, over_correction - 1);
        keep_weak_couplings(backend, coarse, looked_at(backend, coarse), over_correction - 1);
        return coarse;
    }

    std::string_view finest_;
    bool is_finest_ = true;
    Index finest_rows_ = 0;
    Steps<Step> steps_;
};

}  // namespace

std::unique_ptr<DeviceCoarsening> scalar_device_coarsening(std::string_view finest, bool for_updates) {
    return std::make_unique<ScalarCoarsening>(finest, for_updates);
}

}  // namespace stiefel::amg
