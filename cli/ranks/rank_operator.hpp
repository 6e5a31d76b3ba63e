#pragma once

#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/ranks/in_precision.hpp"
#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/cli/ranks/rank_preconditioning.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/cli/solve/amg_cost.hpp"
#include "stiefel/cli/solve/iteration_cost.hpp"
#include "stiefel/cli/solve/preconditioning.hpp"
#include "stiefel/core/agreement.hpp"
#include "stiefel/preconditioner/amg/ranks/cuda/device_levels.hpp"
#include "stiefel/spmv/lent_csr.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "stiefel/world/world_operator.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace stiefel::cli {

/// Entries of the host where the backend computes.
template <HostBackend B, class T>
HostCsr<T> brought_to(B&, HostCsr<T> here) {
    return here;
}
template <class T>
DeviceCsr<T> brought_to(Cuda& backend, const HostCsr<T>& here) {
    return to_device(backend, here);
}
template <HostBackend B, class T>
HostVector<T> taken_from(B&, HostVector<T> there) {
    return there;
}
template <class T>
HostVector<T> taken_from(Cuda& backend, const DeviceVector<T>& there) {
    HostVector<T> here(there.size());
    download(backend, there, here);
    return here;
}

/// Multigrid that ranks share, as what `auto` may go on with where iterations are expected to move so many bytes here,
/// and to take so many seconds. GPUs set it up as one alone does, and bring A or its second level together: some 8 ms
/// more, of which two fifths are counted. By the cores of the hosts beside them that takes as long as thousands of
/// iterations, some 4e-8 s an entry (H200s, 16 cores each): it is considered when as many are done, so that no solve
/// takes much more than twice what it might.
template <class B, class T>
PreconditionerAdvisor::Strong shared_amg_to_follow(B& backend, const WorldOperator<B, T>& a, Size n_rows,
                                                   const amg::SetupOptions& options, double iteration_bytes,
                                                   double iteration_seconds, Index columns) {
    PreconditionerAdvisor::Strong strong{.name = ListedAmg::name};
    const auto nnz = static_cast<double>(a.nnz());
    const Size nnz_of_all = static_cast<Size>(all_sum(backend, nnz));
    if constexpr (HostBackend<B>) {
        const double bytes_of_all = all_sum(backend, iteration_bytes);
        strong.cost.iterations = iterations_of_amg_on_cores(nnz_of_all, bytes_of_all, columns);
    } else {
        strong.cost = cost_of_amg_on_device(nnz_of_all);
        constexpr double seconds_on_devices = 0.0032, seconds_of_entry_on_hosts = 4e-8;
        const bool on_devices = amg::may_set_up_on_devices(backend, n_rows, nnz_of_all, options);
        const double here = on_devices ? seconds_on_devices : seconds_of_entry_on_hosts * nnz;
        const double setup = agreed(backend, here / iteration_seconds);
        strong.cost.iterations += setup;
        if (!on_devices) strong.from = static_cast<Size>(setup);
    }
    return strong;
}

/// Seconds that an iteration is expected to take a rank, by what it moves and what it says to others: two sums and a
/// halo, 10 us within a host, some 50 between hosts.
template <HostBackend B, class T>
double rank_iteration_seconds(const SpmvOperator<B, T>& own, const ChosenPreconditioner<B, T>& m, Index columns) {
    constexpr double talk = 3e-5;
    return iteration_seconds(iteration_bytes(own, m, columns)) + talk;
}

/// What a rank multiplies and preconditions with, made step by step of the rows that it holds. All ranks take each step
/// at once; what goes wrong in one is RankFault in all.
template <class B, class T>
class RankOperator {
public:
    using Preconditioner = RankPreconditioning<B, T>;
    using Entries = Csr<T, typename B::memory>;
    using EntriesOfMultigrid = typename Preconditioner::EntriesOfMultigrid;

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

    /// The preconditioner may give way to multigrid, or to a factor of all rows, where that suits: to be said before
    /// prepare().
    void may_give_way(const amg::SetupOptions& options) {
        if (timed_.size() == 1) return;
        const Size rows = std::min<Size>(matrix_.n_rows(), std::numeric_limits<Index>::max());
        follow_ = strong_ones(HostBackend<B>, static_cast<Index>(rows), 0);
        follow_.amg = follow_.amg && options.smoother == amg::SetupOptions().smoother;
        follow_.fsai = false;
        follow_.cholesky = follow_.cholesky && HostBackend<B>;
        together(timed_, [&] {
            if (follow_.any()) kept_ = copy_of(matrix_.rows);
        });
    }

