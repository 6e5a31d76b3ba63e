#pragma once

#include "bench/operands.hpp"
#include "bench/suites/suite_options.hpp"

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/transfer.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace stiefel::bench {

/// The operands of C = A B on the host, A m x k, B k x n, and some rows of what C must be: all of small ones. NaN in C
/// shows what a kernel has not written.
class DenseProduct {
public:
    DenseProduct(Index m, Index n, Index k, HostVector<double> a);

    Index m, n, k;
    HostVector<double> a, b, c;

    /// Fills C with NaN.
    void forget();
    /// Of C, where it is not written as well as where it is wrong.
    Deviation check() const;

private:
    std::vector<Index> rows_;
    HostVector<double> reference_, absolutes_;
};

}  // namespace stiefel::bench
