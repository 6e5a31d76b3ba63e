#pragma once

#include "stiefel/preconditioner/amg/ranks/cuda/device_levels.hpp"
#include "stiefel/preconditioner/amg/ranks/rank_level.hpp"
#include "stiefel/preconditioner/amg/ritz_value.hpp"

#include <string_view>
#include <type_traits>
#include <utility>

namespace stiefel {

namespace amg {

/// A level of so many rows takes no longer whole than messages about its parts would: where cores set up. On GPUs see
/// gains_by_sharing().
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
/// one process. GPUs set up and take all levels but the finest whole (amg::levels_on_devices); else set-up is on the
/// hosts' cores, the gathered levels' where the backend computes. M is the same in every run, and depends on who holds
/// which rows.
template <class B, class T, class S = float>
class RankAmg : public amg::CycleLevels<B, T, S> {
public:
    static constexpr const char* name = "amg";

    /// All ranks make theirs at once. a: this rank's rows, not kept; own: a.own where the backend computes, if it is
    /// there. host: the rank's cores. Throws InvalidArgument for a smoother other than chebyshev, and as Amg does; all
    /// ranks throw.
    RankAmg(B& backend, RanksOf<B>& ranks, const OpenMP& host, const RowBlocks& rows, const SplitRows<double>& a,
            amg::SetupOptions options = {}, const Csr<double, typename B::memory>* own = nullptr)
        : amg::CycleLevels<B, T, S>(options.cycle, ranks.size() > 1) {
        amg::check_shared_options(options);
        if constexpr (std::is_same_v<B, Cuda>) {
            if (auto made = amg::levels_on_devices<T, S>(backend, ranks, rows, a, own, options)) {
                take(backend, std::move(*made));
                try_out(backend, ranks);
                return;
            }
        }
        if (options.gathered_rows == 0) options.gathered_rows = amg::default_gathered_rows<B>;
        OpenMP joined(host.threads());
        joined.join(ranks);
        amg::MadeMatrix<B, S> made;  // of the level at hand, where Lanczos was by it
        amg::RankRitzValueOf ritz_value;
        if constexpr (HostBackend<B>) {
            ritz_value = [&](const RowBlocks& held, const SplitRows<double>& split, const HostVector<double>& roots) {
                made = amg::to_rank_matrix<B, S>(backend, ranks, held, split, roots, roots);
                const auto product = [&](const HostVector<S>& v, HostVector<S>& w) {
                    multiply(backend, *made, 1, v, w, 1, 0);
                };
                return amg::largest_ritz_value<S>(joined, split.own.n_rows, product);
            };
        }
        const auto keep = [&](const amg::RankLevel& level) {
            const bool is_finest = !this->has_levels();
            if (is_finest) begin_with(backend, level, options);
            const bool is_twice = this->next_is_visited_twice(level.nonzeros);
            this->add(amg::to_rank_level<B, S>(backend, ranks, host, level, is_twice,
                                               below(options, is_finest, this->visits()), std::exchange(made, {})),
                      static_cast<Index>(level.rows.n_rows()), level.nonzeros);
        };
        this->complete(backend, amg::build_rank_hierarchy(joined, ranks, rows, a, options, keep, ritz_value));
        try_out(backend, ranks);
    }

    /// Z = M R
    friend void precondition(B& backend, const RankAmg& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        m.apply(backend, r, z);
    }

private:
    /// Single precision, by all ranks.
    void try_out(B& backend, RanksOf<B>& ranks) {
        if (std::is_same_v<S, double>) return;
        const Stopwatch since_begin;
        const amg::TrialSums here = amg::CycleLevels<B, T, S>::try_out(backend);
        double sums[2] = {here.energy, here.square};
        ranks.all_sum(sums, 2);
        this->add_trial(amg::TrialSums{sums[0], sums[1]}.quotient(), since_begin.seconds());
    }

    /// What gathered levels are made by: as the levels below the finest are, unless there is none above them. The plan
    /// has said how often they are visited.
    static amg::SetupOptions below(const amg::SetupOptions& options, bool is_finest, int visits) {
        if (is_finest) return options;
        return {.coarsening = "smoothed",
                .cycle = visits > 1 && options.cycle == "auto" ? std::string_view("v") : options.cycle,
                .coarsest_rows = options.coarsest_rows,
                .most_levels = options.most_levels};
    }

    void take(Cuda& backend, amg::DeviceLevels<T, S> made) {
        this->begin(std::move(made.scale), made.about);
        for (auto& [level, rows, nonzeros, seconds_of_level] : made.levels) {
            this->next_is_visited_twice(nonzeros);
            this->add(std::move(level), static_cast<Index>(rows), nonzeros, seconds_of_level);
        }
        this->complete(backend, made.seconds);
    }

    void begin_with(B& backend, const amg::RankLevel& finest, const amg::SetupOptions& options) {
        auto&& host = amg::host_of(backend);
        this->begin(amg::rounded<T>(backend, amg::roots(host, finest.diagonal, true)),
                    {.coarsening = finest.next != nullptr ? finest.next->coarsening : std::string_view{},
                     .smoother = options.smoother,
                     .block_size = finest.block_size,
                     .near_null_space = amg::near_null_space_name(options, finest.block_size)});
    }
};

}  // namespace stiefel
