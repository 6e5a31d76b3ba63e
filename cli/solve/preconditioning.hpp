#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/listed_preconditioner.hpp"
#include "stiefel/cli/solve/amg_cost.hpp"
#include "stiefel/cli/solve/cholesky_cost.hpp"
#include "stiefel/cli/solve/iteration_cost.hpp"
#include "stiefel/cli/solve/preconditioner_advisor.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/solver/stop_reason.hpp"
#include "stiefel/spmv/lent_csr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::cli {

/// Of up to so many rows, iterations are too cheap to be worth the set-up of multigrid.
inline constexpr Index rows_without_amg = 20000;
/// Of fewer rows iterations are too cheap for a sparse approximate inverse; with more entries, iterations with it do
/// not stay in a device's cache.
inline constexpr Index least_rows_of_fsai = 900;
inline constexpr Size most_entries_of_fsai = 1500000;
/// Of fewer rows any solve is over before a factorisation could be, of more it is not looked at.
inline constexpr Index least_rows_of_cholesky = 100, most_rows_of_cholesky = 50000;
/// A residual that is larger after so many iterations than at first tells enough to factorise.
inline constexpr Size iterations_before_cholesky = 2;
/// On a device, where the factor is a last resort, no solve of fewer is slow.
inline constexpr Size iterations_before_last_resort = 500;

/// Those that `auto` may go on with.
struct StrongOnes {
    bool amg = false;
    bool cholesky = false;
    bool fsai = false;

    bool any() const { return amg || cholesky || fsai; }
};
constexpr StrongOnes strong_ones(bool on_host, Index n_rows, Size nnz) {
    return {.amg = n_rows > rows_without_amg,
            .cholesky = n_rows >= least_rows_of_cholesky && n_rows <= most_rows_of_cholesky,
            .fsai = !on_host && n_rows >= least_rows_of_fsai && nnz <= most_entries_of_fsai};
}

/// What a solve with multigrid takes on a device, of so many entries. Its set-up waits for the host level by level,
/// some 5 ms, of which half is counted, as forecasts say too little as a rule; and it takes 0.4 to 0.5 ns an entry
/// (H100). The solve takes as long as 50 to 80 iterations of the light one, of elastic bodies 220.
inline PreconditionerAdvisor::Cost cost_of_amg_on_device(Size nnz) {
    const double setup = 0.0025 + 5e-10 * static_cast<double>(nnz);
    return {.iterations = 60, .seconds = setup, .setup = setup};
}

/// What a solve with a sparse approximate inverse takes on a device: a third of the iterations or fewer, in all
/// matrices measured, each as long as one and a half to two. Its set-up takes as long as 70 iterations of a small
/// system, and longer where rows are long, as each solves a system of half its length, or more than fill the device at
/// once; another run with its plan as long as 50 (H100 and H200).
inline constexpr double least_set_up_of_fsai = 0.00035, another_run = 0.00025;
inline PreconditionerAdvisor::Cost cost_of_fsai(Index n_rows, Size nnz) {
    const double squared_lengths = static_cast<double>(nnz) * static_cast<double>(nnz) / std::max(n_rows, 1);
    constexpr Index rows_at_once = 10000;
    const double setup =
        least_set_up_of_fsai + 1.5e-11 * squared_lengths + 5e-9 * std::max(n_rows - rows_at_once, Index{0});
    return {.iterations = 0, .seconds = setup + another_run, .share = 0.55, .setup = setup};
}
inline constexpr Size iterations_of_set_up_of_fsai = 120;

/// Of small systems, with random right-hand sides, forecasts after 30 iterations are wrong least often about what
/// repays (docs/performance/time_to_solution.md); each look takes as long as two iterations. Where the set-up takes
/// longer it waits for as much longer, as a wrong forecast costs more: elasticity3d 9 and 12 take four fifths and half
/// the time so. Of larger systems, where multigrid may follow as well, iterations with it take longer than two, and it
/// waits.
inline Size iterations_before_fsai(const StrongOnes& strong, const PreconditionerAdvisor::Cost& cost) {
    if (strong.amg) return iterations_of_set_up_of_fsai;
    constexpr auto least = static_cast<double>(PreconditionerAdvisor::light_looks.back());
    return static_cast<Size>(std::lround(least * cost.seconds / (least_set_up_of_fsai + another_run)));
}

