#pragma once

#include "stiefel/cli/solve/scaling.hpp"
#include "stiefel/solver/accuracy.hpp"
#include "stiefel/solver/block_solve_result.hpp"
#include "stiefel/solver/solve_result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace stiefel::cli {

/// D (b - A x) and y = D^-1 x on the host, for columns that lie one behind the other.
template <class T>
struct ResidualAndY {
    HostVector<T> r, y;
};

/// A x = b for some columns, where D A D y = D b is what is solved: the tolerance of each run, and what its y is worth
/// for A x = b, by the residual computed afresh.
template <class T>
class UnscaledSolve {
public:
    /// What is lent must outlive this object. atol: in units of b.
    UnscaledSolve(const HostVector<T>& scale, double matrix_norm, double rtol, double atol)
        : scale_(scale), matrix_norm_(matrix_norm), rtol_(rtol), atol_(atol) {}

    /// The columns of D b from `first` on, at most so many: the relative residual that the first run is to end at.
    double begin(const HostVector<T>& scaled_b, Size first, Size at_most) {
        const Size n = scale_.size(), end = std::min(scaled_b.size() / n, first + at_most);
        double tolerance = most_tolerance;
        for (Size j = first; j < end; ++j) {
            rhs_norms_.push_back(unscaled_norm(scale_, scaled_b.data() + n * j, n));
            tolerance = std::min(tolerance, target(rhs_norms_.back()));
        }
        return tolerance;
    }

    /// Makes what a run says of its columns true of A x = b. Where it ended by its own norm and that is not enough, and
    /// nothing keeps it from going on: the relative residual that the next run, from this y, is to end at.
    std::optional<double> look(const ResidualAndY<T>& at, SolveResult& result) {
        std::optional<double> next;
        translate(at, 0, result, next);
        return count(next);
    }
    std::optional<double> look(const ResidualAndY<T>& at, BlockSolveResult& result) {
        std::optional<double> next;
        for (std::size_t j = 0; j < result.columns.size(); ++j) translate(at, j, result.columns[j], next);
        for (ColumnResult& column : result.columns) {
            if (column.reason == StopReason::converged || column.reason == StopReason::stagnated) continue;
            if (column.reason != StopReason::running) next.reset();  // it would only end so again
        }
        if (next) return count(next);
        for (ColumnResult& column : result.columns) {
            if (column.reason == StopReason::running) column.reason = result.reason;
        }
        return {};
    }

    /// How often a run had to go on.
    Size n_continued() const { return n_continued_; }

private:
    static constexpr double most_tolerance = 0.5;
    /// Norms that go different ways are followed in steps, as more than is needed costs iterations, and none at all is
    /// left where rounding ends a run.
    static constexpr double least_step = 1e-4;
    static constexpr double most_step = 0.8;

    double target(double rhs_norm) const { return rhs_norm > 0 ? std::max(rtol_, atol_ / rhs_norm) : rtol_; }

    std::optional<double> count(const std::optional<double>& next) {
        if (next) ++n_continued_;
        return next;
    }

    /// A column that is to go on is left `running`.
    template <class Column>
    void translate(const ResidualAndY<T>& at, std::size_t j, Column& column, std::optional<double>& next) {
        const Size n = scale_.size();
        const double rhs_norm = rhs_norms_[j];
        if (rhs_norm == 0) return;  // x = 0 is the solution
        const T* const r = at.r.data() + n * static_cast<Size>(j);
        const T* const y = at.y.data() + n * static_cast<Size>(j);
        const double by_its_norm = column.relative_residual;
        const double relative = unscaled_norm(scale_, r, n) / rhs_norm;
        column.relative_residual = relative;
        column.rhs_norm = rhs_norm;
        if (column.accuracy && matrix_norm_ > 0) {
            constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
            column.accuracy = accuracy_of(matrix_norm_, scaled_norm(scale_, y, n), relative, rhs_norm, eps);
        } else {
            column.accuracy.reset();
        }
        if (relative <= target(rhs_norm)) {
            column.reason = StopReason::converged;
            column.evidence = Evidence::none;
        } else if (column.reason == StopReason::converged) {
            const double tighter =
                by_its_norm * std::clamp(most_step * target(rhs_norm) / relative, least_step, most_step);
            const bool can_go_on = std::isfinite(relative) && tighter > 0;
            column.reason = can_go_on ? StopReason::running : StopReason::not_finite;
            if (can_go_on) next = std::min(next.value_or(tighter), tighter);
        }
    }

    const HostVector<T>& scale_;
    double matrix_norm_;
    double rtol_, atol_;
    std::vector<double> rhs_norms_ = {};
    Size n_continued_ = 0;
};

}  // namespace stiefel::cli
