#include "stiefel/problems/random_csr.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/build_csr.hpp"
#include "stiefel/problems/random.hpp"

#include <cmath>

namespace stiefel {

template <class T>
HostCsr<T> random_csr(OpenMP& backend, Index n_rows, Index n_cols, double density, std::uint64_t seed) {
    check_at_least("random_csr", "n_rows", n_rows, 0);
    check_at_least("random_csr", "n_cols", n_cols, 0);
    check_at_least("random_csr", "density", density, 0);
    check_at_most("random_csr", "density", density, 1);
    // log(1 - p): -0 lets every gap be infinite, minus infinity makes every gap empty, as they should.
    const double log_absent = std::log1p(-density);
    return build_csr<T>(backend, n_rows, n_cols, [=](Index i, const auto& emit) {
        const RandomRow random(seed, i);
        double column = -1;
        for (Size k = 0;; k += 2) {
            column += 1 + std::floor(std::log(random.uniform(k)) / log_absent);
            if (!(column < n_cols)) return;
            emit(static_cast<Size>(column), 2 * random.uniform(k + 1) - 1);
        }
    });
}

template HostCsr<float> random_csr(OpenMP&, Index, Index, double, std::uint64_t);
template HostCsr<double> random_csr(OpenMP&, Index, Index, double, std::uint64_t);

}  // namespace stiefel
