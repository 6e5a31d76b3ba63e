#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <cstdint>

namespace stiefel::amg {

class Ghosts;

/// Which couplings of a matrix are strong. Two unknowns are coupled by s_ij = |a_ij| / sqrt(a_ii a_jj), which no
/// scaling of rows and columns changes (Vanek, Mandel and Brezina 1996). There it is compared with a number; here with
/// the strongest coupling of the two, as classical multigrid does: strong is  s_ij >= theta max(m_i, m_j),
/// m_i = max_k s_ik.  So a 27-point stencil, whose couplings are all equal and all small, keeps them, and a coupling
/// across a jump of the coefficient is weak, with one theta for both.
class Strength {
public:
    static constexpr double theta = 0.25;
    static constexpr double theta_of_blocks = 0.1;  ///< for the norms of blocks, which differ less

    /// The diagonal of A must be positive. ghosts: of the columns beyond its rows; all ranks call it at once then.
    Strength(OpenMP&, const HostCsr<double>& a, double threshold = theta, Ghosts* ghosts = nullptr);

    /// Whether the k-th entry of A is strong. One of the diagonal never is.
    bool operator[](Size k) const { return is_strong_[k] != 0; }

    /// a_ii^-1/2
    const HostVector<double>& inverse_roots() const { return root_; }

private:
    HostVector<double> root_;
    HostVector<std::uint8_t> is_strong_;
};

}  // namespace stiefel::amg
