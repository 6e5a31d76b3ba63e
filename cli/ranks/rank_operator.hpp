#pragma once

#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "stiefel/cli/ranks/rank_preconditioning.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/spmv/row_statistics.hpp"
#include "stiefel/world/world_operator.hpp"

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

/// What a rank multiplies and preconditions with, made step by step of the rows that it holds. All ranks take each step
/// at once; what goes wrong in one is RankFault in all.
template <class B>
class RankOperator {
public:
    using Preconditioner = RankPreconditioning<B, double>;

    /// Takes the entries of its own columns to where the backend computes. The backend has joined no world yet.
    RankOperator(B& backend, TimedRanks& timed, OpenMP& host, RankMatrix& matrix)
        : backend_(backend), timed_(timed), matrix_(matrix) {
        together(timed, [&] {
            statistics_ = row_statistics(host, matrix.rows.own);
            entries_ = brought_to(backend, std::move(matrix.rows.own));
        });
    }

    /// Takes what the preconditioner needs of the entries. May be called again after it has thrown.
    void prepare(std::string_view name, const PreconditionerOptions& how) {
        together(timed_, [&] { m_.emplace(backend_, name, *entries_, how); });
    }

    /// Makes operator and preconditioner, for panels of so many columns; the backend joins the ranks. Takes the other
    /// rows of the matrix.
    template <class Report>
    void bind(RanksOf<B>& ranks, Index columns, Index block, const ComputationWords& words, Report& report) {
        Stopwatch watch;
        std::optional<SpmvOperator<B, double>> own;
        together(timed_, [&] {
            own = chosen_operator<double>(backend_, std::move(*entries_), statistics_, columns, words, report);
        });
        entries_.reset();
        report.seconds.convert += watch.restart();
        a_.emplace(backend_, ranks, matrix_.blocks, std::move(*own), std::move(matrix_.rows));
        together(timed_, [&] { m_->bind(backend_, a_->own(), block); });
        backend_.join(ranks);
        m_->bind_to_all(backend_, *a_, block);
        if (!Preconditioner::is_of_all(m_->name()) && !backend_.is_alone())
            report.method.preconditioner_reason = "of each rank's block of the diagonal";
        report.seconds.setup += watch.seconds();
    }

    const WorldOperator<B, double>& a() const { return *a_; }
    Preconditioner& m() { return *m_; }

private:
    B& backend_;
    TimedRanks& timed_;
    RankMatrix& matrix_;
    RowStatistics statistics_ = {};
    std::optional<Csr<double, typename B::memory>> entries_;
    std::optional<Preconditioner> m_;
    std::optional<WorldOperator<B, double>> a_;
};

}  // namespace stiefel::cli
