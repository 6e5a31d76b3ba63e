#pragma once

#include "stiefel/analysis/coupling_strength.hpp"
#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/listed_preconditioner.hpp"
#include "stiefel/cli/solve/amg_cost.hpp"
#include "stiefel/cli/solve/cholesky_cost.hpp"
#include "stiefel/cli/solve/costs_on_device.hpp"
#include "stiefel/cli/solve/iteration_cost.hpp"
#include "stiefel/cli/solve/preconditioner_advisor.hpp"
#include "stiefel/cli/solve/prospective_factor.hpp"
#include "stiefel/cli/solve/slow_by_couplings.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/strong_ones.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/solver/stop_reason.hpp"
#include "stiefel/spmv/lent_csr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::cli {

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

    /// Prepares what is listed as `name` from A's entries, which are kept where it may be changed; couplings: of A,
    /// where they may decide at once. What is lent in the options must outlive this object.
    Preconditioning(B& backend, std::string_view name, std::shared_ptr<Matrix> entries, StrongOnes strong,
                    std::optional<CouplingStrength> couplings = {}, const PreconditionerOptions& options = {})
        : backend_(backend),
          light_(listed_preconditioner<B, T>(name).name),
          name_(light_),
          options_(options),
          may_follow_(strong),
          couplings_(couplings),
          entries_(std::move(entries)) {
        decide_at_once("fsai", reason_for_fsai());
        if (at_once_.empty()) prepared_ = prepare(backend, light_, *entries_, options_);
        if (strong.cholesky) factor_.emplace(backend, entries_);
        // What is asked for by name is made to its end, as there is nothing to go on with.
        options_.stops = [] { return InterruptGuard::requested(); };
        if (!strong.any()) entries_.reset();
    }

    /// One that was made before and is not changed; the name outlives this object.
    Preconditioning(B& backend, std::string_view name, std::shared_ptr<const ChosenPreconditioner<B, T>> made)
        : backend_(backend), light_(name), name_(name), made_(std::move(made)) {}

    /// To be called once, before A is in any format, with the columns that M will be applied to at once, and the
    /// relative residual that is asked for; 0: as far as it gets. Returns for how many products of a solve A is to be
    /// in a format, where they are known to be few.
    std::optional<double> foresees_few_products(Index columns, double target) {
        columns_ = columns;
        iterations_where_slow_ = iterations_where_slow(target);
        if constexpr (HostBackend<B>) weigh_factor_at_once();
        constexpr double with_factor = 5;
        if ((at_once_.empty() ? name_ : at_once_) == ListedCholesky::name) return with_factor;
        if (at_once_.empty() && couplings_ && is_even_mass(*couplings_)) return products_of_even_mass;
        return std::nullopt;
    }

    /// To be called then, with A as operator.
    void bind(const SpmvOperator<B, T>& a) {
        a_ = &a;
        if (made_) return;
        if (!at_once_.empty()) why_not_at_once_ = make_strong(at_once_);
        if (!strong_) make_light();
        expect_of_light();
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
    std::string reason() const { return advisor_ ? advisor_->reason() : strong_ ? why_at_once_ : std::string(); }
    /// What it was chosen among; empty where it was not.
    std::vector<WeighedPreconditioner> weighed() const {
        if (!advisor_) return {};
        std::vector<WeighedPreconditioner> list = advisor_->weighed();
        if (light_or_only_) {
            list.front().setup_seconds =
                std::visit([](const auto& m) { return preconditioner_details(m).seconds; }, *light_or_only_);
        }
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
            forget_all();
        } else {
            advisor_.emplace(target, max_iterations, light_, std::move(strong));
        }
        if (!advisor_ || at_once_.empty()) return;
        advisor_->begin_with(at_once_, iterations_where_slow_, light_seconds_, std::move(why_at_once_));
        if (!strong_) advisor_->refuse_strong(why_not_at_once_);
        keep_what_may_follow();
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
        if (!changes_ && wants_factor_ahead(iteration)) {
            factor_->make_ahead();
            ahead_began_ = run_seconds_;
        }
        if (advisor_->stage() == PreconditionerAdvisor::Stage::decided) forget_entries();
        return changes_;
    }

    /// Whether the run has been told to end so that another preconditioner goes on.
    bool is_giving_way() const { return changes_; }

    /// After a run that ended so: whether another preconditioner is to go on from its x, which is then made ready.
    bool changes(StopReason reason, Evidence evidence) {
        const bool asked = std::exchange(changes_, false) && reason == StopReason::interrupted;
        bool another = asked;
        if (strong_ && advisor_) {
            another = leave_strong(asked, reason, evidence);
        } else if (asked) {
            take_strong();  // if it cannot be had, the light one goes on
        }
        if (advisor_ && !another) advisor_->end_solve();
        ahead_began_ -= std::exchange(run_seconds_, 0);
        if (factor_ && (!advisor_ || !advisor_->has_last_resort())) factor_->give_up();
        return another;
    }

