#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/block_prolongation.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/steps.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

class BlockCoarsening final : public Coarsening {
public:
    BlockCoarsening(NearNullSpace space, bool for_updates)
        : Coarsening(space.block), space_(std::move(space)), steps_(for_updates) {}

    std::optional<CoarserLevel> coarsen(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal,
                                        double radius, SetupSeconds& seconds) override {
        if (blocks_.n_rows == 0) blocks_ = to_blocks(backend, a, block_size());
        if (!steps_.repeats()) return made(backend, diagonal, radius, seconds);
        const Step* const step = steps_.next();
        if (step == nullptr) return {};
        multiply(backend, step->p, step->p_transposed, seconds);
        return next_level(backend, step->transfer, diagonal, seconds);
    }

    void begin_again() override {
        blocks_ = {};
        steps_.begin_again();
    }
    Size bytes() const override { return steps_.bytes(); }

private:
    struct Step {
        BlockMatrix p, p_transposed;
        SharedTransfer<HostMemory> transfer;  ///< both by rows

        Size bytes() const { return p.bytes() + p_transposed.bytes() + transfer->bytes(); }
    };

    std::optional<CoarserLevel> made(OpenMP& backend, const HostVector<double>& diagonal, double radius,
                                     SetupSeconds& seconds) {
        Stopwatch watch;
        const HostCsr<double> norms = block_norms(backend, blocks_);
        const Strength is_strong(backend, norms, Strength::theta_of_blocks);
        const Aggregates aggregates = greedy_aggregates(norms, is_strong);
        seconds.aggregate += watch.restart();
        if (aggregates.count > least_shrinking * norms.n_rows) return {};
        TentativeProlongation t = tentative_prolongation(backend, aggregates, std::move(space_));
        BlockMatrix p = block_prolongation(backend, blocks_, is_strong, aggregates, t, radius);
        space_ = std::move(t.coarse);
        seconds.prolongate += watch.restart();
        BlockMatrix p_transposed = transpose(backend, p);
        seconds.product += watch.restart();
        multiply(backend, p, p_transposed, seconds);
        watch.restart();
        const auto transfer = share(to_csr(backend, p), to_csr(backend, p_transposed), coarsening_names::smoothed);
        seconds.convert += watch.restart();
        steps_.keep({std::move(p), std::move(p_transposed), transfer});
        return next_level(backend, transfer, diagonal, seconds);
    }

    void multiply(OpenMP& backend, const BlockMatrix& p, const BlockMatrix& p_transposed, SetupSeconds& seconds) {
        const Stopwatch watch;
        blocks_ = product(backend, p_transposed, product(backend, blocks_, p));
        seconds.product += watch.seconds();
    }

    CoarserLevel next_level(OpenMP& backend, const SharedTransfer<HostMemory>& transfer,
                            const HostVector<double>& diagonal, SetupSeconds& seconds) {
        const Stopwatch watch;
        HostCsr<double> coarse = to_csr(backend, blocks_);
        CoarseDiagonal settled = coarse_diagonal(backend, coarse, transfer->prolongation, diagonal);
        drop_absent(settled, coarse);
        drop_absent(settled, blocks_);
        seconds.convert += watch.seconds();
        return {.transfer = transfer, .a = std::move(coarse), .diagonal = std::move(settled.values)};
    }

    NearNullSpace space_;
    BlockMatrix blocks_;  // A of the level at hand, once the finest has been seen
    Steps<Step> steps_;
};

}  // namespace

std::unique_ptr<Coarsening> block_coarsening(NearNullSpace space, bool for_updates) {
    return std::make_unique<BlockCoarsening>(std::move(space), for_updates);
}

}  // namespace stiefel::amg
