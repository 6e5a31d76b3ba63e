#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/random.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/world/entries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace stiefel {

/// The pattern of a random undirected graph on n vertices: the diagonal and, in both triangles, the edges. Every vertex
/// draws degree / 2 others as neighbours, evenly; those drawn twice count once. So vertices have about `degree`
/// neighbours, few of them far from it, and nothing keeps the graph connected. All values are zero.
template <class T>
HostCsr<T> random_graph_pattern(OpenMP&, Index n, double degree, std::uint64_t seed);

/// The rows [first, last) of it, n columns wide. All edges are drawn, those of these rows kept.
HostCsr<double> random_graph_pattern(OpenMP&, Index n, double degree, std::uint64_t seed, Index first, Index last);

/// A number uniform in (0, 1) that belongs to the unordered pair {i, j}: the same for a_ij and a_ji.
inline double uniform_of_pair(std::uint64_t seed, Index i, Index j) {
    constexpr Size drawn_for_edges = 2;  // random_graph_pattern takes the first numbers of every row
    return RandomRow(seed, std::min(i, j)).uniform(std::max(i, j) + drawn_for_edges);
}

/// Sets a_ij = off_diagonal(i, j), a symmetric function, and a_ii = shift + sum_j |a_ij|, in a symmetric pattern with a
/// full diagonal, of which `a` has the rows from `first` on. By Gershgorin the eigenvalues lie between the shift and
/// shift + 2 max_i sum_j |a_ij|.
template <class T, class OffDiagonal>
void set_dominant_values(OpenMP& backend, HostCsr<T>& a, double shift, const OffDiagonal& off_diagonal,
                         Index first = 0) {
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
        for (Index i = 0; i < a.n_rows; ++i) {
            double sum = 0;
            Size diagonal = row_ptr[i];
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = a.col_idx[k];
                if (j == first + i) {
                    diagonal = k;
                    continue;
                }
                const double value = off_diagonal(first + i, j);
                a.values[k] = static_cast<T>(value);
                sum += std::abs(value);
            }
            a.values[diagonal] = static_cast<T>(shift + sum);
        }
    });
}

/// Such a matrix of n rows on a random graph, any rows of it.
template <class OffDiagonal>
RowSource dominant_graph_source(Index n, double degree, std::uint64_t seed, double shift,
                                const OffDiagonal& off_diagonal) {
    return {n, n, [=](OpenMP& backend, Size from, Size last) {
                const auto first = static_cast<Index>(from);
                HostCsr<double> a = random_graph_pattern(backend, n, degree, seed, first, static_cast<Index>(last));
                set_dominant_values(backend, a, shift, off_diagonal, first);
                return as_world_rows(std::move(a));
            }};
}

}  // namespace stiefel