private:
    /// Asked now and then.
    bool wants_factor_ahead(Size iteration) const {
        constexpr Size every = 30;
        constexpr double many = 500;
        return iteration > 0 && iteration % every == 0 && entries_ && advisor_->has_last_resort() &&
               !factor_->is_made_ahead() && factor_->may_be_made_ahead() && advisor_->expected_iterations() >= many;
    }

    PreconditionerAdvisor::Cost cost_of_fsai() const { return cli::cost_of_fsai(entries_->n_rows, entries_->nnz()); }

    /// Where there is a reason.
    void decide_at_once(std::string_view name, const std::string& reason) {
        if (reason.empty()) return;
        at_once_ = name;
        why_at_once_ = fmt::format("{} at once, as {}", name, reason);
    }

    /// Before any iteration, on a device.
    std::string reason_for_fsai() const { return HostBackend<B> ? "" : why_slow(); }
    /// Empty where that is not known.
    std::string why_slow() const {
        if (!couplings_) return "";
        const std::string reason = why_slow_by_couplings(*couplings_);
        return reason.empty() ? why_slow_by_ones(*couplings_) : reason;
    }

    /// Where it is known to cost less than the iterations that will be many.
    void weigh_factor_at_once() {
        if (!couplings_ || !factor_ || is_even_mass(*couplings_)) return;
        const std::string reason = why_slow();
        if (reason.empty()) return;
        const double expected = iterations_where_slow_ * seconds_of_light();
        const SecondsOfCholesky found = factor_->left(expected, true, 0);
        if (found.is_exact && found.left < expected) decide_at_once(ListedCholesky::name, reason);
    }

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
                const auto cost = cost_of_amg_on_device(nnz);
                list.push_back({.name = "amg", .cost = cost, .from = iterations_before_amg(cost, light_seconds_)});
            }
        }
        const bool may_wait = entries_->n_rows >= least_rows_of_fsai_later;
        if (may_follow_.fsai && columns_ == 1 && (may_wait || at_once_ == "fsai")) {
            const auto cost = cost_of_fsai();
            list.push_back({.name = "fsai",
                            .cost = cost,
                            .from = iterations_before_fsai(may_follow_, cost),
                            .again = iterations_of_set_up_of_fsai,
                            .is_watched = false,
                            .where_grown = 0.7});
        }
        if (factor_ && (HostBackend<B> || columns_ == 1)) list.push_back(factor());
        return list;
    }

    /// Of an iteration with the light one, as a factor is weighed against it.
    double seconds_of_light() const {
        if constexpr (HostBackend<B>) {
            return iteration_seconds(a_ && light_or_only_ ? iteration_bytes(*a_, *light_or_only_, columns_)
                                                          : iteration_bytes_in_csr(*entries_, columns_));
        } else {
            return light_seconds_;
        }
    }

    PreconditionerAdvisor::Strong factor() {
        const double seconds = seconds_of_light(), before = factor_->seconds_before();
        PreconditionerAdvisor::Strong strong{.name = ListedCholesky::name,
                                             .cost = {.iterations = before / seconds, .setup = before}};
        strong.closer = [this, seconds](double expected, bool at_least) {
            const auto [left, is_exact] = factor_->left(expected * seconds, at_least, run_seconds_ - ahead_began_);
            return PreconditionerAdvisor::Estimate{{.iterations = left / seconds, .setup = left}, is_exact};
        };
        strong.is_last_resort = !HostBackend<B>;
        if constexpr (HostBackend<B>) {
            strong.from = iterations_before_cholesky;
        } else {
            strong.from = std::max(iterations_before_last_resort, static_cast<Size>(before / seconds));
            if (factor_->may_be_made_ahead()) strong.where_hopeless = iterations_where_hopeless;
            strong.is_watched = false;
        }
        return strong;
    }

    void forget_entries() {
        if (light_or_only_) forget_all();  // else it would be made of them
    }
    void forget_all() {
        entries_.reset();
        if (factor_) factor_->forget_matrix();
    }

    /// Of an iteration with the light one; without it, where that has not been made.
    void expect_of_light() {
        const ChosenPreconditioner<B, T> none = Identity{};
        light_seconds_ = expected_iteration_seconds(backend_, *a_, light_or_only_ ? *light_or_only_ : none, columns_);
    }
    void expect_iterations() { iteration_seconds_ = expected_iteration_seconds(backend_, *a_, now(), columns_); }

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

    /// Why it cannot be had, and then nothing has changed; empty where it is the one now.
    std::string make_strong(std::string_view name) {
        try {
            if (name == "amg" && !sets_up_in_place<B>(options_.amg)) {
                throw Error("with these options it would be set up by the cores of the host");
            }
            auto made = name == ListedCholesky::name && factor_ ? factor_->take() : std::nullopt;
            if (made) {
                strong_.emplace(AnyPreconditioner<B, T>(Cholesky<B, T>(std::move(*made))));
            } else {
                if (factor_) options_.analysis = factor_->analysis();
                const auto make = listed_preconditioner<B, T>(name).prepare(backend_, *entries_, options_);
                strong_.emplace(make(backend_, *a_, columns_));
                options_.analysis.reset();
            }
            name_ = name;
            set_ups_.emplace_back(name, details().seconds);
        } catch (const std::exception& problem) {
            return message_of(problem);
        }
        return "";
    }

    /// False, and nothing has changed, where it cannot be had.
    bool take_strong() {
        const std::string why_not = make_strong(advisor_->strong());
        if (!why_not.empty()) advisor_->refuse_strong(why_not);
        expect_iterations();
        keep_what_may_follow();
        return why_not.empty();
    }

    /// Forgets what nothing will be made of.
    void keep_what_may_follow() {
        if (advisor_->has_last_resort()) return;
        if (factor_) factor_->forget_matrix();
        forget_entries();
    }

    void make_light() {
        if (!prepared_) prepared_ = prepare(backend_, light_, *entries_, options_);
        light_or_only_.emplace(prepared_(backend_, *a_, columns_));
        prepared_ = nullptr;
    }

    void leave_for_light() {
        if (!light_or_only_) make_light();
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
    std::optional<CouplingStrength> couplings_ = {};  // where they may decide at once
    std::string_view at_once_ = {};                   // taken before any iteration ...
    std::string why_at_once_, why_not_at_once_;       // ... for a reason, but where it could not be had
    std::shared_ptr<Matrix> entries_;
    std::optional<ProspectiveFactor<B, T>> factor_ = {};  // where one may follow
    const SpmvOperator<B, T>* a_ = nullptr;
    Index columns_ = 1;
    std::optional<ChosenPreconditioner<B, T>> light_or_only_, strong_;
    std::optional<PreconditionerAdvisor> advisor_;
    double ahead_began_ = 0;                                    // factor_'s, counted as run_seconds_
    std::vector<std::pair<std::string_view, double>> set_ups_;  // of strong ones: seconds that they took
    double iterations_where_slow_ = 0;                          // expected of the light one, if it is slow
    double iteration_seconds_ = 0, light_seconds_ = 0;          // expected of the one that runs, and the light one
    double run_seconds_ = 0;                                    // expected of its iterations so far
    bool changes_ = false;
};

}  // namespace stiefel::cli
