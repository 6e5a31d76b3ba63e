#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/block_jacobi/cuda/inverse.hpp"
#include "stiefel/preconditioner/block_jacobi/setup.hpp"
#include "stiefel/preconditioner/fsai/cuda/factor.hpp"

#include <array>
#include <utility>

namespace stiefel::block_jacobi {

template <class T>
Product<Cuda, T> make_product(Cuda& backend, const DeviceCsr<T>& a, const Options& options) {
    check(options);
    require(a.n_rows == a.n_cols, "block-jacobi: A must be square");
    const Stopwatch all;
    Stopwatch step;
    PreconditionerDetails about;
    DeviceVector<double> inverse_roots;
    DeviceInverse found;
    {
        const auto& wide = amg::in_double(backend, a);
        inverse_roots = fsai::inverse_roots(backend, wide);
        const Blocks blocks = chosen_blocks(a.n_rows, options, [&] { return row_links(backend, wide); });
        about.setup.push_back({"blocks", step.restart()});
        found = inverse(backend, wide, inverse_roots, blocks, fsai::least_pivot<T>);
        about.blocks = told(blocks, options, found.jacobi_blocks);
    }
    about.setup.push_back({"invert", step.restart()});
    const amg::DiagonalScale scale{&inverse_roots};
    auto m = amg::scaled_operators<T>(backend, std::array{amg::ScaledMatrix{&found.m, scale, scale}});
    backend.synchronize();
    about.setup.push_back({"convert", step.restart()});
    about.seconds = all.seconds();
    return {std::move(m.front().a), std::move(about)};
}

template Product<Cuda, double> make_product(Cuda&, const DeviceCsr<double>&, const Options&);
template Product<Cuda, float> make_product(Cuda&, const DeviceCsr<float>&, const Options&);

}  // namespace stiefel::block_jacobi
