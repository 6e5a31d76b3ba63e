#include "stiefel/problems/random_graph.hpp"

#include "stiefel/spmv/convert.hpp"

#include <vector>

namespace stiefel {

namespace {

Size number_of_edges(Index n, double degree) {
    return n > 1 ? std::llround(0.5 * degree * n) : 0;
}

struct Edge {
    Size u, v;
};
Edge drawn_edge(Index n, std::uint64_t seed, Size e) {
    const RandomRow random(seed, e);
    const Size u = random.below(0, n), v = random.below(1, n - 1);
    return {u, v >= u ? v + 1 : v};
}

}  // namespace

template <class T>
HostCsr<T> random_graph_pattern(OpenMP& backend, Index n, double degree, std::uint64_t seed) {
    const Size n_edges = number_of_edges(n, degree);
    const Size n_entries = n_edges + n;
    Coo<T> coo{.n_rows = n,
               .n_cols = n,
               .symmetry = Symmetry::symmetric,
               .row_idx = HostVector<Index>(n_entries),
               .col_idx = HostVector<Index>(n_entries),
               .values = HostVector<T>(n_entries)};
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
    for (Size e = 0; e < n_entries; ++e) {
        const auto [u, v] = e < n_edges ? drawn_edge(n, seed, e) : Edge{e - n_edges, e - n_edges};
        coo.row_idx[e] = static_cast<Index>(std::max(u, v));
        coo.col_idx[e] = static_cast<Index>(std::min(u, v));
        coo.values[e] = 0;
    }
    return csr_from_coo(backend, coo).csr;
}

HostCsr<double> random_graph_pattern(OpenMP& backend, Index n, double degree, std::uint64_t seed, Index first,
                                     Index last) {
    std::vector<Index> rows, columns;
    const auto keep = [&](Size row, Size column) {
        if (row < first || row >= last) return;
        rows.push_back(static_cast<Index>(row - first));
        columns.push_back(static_cast<Index>(column));
    };
    for (Size e = 0, n_edges = number_of_edges(n, degree); e < n_edges; ++e) {
        const auto [u, v] = drawn_edge(n, seed, e);
        keep(u, v);
        keep(v, u);
    }
    for (Index i = first; i < last; ++i) keep(i, i);
    const Size n_entries = static_cast<Size>(rows.size());
    Coo<double> coo{.n_rows = last - first,
                    .n_cols = n,
                    .row_idx = HostVector<Index>(n_entries),
                    .col_idx = HostVector<Index>(n_entries),
                    .values = HostVector<double>(n_entries, 0.0)};
    std::copy(rows.begin(), rows.end(), coo.row_idx.data());
    std::copy(columns.begin(), columns.end(), coo.col_idx.data());
    return csr_from_coo(backend, coo).csr;
}

template HostCsr<float> random_graph_pattern(OpenMP&, Index, double, std::uint64_t);
template HostCsr<double> random_graph_pattern(OpenMP&, Index, double, std::uint64_t);

}  // namespace stiefel