/// Whether the set-up runs where the backend computes. The host's cores take longer than all iterations of a device.
template <class B>
bool sets_up_in_place(const amg::SetupOptions& options) {
    if constexpr (HostBackend<B>) {
        return true;
    } else {
        return amg::suits_device(options);
    }
}

/// The preconditioner that a system is solved with: the one asked for; or, chosen automatically, one that may be
/// changed between runs of the solver as PreconditionerAdvisor says.
template <class B, class T>
class Preconditioning {
public:
    using Matrix = Csr<T, typename B::memory>;

    /// Prepares what is listed as `name` from A's entries, which are kept where it may be changed. What is lent in the
    /// options must outlive this object.
    Preconditioning(B& backend, std::string_view name, std::shared_ptr<Matrix> entries, StrongOnes strong,
                    const PreconditionerOptions& options = {})
        : backend_(backend),
          light_(listed_preconditioner<B, T>(name).name),
          name_(light_),
          prepared_(prepare(backend, name, *entries, options)),
          options_(options),
          may_follow_(strong),
          entries_(strong.any() ? std::move(entries) : nullptr) {}

    /// One that was made before and is not changed; the name outlives this object.
    Preconditioning(B& backend, std::string_view name, std::shared_ptr<const ChosenPreconditioner<B, T>> made)
        : backend_(backend), light_(name), name_(name), made_(std::move(made)) {}

    /// To be called once, with A as operator and the columns that M will be applied to at once.
    void bind(const SpmvOperator<B, T>& a, Index columns) {
        a_ = &a;
        columns_ = columns;
        if (made_) return;
        light_or_only_.emplace(prepared_(backend_, a, columns));
        prepared_ = nullptr;
        expect_iterations();
    }

    std::string_view name() const { return name_; }
    const ChosenPreconditioner<B, T>& now() const {
        if (made_) return *made_;
        return strong_ ? *strong_ : *light_or_only_;
    }
    PreconditionerDetails details() const {
        return std::visit([](const auto& m) { return preconditioner_details(m); }, now());
    }
    /// Why this one; empty where nothing was decided.
    std::string reason() const { return advisor_ ? advisor_->reason() : std::string(); }
    /// What it was chosen among; empty where it was not.
    std::vector<WeighedPreconditioner> weighed() const {
        if (!advisor_) return {};
        std::vector<WeighedPreconditioner> list = advisor_->weighed();
        list.front().setup_seconds =
            std::visit([](const auto& m) { return preconditioner_details(m).seconds; }, *light_or_only_);
        for (WeighedPreconditioner& one : list) {
            for (const auto& [name, seconds] : set_ups_) {
                if (one.name == name) one.setup_seconds = seconds;
            }
        }
        return list;
    }

    /// Before a solve to a relative residual of `target`.
    void begin(double target, Size max_iterations) {
        if (!entries_ || advisor_ || !(target > 0)) return;
        if (auto strong = candidates(); strong.empty()) {
            entries_.reset();
        } else {
            advisor_.emplace(target, max_iterations, light_, std::move(strong));
        }
    }

    /// The one that is made ready by changes(); empty while there is none.
    std::string_view next_name() const { return advisor_ ? advisor_->strong() : std::string_view(); }

    /// Iterations of the next run after which it may give way, ascending: see CgOptions::pauses.
    std::vector<Size> pauses() const { return advisor_ ? advisor_->looks() : std::vector<Size>(); }

