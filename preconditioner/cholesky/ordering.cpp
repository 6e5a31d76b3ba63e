#include "stiefel/preconditioner/cholesky/ordering.hpp"

// Under a namespace of our own, which CMakeLists.txt names: a program's own Eigen may be compiled for another
// instruction set, and the linker keeps one function of two with one name.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace stiefel::cholesky {

HostVector<Index> minimum_degree(const Graph& graph) {
    const Index n = graph.n;
    using Matrix = Eigen::SparseMatrix<float, Eigen::ColMajor, Index>;
    Matrix pattern(n, n);
    pattern.resizeNonZeros(static_cast<Eigen::Index>(graph.adjacent.size()) + n);
    Index* const starts = pattern.outerIndexPtr();
    Index* const rows = pattern.innerIndexPtr();
    Index next = 0;
    for (Index v = 0; v < n; ++v) {
        starts[v] = next;
        rows[next++] = v;  // without its diagonal entry a column counts as dense
        for (Size e = graph.start[v]; e < graph.start[v + 1]; ++e) rows[next++] = graph.adjacent[e];
    }
    starts[n] = next;
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, Index> permutation;
    Eigen::internal::minimum_degree_ordering(pattern, permutation);
    HostVector<Index> order(n);
    for (Index k = 0; k < n; ++k) order[k] = permutation.indices()[k];
    return order;
}

}  // namespace stiefel::cholesky
