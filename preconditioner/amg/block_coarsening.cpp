#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/block_prolongation.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

class BlockCoarsening final : public Coarsening {
public:
    BlockCoarsening(OpenMP& backend, NearNullSpace space) : backend_(backend), space_(std::move(space)) {}

    std::optional<CoarserLevel> coarsen(const HostCsr<double>& a, const HostVector<double>& diagonal, double radius,
                                        SetupSeconds& seconds) override {
        Stopwatch watch;
        if (blocks_.n_rows == 0) blocks_ = to_blocks(backend_, a, space_.block);
        const HostCsr<double> norms = block_norms(backend_, blocks_);
        const Strength is_strong(backend_, norms, Strength::theta_of_blocks);
        const Aggregates aggregates = greedy_aggregates(norms, is_strong);
        seconds.aggregate += watch.restart();
        if (aggregates.count > least_shrinking * norms.n_rows) return {};
        TentativeProlongation t = tentative_prolongation(backend_, aggregates, std::move(space_));
        const BlockMatrix p = block_prolongation(backend_, blocks_, is_strong, aggregates, t, radius);
        space_ = std::move(t.coarse);
        seconds.prolongate += watch.restart();
        const BlockMatrix p_transposed = transpose(backend_, p);
        blocks_ = product(backend_, p_transposed, product(backend_, blocks_, p));
        seconds.product += watch.restart();
        CoarserLevel coarser{.prolongation = to_csr(backend_, p),
                             .restriction = to_csr(backend_, p_transposed),
                             .a = to_csr(backend_, blocks_),
                             .diagonal = {},
                             .coarsening = coarsening_names::smoothed};
        CoarseDiagonal settled = coarse_diagonal(backend_, coarser.a, coarser.prolongation, diagonal);
        drop_absent(settled, coarser.a);
        drop_absent(settled, blocks_);
        coarser.diagonal = std::move(settled.values);
        seconds.convert += watch.restart();
        return coarser;
    }

private:
    OpenMP& backend_;
    NearNullSpace space_;
    BlockMatrix blocks_;  // A of the level at hand, once the finest has been seen
};

}  // namespace

std::unique_ptr<Coarsening> block_coarsening(OpenMP& backend, NearNullSpace space) {
    return std::make_unique<BlockCoarsening>(backend, std::move(space));
}

}  // namespace stiefel::amg
