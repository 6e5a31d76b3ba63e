#include "stiefel/problems/random_spd.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/random_graph.hpp"

#include <limits>

namespace stiefel {

namespace {

void check(Index n, const RandomSpdOptions& options) {
    check_at_least("random_spd", "n", n, 1);
    check_at_least("random_spd", "degree", options.degree, 0);
    check_at_most("random_spd", "degree", options.degree, std::numeric_limits<Index>::max());
    check_above("random_spd", "shift", options.shift, 0);
}

double off_diagonal(std::uint64_t seed, Index i, Index j) {
    return 2 * uniform_of_pair(seed, i, j) - 1;
}

}  // namespace

template <class T>
HostCsr<T> random_spd(OpenMP& backend, Index n, const RandomSpdOptions& options) {
    check(n, options);
    HostCsr<T> a = random_graph_pattern<T>(backend, n, options.degree, options.seed);
    set_dominant_values(backend, a, options.shift, [&](Index i, Index j) { return off_diagonal(options.seed, i, j); });
    return a;
}

RowSource random_spd_source(Index n, const RandomSpdOptions& options) {
    check(n, options);
    return dominant_graph_source(n, options.degree, options.seed, options.shift,
                                 [seed = options.seed](Index i, Index j) { return off_diagonal(seed, i, j); });
}

template HostCsr<float> random_spd(OpenMP&, Index, const RandomSpdOptions&);
template HostCsr<double> random_spd(OpenMP&, Index, const RandomSpdOptions&);

}  // namespace stiefel
