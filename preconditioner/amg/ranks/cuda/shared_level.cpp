#include "stiefel/preconditioner/amg/ranks/cuda/shared_level.hpp"

#include "stiefel/preconditioner/amg/chebyshev_smoother.hpp"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/ghost_numbers.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/matrix_parts.hpp"

#include <utility>

namespace stiefel::amg {

namespace {

/// What belongs to numbers of other ranks, of what each has on its GPU.
HostVector<double> brought_from(Cuda& backend, CudaWorld& world, const RowBlocks& blocks,
                                const std::vector<Size>& numbers, const DeviceVector<double>& own) {
    const Halo halo(world, blocks, numbers);
    return numbers_of_ghosts(world, halo, numbers_at(backend, own, halo.sent()));
}

/// left A right of what lies beyond, rounded to S.
template <class S>
SplitRows<S> scaled(const SplitRows<double>& beyond, const HostVector<double>& left, const HostVector<double>& right) {
    OpenMP host(1);
    return {.own = {},
            .beyond = scaled_copy<S>(host, ScaledCsr<double>{beyond.beyond, left, right}),
            .boundary = beyond.boundary.clone(),
            .ghosts = beyond.ghosts};
}

/// With what others have; of all ranks or none, as all take part in a product.
template <class S>
CycleMatrix<Cuda, S> with_others(Cuda& backend, CudaWorld& world, const RowBlocks& columns, SpmvOperator<Cuda, S> own,
                                 SplitRows<S> beyond) {
    auto ghosts = static_cast<double>(beyond.ghosts.size());
    world.all_max(&ghosts, 1);
    if (ghosts == 0) return CycleMatrix<Cuda, S>(std::move(own));
    return {std::move(own), BoundaryRows<Cuda, S>(backend, world, columns, std::move(beyond))};
}

void invert(HostVector<double>& numbers) {
    for (double& number : numbers.span()) number = 1 / number;
}

}  // namespace

template <class S>
CycleLevel<Cuda, S> to_cycle_level(Cuda& backend, CudaWorld& world, const SharedLevel& level) {
    const Index first_coarse = static_cast<Index>(level.coarse_rows.first(world.rank()));
    const DeviceVector<double> own_coarse =
        part_of(backend, level.coarse_inverse_roots, first_coarse, level.restriction.n_rows);
    const DiagonalScale root{&level.inverse_roots, true}, inverse_root{&level.inverse_roots};
    const ScaledMatrix matrices[] = {{&level.own, inverse_root, inverse_root},
                                     {&level.prolongation, root, {&level.coarse_inverse_roots}},
                                     {&level.restriction, {&own_coarse}, root}};
    auto operators = scaled_operators<S>(backend, matrices);

    HostVector<double> of_ghosts = brought_from(backend, world, level.rows, level.beyond.ghosts, level.inverse_roots);
    auto a = with_others<S>(
        backend, world, level.rows, std::move(operators[0].a),
        scaled<S>(level.beyond, numbers_at(backend, level.inverse_roots, level.beyond.boundary), of_ghosts));
    of_ghosts = brought_from(backend, world, level.rows, level.restriction_beyond.ghosts, level.inverse_roots);
    invert(of_ghosts);
    auto restriction =
        with_others<S>(backend, world, level.rows, std::move(operators[2].a),
                       scaled<S>(level.restriction_beyond,
                                 numbers_at(backend, own_coarse, level.restriction_beyond.boundary), of_ghosts));

    CycleLevel<Cuda, S> kept;
    kept.n_rows = level.own.n_rows;
    using Smoother = ChebyshevSmoother<Cuda, S>;
    const bool may_fuse = Smoother::all_fuse(world, a);
    kept.smoother =
        std::make_unique<Smoother>(std::move(a), level.spectral_radius, std::move(operators[0].diagonals), may_fuse);
    kept.prolong = std::move(operators[1].a);
    kept.restrict_ = std::move(restriction);
    return kept;
}

template CycleLevel<Cuda, float> to_cycle_level(Cuda&, CudaWorld&, const SharedLevel&);
template CycleLevel<Cuda, double> to_cycle_level(Cuda&, CudaWorld&, const SharedLevel&);

}  // namespace stiefel::amg
