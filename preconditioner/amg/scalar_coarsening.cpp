#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

namespace stiefel::amg {

namespace {

class ScalarCoarsening final : public Coarsening {
public:
    explicit ScalarCoarsening(OpenMP& backend) : backend_(backend) {}

    std::optional<CoarserLevel> coarsen(const HostCsr<double>& a, double, SetupSeconds& seconds) override {
        Stopwatch watch;
        const Strength is_strong(backend_, a);
        const Aggregates aggregates = greedy_aggregates(a, is_strong);
        seconds.aggregate += watch.restart();
        if (aggregates.count > least_shrinking * a.n_rows) return {};
        HostCsr<double> p = smoothed_prolongation(backend_, a, is_strong, aggregates);
        seconds.prolongate += watch.restart();
        HostCsr<double> coarse = galerkin_product(backend_, a, p);
        seconds.product += watch.restart();
        HostVector<double> diagonal = diagonal_of(backend_, coarse);
        check_positive(diagonal);
        return CoarserLevel{.prolongation = std::move(p), .a = std::move(coarse), .diagonal = std::move(diagonal)};
    }

private:
    OpenMP& backend_;
};

}  // namespace

std::unique_ptr<Coarsening> scalar_coarsening(OpenMP& backend) {
    return std::make_unique<ScalarCoarsening>(backend);
}

}  // namespace stiefel::amg
