#pragma once

#include "bench/ladder.hpp"
#include "bench/panel_operations.hpp"

#include "stiefel/core/openmp.hpp"

#include <array>
#include <optional>

namespace stiefel::bench {

/// Panels of n rows and k columns on the host, and what must come out. Results are checked as a whole: a product with a
/// vector v of numbers that are nowhere near zero takes all of their elements, and costs no more than reading them.
class PanelProblem {
public:
    PanelProblem(Index n, Index k);

    Index n, k;
    HostVector<double> x;         ///< or P
    HostVector<double> y_before;  ///< or Q
    HostVector<double> b;
    HostVector<double> y, small;  ///< what an operation is given and leaves

    /// What the operation reads, and NaN where it only writes.
    void prepare(PanelOperation operation);
    /// Of the result, from sums in extended precision. alpha: that X was scaled by.
    Deviation check(PanelOperation operation, double alpha = panel_alpha);

private:
    /// P'(Q v), and the same of absolute values.
    struct GramTimesVector {
        HostVector<double> value, absolute;
    };

    GramTimesVector gram_times_vector(const HostVector<double>& q) const;
    Deviation check_gram(PanelOperation operation);
    Deviation check_update(bool accumulates, double alpha) const;

    HostVector<double> v_;
    std::array<std::optional<GramTimesVector>, 2> grams_;  // each is made once for all kernels
};

}  // namespace stiefel::bench
