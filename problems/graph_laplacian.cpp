#include "stiefel/problems/graph_laplacian.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/random_graph.hpp"

#include <limits>

namespace stiefel {

namespace {

void check(Index n, const GraphLaplacianOptions& options) {
    check_at_least("graph_laplacian", "n", n, 1);
    check_at_least("graph_laplacian", "degree", options.degree, 0);
    check_at_most("graph_laplacian", "degree", options.degree, std::numeric_limits<Index>::max());
    check_above("graph_laplacian", "shift", options.shift, 0);
}

}  // namespace

template <class T>
HostCsr<T> graph_laplacian(OpenMP& backend, Index n, const GraphLaplacianOptions& options) {
    check(n, options);
    HostCsr<T> a = random_graph_pattern<T>(backend, n, options.degree, options.seed);
    set_dominant_values(backend, a, options.shift, [](Index, Index) { return -1.0; });
    return a;
}

RowSource graph_laplacian_source(Index n, const GraphLaplacianOptions& options) {
    check(n, options);
    return dominant_graph_source(n, options.degree, options.seed, options.shift, [](Index, Index) { return -1.0; });
}

template HostCsr<float> graph_laplacian(OpenMP&, Index, const GraphLaplacianOptions&);
template HostCsr<double> graph_laplacian(OpenMP&, Index, const GraphLaplacianOptions&);

}  // namespace stiefel
