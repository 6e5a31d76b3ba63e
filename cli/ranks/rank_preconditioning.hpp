#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/listed_preconditioner.hpp"
#include "stiefel/cli/ranks/first_rank_factor.hpp"
#include "stiefel/cli/solve/preconditioner_advisor.hpp"
#include "stiefel/core/world.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/ranks/shared_amg.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/solver/stop_reason.hpp"
#include "stiefel/world/timed_ranks.hpp"
#include "stiefel/world/world_operator.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stiefel::cli {

/// A preconditioner of the columns that a rank holds, in a world: no entry of it couples ranks, so each applies its own
/// by itself. Together they are block Jacobi with a block for each rank (the additive Schwarz method without overlap).
template <class B, class T>
class OfOwnBlock {
public:
    using V = VectorOf<B, T>;

    explicit OfOwnBlock(AnyPreconditioner<B, T> m) : m_(std::move(m)) {}

    Work work(Index columns) const { return m_.work(columns); }
    Size bytes() const { return m_.bytes(); }
    double epsilon() const { return m_.epsilon(); }
    PreconditionerDetails details() const { return m_.details(); }
    bool works_on_host() const { return m_.works_on_host(); }

    friend void precondition(B& backend, const OfOwnBlock& m, const V& r, V& z) {
        const OutsideWorld alone(backend);
        precondition(backend, m.m_, r, z);
    }
    friend void precondition(B& backend, const OfOwnBlock& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        const OutsideWorld alone(backend);
        precondition(backend, m.m_, r, z);
    }

private:
    AnyPreconditioner<B, T> m_;
};

/// What a rank without rows has of any preconditioner that is not pointwise.
template <class B, class T>
struct OfNothing {
    friend void precondition(B&, const OfNothing&, MatrixOf<B, const T>, MatrixOf<B, T>) {}
};

/// What multigrid of all ranks is made with, beside their rows.
template <class B>
struct MultigridSetup {
    RanksOf<B>* ranks;
    TimedRanks* timed;
    const OpenMP* host;
    RowBlocks blocks;
    amg::SetupOptions options;
    Index columns;  ///< that it is applied to at once
};

/// The preconditioner of a system on several ranks, which multigrid or a factor may follow. For ColumnSolver, as
/// Preconditioning.
template <class B, class T>
class RankPreconditioning {
public:
    /// Its set-up is in double, whatever T is.
    using EntriesOfMultigrid = Csr<double, typename B::memory>;

    /// Whether it is of all of A, as in one process; else of each rank's block of the diagonal.
    static bool is_of_all(std::string_view name) {
        return name == ListedIdentity::name || name == ListedJacobi::name || name == ListedChebyshev::name ||
               name == ListedAmg::name;
    }

    /// Multigrid of all rows, by all ranks at once, of which there are several. What is wrong with the matrix is
    /// RankFault in all of them. own: rows.own on the device, if it is there.
    RankPreconditioning(B& backend, const MultigridSetup<B>& setup, const SplitRows<double>& rows,
                        const EntriesOfMultigrid* own)
        : light_(ListedAmg::name), name_(light_), chosen_(multigrid(backend, setup, rows, own)) {}

    /// A light one may give way to others of these rows: those that are said then. All ranks at once.
    void may_give_way(const MultigridSetup<B>& setup, SplitRows<double> rows,
                      std::shared_ptr<const EntriesOfMultigrid> own) {
        following_.emplace(Following{setup, std::move(rows), std::move(own)});
    }
    /// how: its cost, and when it is considered.
    void multigrid_may_follow(PreconditionerAdvisor::Strong how) { following_->how.push_back(std::move(how)); }
    /// iteration: see FirstRankFactor.
    void factor_may_follow(double iteration) {
        Following& to = *following_;
        to.factor = std::make_unique<FirstRankFactor>(*to.setup.timed, to.setup.blocks, to.rows, iteration);
        to.how.push_back(to.factor->to_follow());
    }

    /// What is to be known of the entries of a rank's block before it becomes an operator. The backend has joined no
    /// world yet; waits for no other rank. Throws what `name` does.
    RankPreconditioning(B& backend, std::string_view name, const Csr<T, typename B::memory>& own,
                        const PreconditionerOptions& options)
        : light_(name), name_(light_) {
        const auto& listed = listed_preconditioner<B, T>(name);
        if (name == ListedChebyshev::name) {
            diagonal_ = make_jacobi(backend, own);
        } else if (own.n_rows == 0 && !is_of_all(name)) {
            prepared_ = [](B&, const SpmvOperator<B, T>&, Index) { return AnyPreconditioner<B, T>(OfNothing<B, T>()); };
        } else {
            try {
                prepared_ = listed.prepare(backend, own, options);
            } catch (const amg::NotDefinite& problem) {
                throw NotPositiveDefinite(problem.what());
            }
        }
    }

    /// Makes it, of a block `own` that outlives this object. As above.
    void bind(B& backend, const SpmvOperator<B, T>& own, Index columns) {
        backend_ = &backend;
        if (!prepared_) return;
        chosen_ = prepared_(backend, own, columns);
        prepared_ = nullptr;
        if (auto* const any = std::get_if<AnyPreconditioner<B, T>>(&chosen_)) {
            chosen_ = AnyPreconditioner<B, T>(OfOwnBlock<B, T>(std::move(*any)));
        }
    }

    /// The same of those that are of all of A, by all ranks at once; the backend has joined them.
    void bind_to_all(B& backend, const WorldOperator<B, T>& a, Index columns) {
        if (!diagonal_) return;
        chosen_ = AnyPreconditioner<B, T>(make_scaled_chebyshev<B, T>(backend, a, std::move(*diagonal_), columns));
        diagonal_.reset();
    }

