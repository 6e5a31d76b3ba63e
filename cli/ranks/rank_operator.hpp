#pragma once

#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/cli/ranks/rank_preconditioning.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/solve/iteration_cost.hpp"
#include "stiefel/cli/solve/preconditioning.hpp"
#include "stiefel/core/agreement.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/device_levels.hpp"
#include "stiefel/spmv/lent_csr.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "stiefel/world/world_operator.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace stiefel::cli {

/// Entries of the host where the backend computes.
template <HostBackend B>
HostCsr<double> brought_to(B&, HostCsr<double> here) {
    return here;
}
inline DeviceCsr<double> brought_to(Cuda& backend, const HostCsr<double>& here) {
    return to_device(backend, here);
}
template <HostBackend B>
HostVector<double> taken_from(B&, HostVector<double> there) {
    return there;
}
inline HostVector<double> taken_from(Cuda& backend, const DeviceVector<double>& there) {
    HostVector<double> here(there.size());
    download(backend, there, here);
    return here;
}

/// Multigrid that ranks share, as what `auto` may go on with where iterations are expected to take so many seconds.
/// GPUs set it up as one alone does, and bring A or its second level together: some 8 ms more, of which a third is
/// counted, as for one. By the cores of the hosts beside them that takes as long as thousands of iterations, some 4e-8
/// s an entry (H200s, 16 cores each): it is considered when as many are done, so that no solve takes much more than
/// twice what it might.
template <class B>
PreconditionerAdvisor::Strong shared_amg_to_follow(B& backend, const WorldOperator<B, double>& a, Size n_rows,
                                                   const amg::SetupOptions& options, double iteration_seconds) {
    PreconditionerAdvisor::Strong strong{.name = ListedAmg::name, .cost = cost_of_amg<B>};
    if constexpr (!HostBackend<B>) {
        constexpr double seconds_on_devices = 0.005, seconds_of_entry_on_hosts = 4e-8;
        const auto nnz = static_cast<double>(a.nnz());
        const Size nnz_of_all = static_cast<Size>(all_sum(backend, nnz));
        const bool on_devices = amg::may_set_up_on_devices(backend, n_rows, nnz_of_all, options);
        const double here = on_devices ? seconds_on_devices : seconds_of_entry_on_hosts * nnz;
        const double setup = agreed(backend, here / iteration_seconds);
        strong.cost.iterations += setup;
        if (!on_devices) strong.from = static_cast<Size>(setup);
    }
    return strong;
}

/// What a rank multiplies and preconditions with, made step by step of the rows that it holds. All ranks take each step
/// at once; what goes wrong in one is RankFault in all.
template <class B>
class RankOperator {
public:
    using Preconditioner = RankPreconditioning<B, double>;
    using Entries = Csr<double, typename B::memory>;

    /// The backend has joined no world yet.
    RankOperator(B& backend, RanksOf<B>& ranks, TimedRanks& timed, OpenMP& host, RankMatrix& matrix)
        : backend_(backend), ranks_(ranks), timed_(timed), host_(host), matrix_(matrix) {
        together(timed, [&] { statistics_ = row_statistics(host, matrix.rows.own); });
    }

    /// Takes what the preconditioner needs of the entries; it will be applied to so many columns at once. May be called
    /// again after it has thrown.
    void prepare(std::string_view name, const PreconditionerOptions& how, Index columns) {
        setup_ = {&ranks_, &timed_, &host_, matrix_.blocks, how.amg, columns};
        if (name == ListedAmg::name && timed_.size() > 1) {
            m_.emplace(backend_, *setup_, matrix_.rows, entries_on_device());
        } else {
            together(timed_, [&] { m_.emplace(backend_, name, entries(), how); });
        }
    }

    /// The preconditioner may give way to multigrid where that suits: to be said before prepare().
    void may_give_way(const amg::SetupOptions& options) {
        const bool suits = timed_.size() > 1 && matrix_.n_rows() > rows_without_amg &&
                           options.smoother == amg::SetupOptions().smoother;
        together(timed_, [&] {
            if (suits) kept_ = copy_of(matrix_.rows);
        });
    }

    /// Makes operator and preconditioner; the backend joins the ranks. columns: of the panels that a format is chosen
    /// for.
    template <class Report>
    void bind(Index columns, const ComputationWords& words, Report& report) {
        Stopwatch watch;
        std::optional<SpmvOperator<B, double>> own;
        together(timed_, [&] {
            if constexpr (!HostBackend<B>) {
                if (kept_) kept_on_device_ = std::make_shared<Entries>(std::move(entries()));
            }
            auto taken = kept_on_device_ ? shared_csr(backend_, kept_on_device_) : std::move(entries());
            own = chosen_operator<double>(backend_, std::move(taken), statistics_, columns, words, report);
        });
        entries_.reset();
        report.seconds.convert += watch.restart();
        a_.emplace(backend_, ranks_, matrix_.blocks, std::move(*own), std::move(matrix_.rows));
        together(timed_, [&] { m_->bind(backend_, a_->own(), setup_->columns); });
        backend_.join(ranks_);
        m_->bind_to_all(backend_, *a_, setup_->columns);
        if (kept_) {
            const double iteration = expected_iteration_seconds(a_->own(), m_->now(), setup_->columns);
            m_->may_give_way(*setup_, std::move(*kept_), std::move(kept_on_device_),
                             shared_amg_to_follow(backend_, *a_, matrix_.n_rows(), setup_->options, iteration));
            kept_.reset();
        }
        if (!Preconditioner::is_of_all(m_->name()) && !backend_.is_alone())
            report.method.preconditioner_reason = "of each rank's block of the diagonal";
        report.seconds.setup += watch.seconds();
    }

    const WorldOperator<B, double>& a() const { return *a_; }
    Preconditioner& m() { return *m_; }

private:
    /// Of its own columns, where the backend computes.
    Entries& entries() {
        if (!entries_) entries_ = brought_to(backend_, std::move(matrix_.rows.own));
        return *entries_;
    }
    /// The same beside what the host has, which stays; none where the host computes.
    const Entries* entries_on_device() {
        if constexpr (HostBackend<B>) return nullptr;
        together(timed_, [&] { entries(); });
        return &*entries_;
    }

    B& backend_;
    RanksOf<B>& ranks_;
    TimedRanks& timed_;
    OpenMP& host_;
    RankMatrix& matrix_;
    std::optional<MultigridSetup<B>> setup_;
    std::optional<SplitRows<double>> kept_;    // while multigrid may be made of them
    std::shared_ptr<Entries> kept_on_device_;  // likewise
    RowStatistics statistics_ = {};
    std::optional<Entries> entries_;
    std::optional<Preconditioner> m_;
    std::optional<WorldOperator<B, double>> a_;
};

}  // namespace stiefel::cli
