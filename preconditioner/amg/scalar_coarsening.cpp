#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/preconditioner/amg/steps.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <utility>
#include <vector>

namespace stiefel::amg {

namespace {

class ScalarCoarsening final : public Coarsening {
public:
    ScalarCoarsening(std::string_view finest, bool for_updates) : Coarsening(1), finest_(finest), steps_(for_updates) {}

    std::optional<CoarserLevel> coarsen(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal,
                                        double, SetupSeconds& seconds) override {
        if (steps_.repeats()) return repeated(backend, a, diagonal, seconds);
        if (is_finest_) finest_rows_ = a.n_rows;
        if (std::exchange(is_finest_, false)) {
            const int passes = passes_for(a, diagonal, seconds);
            std::vector<Pairs> pairs;
            auto level = passes > 0 ? coarsen_by_pairs(backend, a, diagonal, passes, seconds,
                                                       steps_.is_kept() ? &pairs : nullptr)
                                    : std::nullopt;
            if (level) {
                steps_.keep({level->transfer, std::move(pairs)});
                return level;
            }
        }
        auto level = by_smoothed_aggregation(backend, a, diagonal, seconds);
        if (level) steps_.keep({level->transfer, {}});
        return level;
    }

    void begin_again() override { steps_.begin_again(); }
    Size bytes() const override { return steps_.bytes(); }

private:
    struct Step {
        SharedTransfer<HostMemory> transfer;
        std::vector<Pairs> pairs;  ///< of which the transfer was made; none if it is smoothed

        Size bytes() const {
            Size sum = transfer->bytes();
            for (const auto& pass : pairs) sum += pass.bytes();
            return sum;
        }
    };

    std::optional<CoarserLevel> repeated(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal,
                                         SetupSeconds& seconds) {
        const Step* const step = steps_.next();
        if (step == nullptr) return {};
        const Stopwatch watch;
        HostCsr<double> coarse = step->pairs.empty() ? galerkin_product(backend, a, step->transfer->prolongation,
                                                                        step->transfer->restriction)
                                                     : product_of_pairs(backend, a, step->pairs);
        CoarserLevel coarser = settled_level(backend, step->transfer, std::move(coarse), diagonal);
        seconds.product += watch.seconds();
        return coarser;
    }

    int passes_for(const HostCsr<double>& a, const HostVector<double>& diagonal, SetupSeconds& seconds) const {
        if (is_surely_smoothed(a.n_rows, a.nnz(), finest_)) return 0;
        const Stopwatch watch;
        const int passes = pairing_passes(sample_neighbourhoods(a, diagonal), finest_);
        seconds.aggregate += watch.seconds();
        return passes;
    }

    std::optional<CoarserLevel> by_smoothed_aggregation(OpenMP& backend, const HostCsr<double>& a,
                                                        const HostVector<double>& diagonal,
                                                        SetupSeconds& seconds) const {
        Stopwatch watch;
        const Strength is_strong(backend, a);
        const Aggregates aggregates = greedy_aggregates(a, is_strong);
        seconds.aggregate += watch.restart();
        if (aggregates.count > least_shrinking * a.n_rows) return {};
        HostCsr<double> p =
            smoothed_prolongation(backend, a, is_strong, aggregates, least_followed_of(a.n_rows, finest_rows_));
        seconds.prolongate += watch.restart();
        HostCsr<double> restriction = transpose(backend, p);
        HostCsr<double> coarse = galerkin_product(backend, a, p, restriction);
        seconds.product += watch.restart();
        CoarserLevel coarser =
            settled_level(backend, share(std::move(p), std::move(restriction), coarsening_names::smoothed),
                          std::move(coarse), diagonal);
        seconds.product += watch.restart();
        return coarser;
    }

    std::string_view finest_;
    bool is_finest_ = true;
    Index finest_rows_ = 0;
    Steps<Step> steps_;
};

}  // namespace

std::unique_ptr<Coarsening> scalar_coarsening(std::string_view finest, bool for_updates) {
    return std::make_unique<ScalarCoarsening>(finest, for_updates);
}

}  // namespace stiefel::amg
