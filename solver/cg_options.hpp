#pragma once

#include "stiefel/core/types.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

namespace stiefel {

/// What a monitor is told after an iteration (on CUDA somewhat later, in order all the same).
struct CgProgress {
    Size iteration = 0;
    double relative_residual = 0;  ///< by recurrence
};

/// The limit for n unknowns where none is given: 10 n, at least a million. It is there to end what would run for ever,
/// not to decide how a run ends. With a limit near the count that a system takes, rounding would decide: on small
/// matrices of condition 1e11 counts lie anywhere up to 300 000 and differ by a third between kernels that add in
/// another order.
constexpr Size default_max_iterations(Size n) {
    return std::max<Size>(1000000, 10 * n);
}

struct CgOptions {
    double rtol = 1e-8;                                   ///< stop when |b - A x| <= max(rtol |b|, atol); below 1
    double atol = 0;                                      ///< in units of b
    bool from_zero = false;                               ///< begin at zeros, whatever x holds: saves cg() a product
    Size max_iterations = -1;                             ///< negative: default_max_iterations
    bool history = false;                                 ///< keep the residual of every iteration in the result
    std::function<bool(const CgProgress&)> monitor = {};  ///< returns false to stop
    /// A device runs on while the monitor is told. After these iterations (ascending) it waits until the monitor has
    /// been told of all, so that a run which ends there ends there in every run.
    std::vector<Size> pauses = {};
    /// Asked by cg() where the monitor has ended the run: whether another goes on from its x at once, so that nobody
    /// wants to know what x is worth; in a world all are to say the same. Then the result's residual is that of the
    /// recurrence, and it has neither condition nor accuracy, which saves a product and what the host waits for.
    std::function<bool()> is_followed = {};
    double time_limit = std::numeric_limits<double>::infinity();  ///< seconds; looked at after every iteration
    /// |A| in a norm that is no smaller than the 2-norm, as infinity_norm(): the result then says how accurate x is. 0:
    /// not known, and estimated only for what stagnates.
    double matrix_norm = 0;

    /// For n unknowns.
    Size iterations_allowed(Size n) const { return max_iterations >= 0 ? max_iterations : default_max_iterations(n); }
};

/// Throws InvalidArgument, naming method and option, unless the options make sense.
void check_cg_options(const char* method, const CgOptions& options);

/// Throws InvalidArgument unless 0 <= rtol < 1: at 1 the answer 0 would do.
void check_rtol(const char* method, double rtol);

/// Throws InvalidArgument unless time_limit is a time.
void check_time_limit(const char* method, double time_limit);

}  // namespace stiefel
