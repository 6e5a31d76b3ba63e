#pragma once

#include "stiefel/core/kernel_clock.hpp"
#include "stiefel/core/larger_or_nan.hpp"
#include "stiefel/preconditioner/eigen_end.hpp"
#include "stiefel/solver/stop_reason.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace stiefel {

/// The most eigenpairs that a block method finds at once: the columns of a panel.
inline constexpr Index max_eigenpairs = 64;

/// What a monitor is told after an iteration.
struct EigenProgress {
    Size iteration = 0;
    double relative_residual = 0;  ///< the largest among the wanted pairs, by recurrence
    Index converged = 0;           ///< of the wanted pairs
    double first_value = 0;        ///< the Ritz value at the wanted end: for the smallest pairs, A is not positive
                                   ///< definite if it is negative beyond rounding
    double norm_estimate = 0;      ///< of |A|
};

struct EigenOptions {
    EigenEnd which = EigenEnd::smallest;
    double rtol = 1e-8;        ///< a pair has converged when |A v - lambda v| <= rtol |lambda|; see EigenPair
    Size max_iterations = -1;  ///< negative: the method's own, see there
    Index guard_vectors = -1;  ///< iterated beside the wanted ones, so that the last of these converge as fast as the
                               ///< first; negative: a quarter of them, at least 2
    int filter_degree = 0;     ///< of subspace iteration: degree of its Chebyshev filter; 0: plain power steps
    std::uint64_t seed = 1;    ///< of the random numbers that the block is made up with
    bool history = false;      ///< keep EigenProgress::relative_residual of every iteration in the result
    std::function<bool(const EigenProgress&)> monitor = {};       ///< returns false to stop
    double time_limit = std::numeric_limits<double>::infinity();  ///< seconds; looked at after every iteration
};

/// Above this many eps |A| a residual that does not get on is slow, not at the limit of rounding.
inline constexpr double eigen_rounding_reach = 1000;

/// One pair of a result.
struct EigenPair {
    double value = 0;
    /// |A v - lambda v| / |lambda| for the v returned, |v| = 1, computed afresh. Where |lambda| <= 64 eps |A|, lambda
    /// is zero to working precision, and the residual is relative to |A| as estimated instead.
    double residual = 0;
    double backward_error =
        0;  ///< |A v - lambda v| / |A|, |A| as estimated: the pair is exact for a matrix so near to A
    StopReason reason = StopReason::running;
};

/// How a search for eigenpairs ended.
struct EigenResult {
    StopReason reason = StopReason::running;  ///< converged: all pairs have
    Size iterations = 0;
    Size restarts = 0;             ///< times the basis was orthonormalised and multiplied by A afresh on the way
    std::vector<EigenPair> pairs;  ///< in the order of EigenEnd; vector j is column j of the block
    double norm_estimate = 0;  ///< of |A| in the 2-norm; by a few steps of Lanczos, so rather too large than too small
    double seconds = 0;        ///< the iteration, with bounds of the spectrum and the last check
    std::vector<KernelTime> kernels = {};
    std::vector<double> history = {};  ///< on request: after iteration 0, 1, 2, ...

    /// The largest of the pairs; NaN if one is.
    double worst_residual() const {
        double worst = 0;
        for (const EigenPair& pair : pairs) worst = larger_or_nan(worst, pair.residual);
        return worst;
    }
    double worst_backward_error() const {
        double worst = 0;
        for (const EigenPair& pair : pairs) worst = larger_or_nan(worst, pair.backward_error);
        return worst;
    }
};

/// From the values of 2^-exponent A to those of A.
inline void scale_values(EigenResult& result, int exponent) {
    for (EigenPair& pair : result.pairs) pair.value = std::ldexp(pair.value, exponent);
    result.norm_estimate = std::ldexp(result.norm_estimate, exponent);
}

}  // namespace stiefel
