#pragma once

#include "stiefel/core/timing.hpp"
#include "stiefel/dense/panel_rows.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/preconditioner/amg/coarse_cycle.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/preconditioner/amg/to_level.hpp"
#include "stiefel/world/outside_world.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace stiefel::amg {

/// Levels and the cycle through them: what a multigrid preconditioner is once it has been set up, whoever holds the
/// rows.
template <class B, class T, class S>
class CycleLevels {
public:
    /// To be called before it is applied to panels of more than one column.
    void reserve(B& backend, Index columns) {
        for (auto& level : levels_) level.reserve(backend, columns);
        columns_ = std::max(columns_, columns);
        coarse_.emplace(levels_);
    }

    Size bytes() const {
        Size sum = scale_.bytes();
        for (const auto& level : levels_) sum += level.bytes();
        return sum;
    }

    PreconditionerDetails details() const {
        PreconditionerDetails details = about_;
        for (std::size_t l = 0; l < levels_.size(); ++l) details.levels[l].bytes = levels_[l].bytes();
        details.bytes = bytes();
        if (!levels_.empty() && levels_.back().below) add_below(levels_.back().below->details(), details);
        return details;
    }

    /// <x, A x> / <x, x> as the trial found it.
    double trial() const { return quotient_; }
    /// Whether this precision was found to be enough, when M was made or its values updated: otherwise it may not be
    /// positive definite, and double precision is to be taken.
    bool is_precise() const { return std::is_same_v<S, double> || quotient_ >= least_in_single; }
    /// Of single precision, that led to this, and took so long.
    void count_trial(double quotient, double seconds) { add_trial(quotient, seconds); }

    /// Unit roundoff, twice, of what it computes in: M is symmetric up to that.
    double epsilon() const { return static_cast<double>(std::numeric_limits<S>::epsilon()); }

    /// Of one application to a panel of so many columns.
    Work work(Index columns) const { return cycle_work<T>(levels_, columns); }

protected:
    /// cycle: of cycles.hpp.
    explicit CycleLevels(std::string_view cycle, bool on_ranks = false)
        : kind_(&find_listed(cycles, "cycle", cycle)), visits_(*kind_, HostBackend<B>, on_ranks) {}

    bool has_levels() const { return !levels_.empty(); }

    /// scale: a_ii^-1/2 of the finest.
    void begin(VectorOf<B, T> scale, const PreconditionerDetails::Multigrid& about) {
        scale_ = std::move(scale);
        if (!about_.multigrid) about_.multigrid = about;  // an update changes none of it
        about_.multigrid->precision = std::is_same_v<S, float> ? "single" : "double";
    }

    /// Told level after level.
    bool next_is_visited_twice(Size nonzeros) { return visits_.next_is_visited_twice(nonzeros); }
    int visits() const { return visits_.times(); }

    void add(CycleLevel<B, S> level, Index rows, Size nonzeros) {
        add(std::move(level), rows, nonzeros, since_level_.restart());
    }
    void add(CycleLevel<B, S> level, Index rows, Size nonzeros, double seconds) {
        levels_.push_back(std::move(level));
        about_.levels.push_back({.rows = rows, .nonzeros = nonzeros, .visits = visits_.times(), .seconds = seconds});
    }

    void complete(B& backend, const SetupSeconds& steps) {
        reserve(backend, std::max<Index>(columns_, 1));
        about_.multigrid->cycle = cycle_name(*kind_, visits_.times());
        about_.setup = steps.listed();
        about_.seconds = since_begin_.seconds();
    }

    /// Whether values in 16 bits would save time.
    bool gains_by_rounding() const {
        return std::ranges::any_of(levels_,
                                   [](const auto& l) { return l.smoother && l.smoother->gains_by_rounding(); });
    }
    /// In which they are from now on, where they would.
    void round_values(B& backend) {
        for (auto& level : levels_) {
            if (level.smoother) level.smoother->round_values(backend);
        }
        about_.multigrid->precision = "16-bit and single";
    }

