#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/problems/row_source.hpp"
#include "stiefel/spmv/csr.hpp"

#include <cstdint>

namespace stiefel {

struct GraphLaplacianOptions {
    double degree = 8;       ///< mean number of neighbours that are drawn; those drawn twice count once
    double shift = 0.01;     ///< sigma > 0
    std::uint64_t seed = 1;  ///< of the graph
};

/// L + sigma I, where L is the Laplacian of a random undirected graph on n vertices: the degrees on the diagonal, -1
/// for each edge. Every row sums to sigma. Symmetric positive definite: sigma is the smallest eigenvalue, and 2 max
/// degree
/// + sigma bounds the largest.
/// Throws InvalidArgument if n is less than 1, the degree negative or the shift not positive.
template <class T>
HostCsr<T> graph_laplacian(OpenMP&, Index n, const GraphLaplacianOptions& options = {});

/// The same, of any rows.
RowSource graph_laplacian_source(Index n, const GraphLaplacianOptions& options = {});

}  // namespace stiefel
