#include "stiefel/problems/random_graph.hpp"

#include "stiefel/spmv/convert.hpp"

namespace stiefel {

template <class T>
HostCsr<T> random_graph_pattern(OpenMP& backend, Index n, double degree, std::uint64_t seed) {
    const Size n_edges = n > 1 ? std::llround(0.5 * degree * n) : 0;
    const Size n_entries = n_edges + n;
    Coo<T> coo{.n_rows = n,
               .n_cols = n,
               .symmetry = Symmetry::symmetric,
               .row_idx = HostVector<Index>(n_entries),
               .col_idx = HostVector<Index>(n_entries),
               .values = HostVector<T>(n_entries)};
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size e = 0; e < n_entries; ++e) {
        Size u = e - n_edges;
        Size v = u;
        if (e < n_edges) {
            const RandomRow random(seed, e);
            u = random.below(0, n);
            v = random.below(1, n - 1);
            if (v >= u) ++v;
        }
        coo.row_idx[e] = static_cast<Index>(std::max(u, v));
        coo.col_idx[e] = static_cast<Index>(std::min(u, v));
        coo.values[e] = 0;
    }
    return csr_from_coo(backend, coo).csr;
}

template HostCsr<float> random_graph_pattern(OpenMP&, Index, double, std::uint64_t);
template HostCsr<double> random_graph_pattern(OpenMP&, Index, double, std::uint64_t);

}  // namespace stiefel
