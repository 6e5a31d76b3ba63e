#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/cycle_matrix.hpp"
#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/preconditioner/fsai/fsai.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <limits>

namespace stiefel::fsai {

template <HostBackend B, class T>
Products<B, T> make_products(B& backend, const HostCsr<T>& a, const Options& options) {
    auto&& host = amg::host_of(backend);
    const Stopwatch all;
    Stopwatch step;
    PreconditionerDetails about;
    HostVector<double> inverse_roots;
    Factor found;
    {
        ScaledSystem scaled = scaled_system(host, a);
        found = factor(host, scaled.s, options, least_pivot<T>);
        inverse_roots = std::move(scaled.inverse_roots);
    }
    about.setup.push_back({"factor", step.restart()});
    const HostVector<double> ones(inverse_roots.size(), 1.0);
    auto lower = amg::to_cycle_matrix<B, T>(backend, {found.g, ones, inverse_roots});
    auto upper = amg::to_cycle_matrix<B, T>(backend, {transpose(host, found.g), inverse_roots, ones});
    about.setup.push_back({"convert", step.restart()});
    about.seconds = all.seconds();
    about.sparse_inverse = {
        .power = options.power, .steps = options.steps, .nonzeros = found.g.nnz(), .jacobi_rows = found.jacobi_rows};
    return {std::move(lower), std::move(upper), std::move(about)};
}

template Products<Serial, double> make_products(Serial&, const HostCsr<double>&, const Options&);
template Products<Serial, float> make_products(Serial&, const HostCsr<float>&, const Options&);
template Products<OpenMP, double> make_products(OpenMP&, const HostCsr<double>&, const Options&);
template Products<OpenMP, float> make_products(OpenMP&, const HostCsr<float>&, const Options&);

}  // namespace stiefel::fsai