    /// <x, A x> and <x, x> for the scaled A and what coarse levels, of a hundredth of its rows or less, make of a
    /// random right-hand side, over the elements that this process holds: A is as near to singular as their quotient
    /// says, or nearer.
    TrialSums try_out(B& backend) const {
        constexpr Size share = 100;
        auto& finest = levels_.front();
        if (finest.below) return finest.below->try_out(backend);
        if (levels_.size() < 2) return {};
        const auto rows = [&](std::size_t l) { return Size{about_.levels[l].rows}; };
        for_rows(backend, finest.n_rows, finest.r.bytes(), RandomSide<S>{finest.r.data()});
        std::size_t coarse = 0;
        do {
            const auto& level = levels_[coarse++];
            multiply(backend, *level.restrict_, 1, level.r, levels_[coarse].r, S{1}, S{0});
        } while (coarse + 1 < levels_.size() && share * rows(coarse) > rows(0));
        cycle(backend, 1).visit(coarse);
        for (std::size_t l = coarse; l-- > 0;) {
            multiply(backend, *levels_[l].prolong, 1, levels_[l + 1].found(), levels_[l].x, S{1}, S{0});
        }
        const OutsideWorld alone(backend);
        auto sums = make_vector<double>(backend, 2);
        dot(backend, finest.x, finest.r, sums.data());
        dot(backend, finest.x, finest.x, sums.data() + 1);
        HostVector<double> here(2);
        download(backend, sums, here);
        return {here[0], here[1]};
    }

    /// What a trial found, and the seconds that it took.
    void add_trial(double quotient, double seconds) {
        quotient_ = quotient;
        about_.multigrid->trial = quotient;
        about_.setup.push_back({"trial", seconds});
        about_.seconds += seconds;
    }

    void forget() {
        coarse_.reset();
        levels_.clear();
        about_.levels.clear();
        visits_ = VisitPlan(*kind_, HostBackend<B>);
        since_begin_.restart();
        since_level_.restart();
    }

    /// Z = M R
    void apply(B& backend, MatrixOf<B, const T> r, MatrixOf<B, T> z) const {
        require_levels(r.n_cols);
        apply_cycle<B, T, S>(backend, cycle(backend, r.n_cols), levels_.front(), scale_.data(), r, z);
    }

    /// Whether apply() of a vector can give <r, z> in passing.
    bool has_way_out() const { return Cycle<B, S>::have_way_out(levels_); }
    /// z = M r,  *dot = <r, z>, of one column, where it can.
    void apply(B& backend, const VectorOf<B, T>& r, VectorOf<B, T>& z, double* dot) const {
        require_levels(1);
        for_rows(backend, r.size(), 3 * r.bytes(), Enter<T, S>{scale_.data(), r.data(), levels_.front().r.data()});
        cycle(backend, 1).run(WayOut<T>{scale_.data(), r.data(), z.data(), dot});
    }

    /// x = M r of the finest level's vectors, which are scaled as it is; twice where it is to be visited so.
    void apply_scaled(B& backend, Index columns) const { cycle(backend, columns).visit(0); }
    CycleLevel<B, S>& finest() const { return levels_.front(); }

private:
    void require_levels(Index columns) const {
        require(!levels_.empty(), "amg: the last update of its values failed");
        require(columns <= columns_, "amg: the panel has more columns than the preconditioner was made for");
    }
    Cycle<B, S> cycle(B& backend, Index columns) const {
        return {backend, levels_, *kind_, coarse_ ? &*coarse_ : nullptr, columns};
    }

    /// The finest of those below is the last of these, whose bytes and seconds hold all of theirs.
    static void add_below(const PreconditionerDetails& below, PreconditionerDetails& details) {
        const std::size_t last = details.levels.size() - 1;
        for (std::size_t l = 1; l < below.levels.size(); ++l) {
            PreconditionerDetails::Level level = below.levels[l];
            details.levels[last].bytes -= level.bytes;
            details.levels[last].seconds -= level.seconds;
            level.visits *= details.levels[last].visits;
            details.levels.push_back(level);
        }
    }

    mutable std::vector<CycleLevel<B, S>> levels_;  // the vectors in it are scratch
    VectorOf<B, T> scale_;
    std::optional<CoarseCycle<B, S>> coarse_;
    const CycleKind* kind_;
    VisitPlan visits_;
    Index columns_ = 0;
    double quotient_ = 1;
    PreconditionerDetails about_;  // but for bytes
    Stopwatch since_begin_, since_level_;
};

}  // namespace stiefel::amg
