#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

class ScalarCoarsening final : public Coarsening {
public:
    ScalarCoarsening(OpenMP& backend, std::string_view finest) : backend_(backend), finest_(finest) {}

    std::optional<CoarserLevel> coarsen(const HostCsr<double>& a, const HostVector<double>& diagonal, double,
                                        SetupSeconds& seconds) override {
        if (std::exchange(is_finest_, false)) {
            const int passes = passes_for(a, diagonal, seconds);
            auto by_pairs = passes > 0 ? coarsen_by_pairs(backend_, a, diagonal, passes, seconds) : std::nullopt;
            if (by_pairs) return by_pairs;
        }
        return by_smoothed_aggregation(a, diagonal, seconds);
    }

private:
    int passes_for(const HostCsr<double>& a, const HostVector<double>& diagonal, SetupSeconds& seconds) const {
        if (is_surely_smoothed(a.n_rows, a.nnz(), finest_)) return 0;
        const Stopwatch watch;
        const int passes = pairing_passes(sample_neighbourhoods(a, diagonal), finest_);
        seconds.aggregate += watch.seconds();
        return passes;
    }

    std::optional<CoarserLevel> by_smoothed_aggregation(const HostCsr<double>& a, const HostVector<double>& diagonal,
                                                        SetupSeconds& seconds) {
        Stopwatch watch;
        const Strength is_strong(backend_, a);
        const Aggregates aggregates = greedy_aggregates(a, is_strong);
        seconds.aggregate += watch.restart();
        if (aggregates.count > least_shrinking * a.n_rows) return {};
        HostCsr<double> p = smoothed_prolongation(backend_, a, is_strong, aggregates);
        seconds.prolongate += watch.restart();
        HostCsr<double> restriction = transpose(backend_, p);
        HostCsr<double> coarse = galerkin_product(backend_, a, p, restriction);
        seconds.product += watch.restart();
        CoarserLevel coarser = settled_level(backend_, std::move(p), std::move(restriction), std::move(coarse),
                                             diagonal, coarsening_names::smoothed);
        seconds.product += watch.restart();
        return coarser;
    }

    OpenMP& backend_;
    std::string_view finest_;
    bool is_finest_ = true;
};

}  // namespace

std::unique_ptr<Coarsening> scalar_coarsening(OpenMP& backend, std::string_view finest) {
    return std::make_unique<ScalarCoarsening>(backend, finest);
}

}  // namespace stiefel::amg
