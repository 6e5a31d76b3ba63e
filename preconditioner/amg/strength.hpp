#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::amg {

/// Which couplings of a matrix are strong. Two unknowns are coupled by s_ij = |a_ij| / sqrt(a_ii a_jj), which no
/// scaling of rows and columns changes (Vanek, Mandel and Brezina 1996). There it is compared with a number; here with
/// the strongest coupling of the two, as classical multigrid does: strong is  s_ij >= theta max(m_i, m_j),
/// m_i = max_k s_ik.  So a 27-point stencil, whose couplings are all equal and all small, keeps them, and a coupling
/// across a jump of the coefficient is weak, with one theta for both.
class Strength {
public:
    static constexpr double theta = 0.1;

    /// The diagonal of A must be positive.
    Strength(OpenMP&, const HostCsr<double>& a);

    /// Whether the entry in row i and column j is strong. One of the diagonal never is.
    bool operator()(Index i, Index j, double value) const {
        const double limit = theta * std::max(largest_[i], largest_[j]);
        return i != j && value != 0 && std::abs(value) * root_[i] * root_[j] >= limit;
    }

    /// a_ii^-1/2
    const HostVector<double>& inverse_roots() const { return root_; }

private:
    HostVector<double> root_;
    HostVector<double> largest_;  // m_i
};

}  // namespace stiefel::amg
