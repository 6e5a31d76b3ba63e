#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/fsai/cuda/factor.hpp"
#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/preconditioner/fsai/fsai.hpp"
#include "stiefel/spmv/products/spgemm.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "stiefel/spmv/scaled_csr.hpp"

#include <array>

namespace stiefel::fsai {

namespace {

/// Rows that grow do so on the cores of the host, on all of them.
template <class T>
DeviceFactor grown(Cuda& backend, const DeviceCsr<T>& a, const Options& options) {
    OpenMP host;
    const ScaledSystem scaled = scaled_system(host, to_host(backend, a));
    const Factor found = factor(host, scaled.s, options, least_pivot<T>);
    const HostVector<double> ones(scaled.inverse_roots.size(), 1.0);
    const HostCsr<double> lower = scaled_copy<double>(host, ScaledCsr<double>{found.g, ones, scaled.inverse_roots});
    const HostCsr<double> upper = transpose(host, lower);
    return {.lower = to_device(backend, lower),
            .upper = to_device(backend, upper),
            .longest_lower = row_statistics(host, lower).longest,
            .longest_upper = row_statistics(host, upper).longest,
            .jacobi_rows = found.jacobi_rows};
}

}  // namespace

template <class T>
Products<Cuda, T> make_products(Cuda& backend, const DeviceCsr<T>& a, const Options& options) {
    const Stopwatch all;
    Stopwatch step;
    PreconditionerDetails about;
    DeviceFactor found = options.steps > 0 ? grown(backend, a, options)
                                           : factor(backend, amg::in_double(backend, a), options, least_pivot<T>);
    about.sparse_inverse = {.power = options.power,
                            .steps = options.steps,
                            .nonzeros = found.lower.nnz(),
                            .jacobi_rows = found.jacobi_rows};
    about.setup.push_back({"factor", step.restart()});
    const auto unscaled = [](DeviceCsr<double>& g, Index longest) {
        return amg::ScaledMatrix{&g, {}, {}, longest, &g};
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