    std::string_view name() const { return name_; }
    const ChosenPreconditioner<B, T>& now() const { return chosen_; }
    PreconditionerDetails details() const {
        return std::visit([](const auto& m) { return preconditioner_details(m); }, now());
    }

    /// Why this one; empty where nothing was decided.
    std::string reason() const {
        std::string reason = advisor_ ? advisor_->reason() : std::string();
        if (weak_ && name_ == ListedCholesky::name) reason += "; the first rank has the factor, of all rows";
        return reason;
    }
    /// What it was chosen among, in iterations, which are the unit of time here; empty where it was not.
    std::vector<WeighedPreconditioner> weighed() const {
        if (!advisor_) return {};
        std::vector<WeighedPreconditioner> list = advisor_->weighed();
        for (WeighedPreconditioner& one : list) {
            one.expected_seconds.reset();
            if (weak_ && one.name == name()) one.setup_seconds = details().seconds;
        }
        return list;
    }

    // As of Preconditioning. All ranks decide alike, by residuals that are the same bits and a model that is as well:
    // an iteration of the light one is the unit of time.
    void begin(double target, Size max_iterations) {
        if (!following_ || advisor_ || !(target > 0)) return;
        advisor_.emplace(target, max_iterations, light_, std::move(following_->how));
    }
    std::vector<Size> pauses() const { return advisor_ ? advisor_->looks() : std::vector<Size>(); }
    std::string_view next_name() const { return advisor_ ? advisor_->strong() : std::string_view(); }
    bool gives_way(Size iteration, double relative_residual) {
        if (!advisor_) return false;
        changes_ = changes_ || advisor_->gives_way(iteration, relative_residual, seconds_of(iteration));
        if (advisor_->stage() == PreconditionerAdvisor::Stage::decided) following_.reset();
        return changes_;
    }
    bool is_giving_way() const { return changes_; }
    bool changes(StopReason reason, Evidence evidence) {
        const bool asked = std::exchange(changes_, false) && reason == StopReason::interrupted;
        const bool another = weak_ ? leave_strong(asked, reason, evidence) : asked && take_strong();
        if (advisor_ && !another) advisor_->end_solve();
        return another;
    }

private:
    struct Following {
        MultigridSetup<B> setup;
        SplitRows<double> rows;
        std::shared_ptr<const EntriesOfMultigrid> own;
        std::vector<PreconditionerAdvisor::Strong> how = {};
        std::unique_ptr<FirstRankFactor> factor = {};
    };

    static AnyPreconditioner<B, T> multigrid(B& backend, const MultigridSetup<B>& setup, const SplitRows<double>& rows,
                                             const EntriesOfMultigrid* own) {
        const TimedRanks::Uncounted set_up(*setup.timed);  // which `auto` begins within a solve
        try {
            return shared_amg<B, T>(backend, *setup.ranks, *setup.host, setup.blocks, rows, setup.options,
                                    setup.columns, own);
        } catch (const amg::NotDefinite& problem) {
            throw RankFault(ExitCode::not_positive_definite, problem.what());
        } catch (const InvalidArgument& problem) {
            throw RankFault(exit_code_of(problem), problem.what());
        }
    }

    /// In iterations of the light one.
    double seconds_of(Size iterations) const { return static_cast<double>(iterations) * iterations_of_one_; }

    AnyPreconditioner<B, T> made(std::string_view name) {
        Following& of = *following_;
        if constexpr (HostBackend<B>) {
            if (name == ListedCholesky::name) {
                auto m = of.factor->template made<B, T>(*backend_, of.setup.columns);
                iterations_of_one_ = of.factor->iterations_of_one();
                is_exact_ = of.factor->shift() == 0;
                return m;
            }
        }
        constexpr double cycle = 8;  // moves about as much as so many iterations of the light one
        iterations_of_one_ = cycle;
        return multigrid(*backend_, of.setup, of.rows, of.own.get());
    }

    /// All ranks make it or, alike, do without.
    bool take_strong() {
        try {
            const std::string_view name = advisor_->strong();
            weak_ = std::exchange(chosen_, made(name));
            name_ = name;
        } catch (const RankFault& problem) {
            advisor_->refuse_strong(problem.what());
            iterations_of_one_ = 1;
        }
        following_.reset();
        return true;
    }

    /// What the strong one may be to blame for is tried again without it. What an exact one leaves, rounding errors
    /// leave.
    bool leave_strong(bool asked, StopReason reason, Evidence evidence) {
        const bool failed = (reason == StopReason::stagnated && !is_exact_) || reason == StopReason::not_finite ||
                            (reason == StopReason::not_positive_definite && evidence != Evidence::negative_curvature);
        if (!asked && !failed) return false;
        if (!asked) advisor_->refuse_strong(fmt::format("its run ended as {}", to_string(reason)));
        chosen_ = std::move(*weak_);
        weak_.reset();
        iterations_of_one_ = 1;
        name_ = light_;
        return true;
    }

    B* backend_ = nullptr;
    std::string_view light_, name_;
    std::optional<Jacobi<T, typename B::memory>> diagonal_;
    PreparedPreconditioner<B, T> prepared_;
    ChosenPreconditioner<B, T> chosen_;
    std::optional<Following> following_ = {};              // while it may be made
    std::optional<ChosenPreconditioner<B, T>> weak_ = {};  // the light one, once a strong one runs
    std::optional<PreconditionerAdvisor> advisor_ = {};
    double iterations_of_one_ = 1;  // of the one that runs, in those of the light one
    bool is_exact_ = false;         // the strong one is A^-1 up to rounding
    bool changes_ = false;
};

}  // namespace stiefel::cli
