#include "stiefel/solver/eigen_watch.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/larger_or_nan.hpp"
#include "stiefel/solver/cg_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel {

namespace {

/// Below this many eps |A| an eigenvalue is zero to working precision.
constexpr double zero_value = 64;
/// Iterations in which a residual that still falls halves at least once.
constexpr Size patience = 25;

}  // namespace

EigenWatch::EigenWatch(const EigenOptions& options, Index wanted, Index block, double eps)
    : rtol_(options.rtol),
      wanted_(static_cast<std::size_t>(wanted)),
      eps_(eps),
      best_(static_cast<std::size_t>(block), {std::numeric_limits<double>::infinity(), 0}) {}

double EigenWatch::scale(double value) const {
    return std::abs(value) > zero_value * eps_ * norm_estimate_ ? std::abs(value) : norm_estimate_;
}

void EigenWatch::raise_norm_estimate(double norm) {
    norm_estimate_ = std::max(norm_estimate_, norm);
}

bool EigenWatch::has_stalled(std::size_t pair, double norm, Size iteration) {
    Best& best = best_[pair];
    if (!(norm > best.norm / 2)) best = {norm, iteration};
    return norm <= eigen_rounding_reach * eps_ * norm_estimate_ && iteration - best.iteration >= patience;
}

EigenWatch::Look EigenWatch::look(std::span<const double> values, std::span<const double> norms, Size iteration) {
    for (const double value : values) raise_norm_estimate(std::abs(value));
    Look look;
    std::size_t done = 0;
    for (std::size_t j = 0; j < best_.size(); ++j) {
        const double target = rtol_ * scale(values[j]);
        const bool converged = norms[j] <= target;
        const bool stalled = has_stalled(j, norms[j], iteration);
        if (!converged && !stalled) look.active.add(static_cast<Index>(j));
        look.finite = look.finite && std::isfinite(values[j]) && std::isfinite(norms[j]);
        if (j >= wanted_) continue;
        if (norms[j] != 0) look.worst = larger_or_nan(look.worst, norms[j] / scale(values[j]));
        if (converged) ++look.converged;
        if (converged || stalled) ++done;
    }
    look.all_done = done == wanted_;
    return look;
}

void EigenWatch::forget_stalls(Size iteration) {
    for (Best& best : best_) best = {std::numeric_limits<double>::infinity(), iteration};
}

std::vector<EigenPair> EigenWatch::pairs(std::span<const double> values, std::span<const double> norms,
                                         StopReason otherwise) const {
    std::vector<EigenPair> pairs;
    for (std::size_t j = 0; j < wanted_; ++j) {
        const bool converged = norms[j] <= rtol_ * scale(values[j]);
        pairs.push_back({.value = values[j],
                         .residual = norms[j] == 0 ? 0 : norms[j] / scale(values[j]),
                         .backward_error = norms[j] == 0 ? 0 : norms[j] / norm_estimate_,
                         .reason = converged ? StopReason::converged : otherwise});
    }
    return pairs;
}

void check_eigen_arguments(const char* method, Size n, Index wanted, const EigenOptions& options) {
    const auto refuse = [&](const std::string& what) { throw InvalidArgument(fmt::format("{}: {}", method, what)); };
    if (wanted < 1) refuse("the block has no columns; ask for at least one eigenpair");
    if (wanted > n) refuse(fmt::format("{} eigenpairs are asked of a matrix with {} rows", wanted, n));
    if (wanted > max_eigenpairs) {
        refuse(fmt::format("{} eigenpairs are asked for; a block finds at most {}", wanted, max_eigenpairs));
    }
    check_rtol(method, options.rtol);
    check_time_limit(method, options.time_limit);
}

Index block_columns(Size n, Index wanted, const EigenOptions& options) {
    const Index guards = options.guard_vectors >= 0 ? options.guard_vectors : std::max<Index>(2, wanted / 4);
    return static_cast<Index>(std::min<Size>({n, max_eigenpairs, Size{wanted} + guards}));
}

void require_panels(const char* method, Size n, Index wanted, const EigenOptions& options, Size vectors_per_column,
                    Size element_bytes, Size available) {
    const auto needed = [&](Index k) { return vectors_per_column * block_columns(n, k, options) * n * element_bytes; };
    if (needed(wanted) <= available) return;
    Index fitting = wanted;
    while (fitting > 0 && needed(fitting) > available) --fitting;
    throw OutOfMemory(
        fmt::format("{} for {} eigenpairs of a matrix with {} rows ({} would fit)", method, wanted, n, fitting),
        needed(wanted), available);
}

}  // namespace stiefel
