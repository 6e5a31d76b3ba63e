#include "stiefel/problems/random_spd.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/random_graph.hpp"

#include <limits>

namespace stiefel {

template <class T>
HostCsr<T> random_spd(OpenMP& backend, Index n, const RandomSpdOptions& options) {
    check_at_least("random_spd", "n", n, 1);
    check_at_least("random_spd", "degree", options.degree, 0);
    check_at_most("random_spd", "degree", options.degree, std::numeric_limits<Index>::max());
    check_above("random_spd", "shift", options.shift, 0);
    HostCsr<T> a = random_graph_pattern<T>(backend, n, options.degree, options.seed);
    set_dominant_values(backend, a, options.shift,
                        [&](Index i, Index j) { return 2 * uniform_of_pair(options.seed, i, j) - 1; });
    return a;
}

template HostCsr<float> random_spd(OpenMP&, Index, const RandomSpdOptions&);
template HostCsr<double> random_spd(OpenMP&, Index, const RandomSpdOptions&);

}  // namespace stiefel