    /// Makes operator and preconditioner; the backend joins the ranks. columns: of the panels that a format is chosen
    /// for.
    template <class Report>
    void bind(Index columns, const ComputationWords& words, Report& report) {
        Stopwatch watch;
        std::optional<SpmvOperator<B, T>> own;
        SplitRows<T> beside;
        together(timed_, [&] {
            if constexpr (multigrid_takes_entries) {
                if (kept_) kept_on_device_ = std::make_shared<Entries>(std::move(entries()));
            }
            auto taken = kept_on_device_ ? shared_csr(backend_, kept_on_device_) : std::move(entries());
            own = chosen_operator<T>(backend_, std::move(taken), statistics_, {.columns = columns, .may_stay = false},
                                     words, report);
            beside = {.own = {},
                      .beyond = in_precision<T>(std::move(matrix_.rows.beyond)),
                      .boundary = std::move(matrix_.rows.boundary),
                      .ghosts = std::move(matrix_.rows.ghosts)};
        });
        entries_.reset();
        report.seconds.convert += watch.restart();
        a_.emplace(backend_, ranks_, matrix_.blocks, std::move(*own), std::move(beside));
        together(timed_, [&] { m_->bind(backend_, a_->own(), setup_->columns); });
        backend_.join(ranks_);
        m_->bind_to_all(backend_, *a_, setup_->columns);
        if (kept_) give_way();
        if (!Preconditioner::is_of_all(m_->name()) && !backend_.is_alone())
            report.method.preconditioner_reason = "of each rank's block of the diagonal";
        report.seconds.setup += watch.seconds();
    }

    const WorldOperator<B, T>& a() const { return *a_; }
    Preconditioner& m() { return *m_; }

private:
    /// To what suits.
    void give_way() {
        m_->may_give_way(*setup_, std::move(*kept_), for_multigrid(std::move(kept_on_device_)));
        kept_.reset();
        const Index columns = setup_->columns;
        if (follow_.amg) {
            const double bytes = iteration_bytes(a_->own(), m_->now(), columns);
            const double seconds = expected_iteration_seconds(backend_, a_->own(), m_->now(), columns);
            m_->multigrid_may_follow(
                shared_amg_to_follow(backend_, *a_, matrix_.n_rows(), setup_->options, bytes, seconds, columns));
        }
        if constexpr (HostBackend<B>) {
            if (follow_.cholesky) m_->factor_may_follow(rank_iteration_seconds(a_->own(), m_->now(), columns));
        }
    }

    /// Whether what a device has for products serves the set-up of multigrid as well, which is in double.
    static constexpr bool multigrid_takes_entries = !HostBackend<B> && std::is_same_v<T, double>;

    /// Of its own columns, where the backend computes.
    Entries& entries() {
        if (!entries_) entries_ = brought_to(backend_, in_precision<T>(std::move(matrix_.rows.own)));
        return *entries_;
    }
    /// The same beside what the host has, which stays; none where multigrid has no use for it.
    const EntriesOfMultigrid* entries_on_device() {
        if constexpr (multigrid_takes_entries) {
            together(timed_, [&] { entries(); });
            return &*entries_;
        } else {
            return nullptr;
        }
    }
    static std::shared_ptr<const EntriesOfMultigrid> for_multigrid(std::shared_ptr<Entries> kept) {
        if constexpr (multigrid_takes_entries) return kept;
        return nullptr;
    }

    B& backend_;
    RanksOf<B>& ranks_;
    TimedRanks& timed_;
    OpenMP& host_;
    RankMatrix& matrix_;
    std::optional<MultigridSetup<B>> setup_;
    StrongOnes follow_ = {};
    std::optional<SplitRows<double>> kept_;    // while those may be made of them
    std::shared_ptr<Entries> kept_on_device_;  // likewise
    RowStatistics statistics_ = {};
    std::optional<Entries> entries_;
    std::optional<Preconditioner> m_;
    std::optional<WorldOperator<B, T>> a_;
};

}  // namespace stiefel::cli
