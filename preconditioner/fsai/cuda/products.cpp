#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/factors_in_cache.hpp"
#include "stiefel/preconditioner/fsai/cuda/factor.hpp"
#include "stiefel/preconditioner/fsai/fsai.hpp"

#include <array>

namespace stiefel::fsai {

template <class T>
Products<Cuda, T> make_products(Cuda& backend, const DeviceCsr<T>& a, const Options& options) {
    const Stopwatch all;
    Stopwatch step;
    PreconditionerDetails about;
    DeviceFactor found = factor(backend, amg::in_double(backend, a), options, least_pivot<T>);
    about.sparse_inverse = {.power = options.power,
                            .steps = options.steps,
                            .nonzeros = found.lower.nnz(),
                            .jacobi_rows = found.jacobi_rows};
    about.setup.push_back({"factor", step.restart()});
    // A loop in one kernel copies them, and what few products there are beside it are as fast in CSR.
    constexpr Size bytes_an_entry = sizeof(T) + sizeof(Index);
    const bool stays_csr =
        factors_stay_in_cache<T>(backend, a.n_rows, bytes_an_entry * (a.nnz() + 2 * found.lower.nnz()));
    const auto unscaled = [&](DeviceCsr<double>& g, Index longest) {
        return amg::ScaledMatrix{
            .a = &g, .left = {}, .right = {}, .longest_row = longest, .spare = &g, .stays_csr = stays_csr};
    };
    auto products = amg::scaled_operators<T>(
        backend, std::array{unscaled(found.lower, found.longest_lower), unscaled(found.upper, found.longest_upper)});
    backend.synchronize();
    about.setup.push_back({"convert", step.restart()});
    about.seconds = all.seconds();
    return {std::move(products[0].a), std::move(products[1].a), std::move(about)};
}

template Products<Cuda, double> make_products(Cuda&, const DeviceCsr<double>&, const Options&);
template Products<Cuda, float> make_products(Cuda&, const DeviceCsr<float>&, const Options&);

}  // namespace stiefel::fsai
