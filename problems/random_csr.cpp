#include "stiefel/problems/random_csr.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/build_csr.hpp"
#include "stiefel/problems/random.hpp"

#include <cmath>

namespace stiefel {

namespace {

/// The rows, for build_csr.
struct RandomEntries {
    Index n_cols;
    double log_absent;
    std::uint64_t seed;

    template <class Number, class Emit>
    void operator()(Number i, const Emit& emit) const {
        const RandomRow random(seed, i);
        double column = -1;
        for (Size k = 0;; k += 2) {
            column += 1 + std::floor(std::log(random.uniform(k)) / log_absent);
            if (!(column < n_cols)) return;
            emit(static_cast<Size>(column), 2 * random.uniform(k + 1) - 1);
        }
    }
};

RandomEntries checked(Index n_rows, Index n_cols, double density, std::uint64_t seed) {
    check_at_least("random_csr", "n_rows", n_rows, 0);
    check_at_least("random_csr", "n_cols", n_cols, 0);
    check_at_least("random_csr", "density", density, 0);
    check_at_most("random_csr", "density", density, 1);
    // log(1 - p): -0 lets every gap be infinite, minus infinity makes every gap empty, as they should.
    return {n_cols, std::log1p(-density), seed};
}

}  // namespace

template <class T>
HostCsr<T> random_csr(OpenMP& backend, Index n_rows, Index n_cols, double density, std::uint64_t seed) {
    return build_csr<T>(backend, n_rows, n_cols, checked(n_rows, n_cols, density, seed));
}

RowSource random_csr_source(Index n_rows, Index n_cols, double density, std::uint64_t seed) {
    return row_source(n_rows, n_cols, checked(n_rows, n_cols, density, seed));
}

template HostCsr<float> random_csr(OpenMP&, Index, Index, double, std::uint64_t);
template HostCsr<double> random_csr(OpenMP&, Index, Index, double, std::uint64_t);

}  // namespace stiefel
