#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/cycle_matrix.hpp"
#include "stiefel/preconditioner/block_jacobi/inverse.hpp"
#include "stiefel/preconditioner/block_jacobi/setup.hpp"
#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/preconditioner/host_diagonal.hpp"

#include <utility>

namespace stiefel::block_jacobi {

template <HostBackend B, class T>
Product<B, T> make_product(B& backend, const HostCsr<T>& a, const Options& options) {
    check(options);
    require(a.n_rows == a.n_cols, "block-jacobi: A must be square");
    auto&& host = amg::host_of(backend);
    const Stopwatch all;
    Stopwatch step;
    PreconditionerDetails about;
    const HostVector<double> inverse_roots = inverse_root_diagonal(a, host.threads());
    const Blocks blocks = chosen_blocks(a.n_rows, options, [&] { return row_links(host, a); });
    about.setup.push_back({"blocks", step.restart()});
    const Inverse found = inverse(host, a, inverse_roots, blocks, fsai::least_pivot<T>);
    about.setup.push_back({"invert", step.restart()});
    auto m = amg::to_cycle_matrix<B, T>(backend, {found.m, inverse_roots, inverse_roots});
    about.setup.push_back({"convert", step.restart()});
    about.seconds = all.seconds();
    about.blocks = told(blocks, options, found.jacobi_blocks);
    return {std::move(m), std::move(about)};
}

template Product<Serial, double> make_product(Serial&, const HostCsr<double>&, const Options&);
template Product<Serial, float> make_product(Serial&, const HostCsr<float>&, const Options&);
template Product<OpenMP, double> make_product(OpenMP&, const HostCsr<double>&, const Options&);
template Product<OpenMP, float> make_product(OpenMP&, const HostCsr<float>&, const Options&);

}  // namespace stiefel::block_jacobi
