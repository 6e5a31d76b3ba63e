#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

namespace stiefel::amg {

namespace {

class ScalarCoarsening final : public Coarsening {
public:
    explicit ScalarCoarsening(OpenMP& backend) : backend_(backend) {}

    std::optional<CoarserLevel> coarsen(const HostCsr<double>& a, const HostVector<double>& diagonal, double,
                                        SetupSeconds& seconds) override {
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
        CoarseDiagonal settled = coarse_diagonal(backend_, coarse, p, diagonal);
        drop_absent(settled, coarse);
        seconds.product += watch.restart();
        return CoarserLevel{.prolongation = std::move(p),
                            .restriction = std::move(restriction),
                            .a = std::move(coarse),
                            .diagonal = std::move(settled.values)};
    }

private:
    OpenMP& backend_;
};

}  // namespace

std::unique_ptr<Coarsening> scalar_coarsening(OpenMP& backend) {
    return std::make_unique<ScalarCoarsening>(backend);
}

}  // namespace stiefel::amg
