#pragma once

#include "stiefel/dense/column_list.hpp"
#include "stiefel/solver/eigen_result.hpp"

#include <span>

namespace stiefel {

/// Follows the residuals of a block of Ritz pairs and says which pairs are done. A pair is done when its residual meets
/// the tolerance, or has come near what rounding allows and has not halved for a while.
class EigenWatch {
public:
    /// eps: of the vectors' type.
    EigenWatch(const EigenOptions& options, Index wanted, Index block, double eps);

    struct Look {
        bool finite = true;
        bool all_done = false;  ///< the wanted pairs
        Index converged = 0;    ///< of the wanted pairs
        double worst = 0;       ///< relative residual of the wanted pairs
        ColumnList active;      ///< of the whole block: pairs to go on with
    };

    /// Takes in the values and residual norms of the block after an iteration.
    Look look(std::span<const double> values, std::span<const double> norms, Size iteration);

    /// Forgets who did not get on: what they are measured by has changed.
    void forget_stalls(Size iteration);

    double norm_estimate() const { return norm_estimate_; }
    void raise_norm_estimate(double norm);

    /// The pairs of a result, from values and norms computed afresh; `otherwise` is why those not converged have ended.
    std::vector<EigenPair> pairs(std::span<const double> values, std::span<const double> norms,
                                 StopReason otherwise) const;

private:
    struct Best {
        double norm = 0;
        Size iteration = 0;
    };

    /// What a pair's residual is relative to.
    double scale(double value) const;
    bool has_stalled(std::size_t pair, double norm, Size iteration);

    double rtol_;
    std::size_t wanted_;
    double eps_;
    double norm_estimate_ = 0;
    std::vector<Best> best_;
};

/// Throws InvalidArgument unless `wanted` pairs can be asked of a matrix with n rows, with these options.
void check_eigen_arguments(const char* method, Size n, Index wanted, const EigenOptions& options);

/// Columns of the block that is iterated: the wanted ones and the guards.
Index block_columns(Size n, Index wanted, const EigenOptions& options);

/// Throws OutOfMemory, saying how many pairs would fit, unless vectors_per_column * block_columns(n, wanted) vectors of
/// n elements fit into `available` bytes.
void require_panels(const char* method, Size n, Index wanted, const EigenOptions& options, Size vectors_per_column,
                    Size element_bytes, Size available);

}  // namespace stiefel
