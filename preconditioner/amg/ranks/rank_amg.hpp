#pragma once

#include "stiefel/preconditioner/amg/ranks/rank_level.hpp"

#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel {

namespace amg {

/// A level of so many rows takes no longer whole than messages about its parts would.
template <class B>
inline constexpr Size default_gathered_rows = HostBackend<B> ? 4000 : 30000;

/// Throws InvalidArgument where options ask for what levels that ranks share have not.
inline void check_shared_options(const SetupOptions& options) {
    require(options.smoother == ListedChebyshevSmoother::name,
            "amg: levels that ranks share are smoothed by 'chebyshev' alone");
    require(!options.for_updates, "amg: values of levels that ranks share cannot be updated");
}

}  // namespace amg

/// Algebraic multigrid for a matrix whose rows lie with several ranks: Amg's cycle, in which every product is one of
/// all ranks, down to a level that every rank takes whole (amg::default_gathered_rows). Aggregates are of rows of one
/// rank; smoothing, prolongations and coarse matrices reach across, so that hardly more iterations are taken than in
/// one process. Set-up on the hosts' cores, the gathered levels' where the backend computes. M is the same in every
/// run, and depends on who holds which rows.
template <class B, class T, class S = float>
class RankAmg {
public:
    static constexpr const char* name = "amg";

    /// All ranks make theirs at once. a: this rank's rows, not kept. host: the rank's cores. Throws InvalidArgument for
    /// a smoother other than chebyshev, and as Amg does; all ranks throw, but for a diagonal of A that is not positive,
    /// after which none goes on.
    RankAmg(B& backend, RanksOf<B>& ranks, const OpenMP& host, const RowBlocks& rows, const SplitRows<double>& a,
            amg::SetupOptions options = {})
        : kind_(&amg::find_listed(amg::cycles, "cycle", options.cycle)) {
        amg::check_shared_options(options);
        if (options.gathered_rows == 0) options.gathered_rows = amg::default_gathered_rows<B>;
        const Stopwatch watch;
        Stopwatch since_level;
        amg::VisitPlan visits(*kind_, HostBackend<B>);
        const auto keep = [&](const amg::RankLevel& level) {
            if (levels_.empty()) begin_with(backend, level, options);
            const bool is_twice = visits.next_is_visited_twice(level.nonzeros);
            levels_.push_back(amg::to_rank_level<B, S>(backend, ranks, host, level, is_twice,
                                                       below(options, levels_.empty(), visits.times())));
            about_.levels.push_back({.rows = static_cast<Index>(level.rows.n_rows()),
                                     .nonzeros = level.nonzeros,
                                     .visits = visits.times(),
                                     .seconds = since_level.restart()});
        };
        OpenMP joined(host.threads());
        joined.join(ranks);
        const amg::SetupSeconds steps = amg::build_rank_hierarchy(joined, ranks, rows, a, options, keep);
        reserve(backend, 1);
        about_.multigrid->cycle = amg::cycle_name(*kind_, visits.times());
        about_.setup = steps.listed();
        about_.seconds = watch.seconds();
    }

    /// To be called before it is applied to panels of more than one column.
    void reserve(B& backend, Index columns) {
        for (auto& level : levels_) level.reserve(backend, columns);
        columns_ = std::max(columns_, columns);
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
        return details;
    }
    double epsilon() const { return static_cast<double>(std::numeric_limits<S>::epsilon()); }
    Work work(Index columns) const { return amg::cycle_work<T>(levels_, columns); }

    /// Z = M R
    friend void precondition(B& backend, const RankAmg& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        require(r.n_cols <= m.columns_, "amg: the panel has more columns than the preconditioner was made for");
        const amg::Cycle<B, S> cycle(backend, m.levels_, *m.kind_, nullptr, r.n_cols);
        amg::apply_cycle<B, T, S>(backend, cycle, m.levels_.front(), m.scale_.data(), r, z);
    }

private:
    /// What gathered levels are made by: as the levels below the finest are, unless there is none above them. The plan
    /// has said how often they are visited.
    static amg::SetupOptions below(const amg::SetupOptions& options, bool is_finest, int visits) {
        if (is_finest) return options;
        return {.coarsening = "smoothed",
                .cycle = visits > 1 && options.cycle == "auto" ? std::string_view("v") : options.cycle,
                .coarsest_rows = options.coarsest_rows,
                .most_levels = options.most_levels};
    }

    void begin_with(B& backend, const amg::RankLevel& finest, const amg::SetupOptions& options) {
        HostVector<T> roots(finest.diagonal.size());
        for (Size i = 0; i < roots.size(); ++i) roots[i] = static_cast<T>(1 / std::sqrt(finest.diagonal[i]));
        scale_ = make_vector<T>(backend, roots.size());
        upload(backend, roots, scale_);
        if constexpr (!HostBackend<B>) backend.synchronize();
        about_.multigrid = {.coarsening = finest.next != nullptr ? finest.next->coarsening : std::string_view{},
                            .smoother = options.smoother,
                            .precision = std::is_same_v<S, float> ? "single" : "double",
                            .block_size = finest.block_size,
                            .near_null_space = amg::near_null_space_name(options, finest.block_size)};
    }

    mutable std::vector<amg::CycleLevel<B, S>> levels_;  // the vectors in it are scratch
    VectorOf<B, T> scale_;
    const amg::CycleKind* kind_;
    Index columns_ = 0;
    PreconditionerDetails about_;  // but for bytes
};

}  // namespace stiefel
