#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/fsai/cuda/factor.hpp"
#include "stiefel/preconditioner/fsai/fsai.hpp"

#include <array>

namespace stiefel::fsai {

namespace {

/// Whether A, G and its transpose stay in the second-level cache with the vectors of a loop that multiplies by them in
/// one kernel (solver/factored_loop.hpp). It copies them, and what few products there are beside it are as fast in CSR.
bool stay_in_cache(const Cuda& backend, Size n_rows, Size entries) {
    constexpr Size bytes_an_entry = 12, bytes_a_row = 112;
    return bytes_an_entry * entries + bytes_a_row * n_rows <= backend.device().l2_bytes;
}

}  // namespace

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
    const bool stays_csr = stay_in_cache(backend, a.n_rows, a.nnz() + 2 * found.lower.nnz());
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