    /// Asked after every iteration of a run: whether it is to end, so that another preconditioner goes on.
    bool gives_way(Size iteration, double relative_residual) {
        if (!advisor_) return false;
        const double seconds = run_seconds_ = static_cast<double>(iteration) * iteration_seconds_;
        changes_ = changes_ || advisor_->gives_way(iteration, relative_residual, seconds);
        if (advisor_->stage() == PreconditionerAdvisor::Stage::decided) forget_entries();
        return changes_;
    }

    /// Whether the run has been told to end so that another preconditioner goes on.
    bool is_giving_way() const { return changes_; }

    /// After a run that ended so: whether another preconditioner is to go on from its x, which is then made ready.
    bool changes(StopReason reason, Evidence evidence) {
        const bool asked = std::exchange(changes_, false) && reason == StopReason::interrupted;
        bool another = asked;
        if (strong_) {
            another = leave_strong(asked, reason, evidence);
        } else if (asked) {
            take_strong();  // if it cannot be had, the light one goes on
        }
        if (advisor_ && !another) advisor_->end_solve();
        return another;
    }

private:
    /// What may go on where the first takes long.
    std::vector<PreconditionerAdvisor::Strong> candidates() {
        std::vector<PreconditionerAdvisor::Strong> list;
        if (may_follow_.amg) {
            const Size nnz = entries_->nnz();
            if constexpr (HostBackend<B>) {
                const double bytes = iteration_bytes(*a_, now(), columns_);
                list.push_back(
                    {.name = "amg", .cost = {.iterations = iterations_of_amg_on_cores(nnz, bytes, columns_)}});
            } else {
                list.push_back({.name = "amg", .cost = cost_of_amg_on_device(nnz)});
            }
        }
        if (may_follow_.fsai && columns_ == 1) {
            const auto cost = cost_of_fsai(entries_->n_rows, entries_->nnz());
            list.push_back({.name = "fsai",
                            .cost = cost,
                            .from = iterations_before_fsai(may_follow_, cost),
                            .again = iterations_of_set_up_of_fsai,
                            .is_watched = false,
                            .where_grown = 0.7});
        }
        if (may_follow_.cholesky && (HostBackend<B> || columns_ == 1)) list.push_back(factor());
        return list;
    }

    PreconditionerAdvisor::Strong factor() {
        double seconds, before_factor;
        PreconditionerAdvisor::Strong strong{.name = "cholesky"};
        if constexpr (HostBackend<B>) {
            seconds = iteration_seconds(iteration_bytes(*a_, now(), columns_));
            before_factor = seconds_before_factor(*entries_);
            strong.from = iterations_before_cholesky;
        } else {
            seconds = iteration_seconds_;
            before_factor = seconds_before_factor(entries_->n_rows, entries_->nnz(), 0);
            strong.from = std::max(iterations_before_last_resort, static_cast<Size>(before_factor / seconds));
            strong.is_watched = false;
            strong.is_last_resort = true;
        }
        strong.cost = {.iterations = before_factor / seconds, .setup = before_factor};
        strong.closer = [this, seconds, before_factor](double expected, bool at_least) {
            const auto [left, is_exact] = left_of_cholesky(before_factor, expected * seconds, at_least);
            return PreconditionerAdvisor::Estimate{{.iterations = left / seconds, .setup = left}, is_exact};
        };
        return strong;
    }

    SecondsOfCholesky left_of_cholesky(double before_factor, double expected, bool at_least) {
        const auto graph = [&] {
            if constexpr (HostBackend<B>) {
                groups_ = cholesky::compressed_graph(*entries_);
            } else {
                groups_ = cholesky::compressed_graph(to_host(backend_, *entries_));
            }
            return vertices_and_couplings(groups_->graph);
        };
        const auto prediction = [&] {
            options_.analysis = std::make_shared<cholesky::Analysis>(*std::exchange(groups_, {}));
            return options_.analysis->prediction();
        };
        SecondsOfCholesky found =
            seconds_of_cholesky(before_factor, expected, at_least, graph_size_, graph, prediction);
        if (!HostBackend<B> && found.is_exact) {
            found.left += seconds_of_triangles_on_device(options_.analysis->prediction());
        }
        return found;
    }

    void forget_entries() {
        entries_.reset();
        groups_.reset();
    }

    void expect_iterations() { iteration_seconds_ = expected_iteration_seconds(*a_, now(), columns_); }

    static PreparedPreconditioner<B, T> prepare(B& backend, std::string_view name, const Matrix& entries,
                                                const PreconditionerOptions& options) {
        try {
            return listed_preconditioner<B, T>(name).prepare(backend, entries, options);
        } catch (const amg::NotDefinite& problem) {
            throw NotPositiveDefinite(problem.what());
        } catch (const OutOfMemory& problem) {
            std::string fits = fmt::format("--preconditioner jacobi needs {}",
                                           format_bytes(Size{entries.n_rows} * static_cast<Size>(sizeof(T))));
            if (!HostBackend<B> && available_memory() > problem.bytes_asked()) fits += ", --backend openmp has room";
            throw Error(fmt::format("--preconditioner {}: {}; {}", name, problem.what(), fits));
        }
    }

    /// False, and nothing has changed, where it cannot be had.
    bool take_strong() {
        bool is_taken = false;
        try {
            const std::string_view name = advisor_->strong();
            if (name == "amg" && !sets_up_in_place<B>(options_.amg)) {
                throw Error("with these options it would be set up by the cores of the host");
            }
            const auto make = listed_preconditioner<B, T>(name).prepare(backend_, *entries_, options_);
            strong_.emplace(make(backend_, *a_, columns_));
            name_ = name;
            set_ups_.emplace_back(name, details().seconds);
            expect_iterations();
            is_taken = true;
        } catch (const std::exception& problem) {
            advisor_->refuse_strong(message_of(problem));
        }
        if (!advisor_->has_last_resort()) {
            forget_entries();
            options_.analysis.reset();
        }
        return is_taken;
    }

    void leave_for_light() {
        strong_.reset();
        name_ = light_;
        expect_iterations();
    }

    /// What M may be to blame for is tried again without it.
    bool leave_strong(bool asked, StopReason reason, Evidence evidence) {
        const auto factorisation = details().factorisation;
        const bool is_exact = factorisation && factorisation->shift == 0;  // what it leaves, rounding errors leave
        const bool failed = (reason == StopReason::stagnated && !is_exact) || reason == StopReason::not_finite ||
                            (reason == StopReason::not_positive_definite && evidence != Evidence::negative_curvature);
        if (!asked && !failed) return false;
        const std::string why = fmt::format("its run ended as {}", to_string(reason));
        const bool goes_on = asked ? advisor_->strong() != name_ : advisor_->takes_last_resort(why, run_seconds_);
        if (goes_on) {
            if (!take_strong() && !asked) leave_for_light();
            return true;
        }
        if (!asked) advisor_->refuse_strong(why);
        leave_for_light();
        return true;
    }

    B& backend_;
    std::string_view light_, name_;
    std::shared_ptr<const ChosenPreconditioner<B, T>> made_;
    PreparedPreconditioner<B, T> prepared_;
    PreconditionerOptions options_ = {};
    StrongOnes may_follow_ = {};
    std::shared_ptr<Matrix> entries_;
    std::optional<cholesky::CompressedGraph> groups_;  // of them, while it is not analysed
    std::optional<double> graph_size_;                 // its vertices and couplings
    const SpmvOperator<B, T>* a_ = nullptr;
    Index columns_ = 1;
    std::optional<ChosenPreconditioner<B, T>> light_or_only_, strong_;
    std::optional<PreconditionerAdvisor> advisor_;
    std::vector<std::pair<std::string_view, double>> set_ups_;  // of strong ones: seconds that they took
    double iteration_seconds_ = 0;                              // expected of the one that runs
    double run_seconds_ = 0;                                    // expected of its iterations so far
    bool changes_ = false;
};

}  // namespace stiefel::cli
