#pragma once

#include "stiefel/cli/operator_input.hpp"
#include "stiefel/cli/solve/preconditioning.hpp"
#include "stiefel/cli/solve/solve_columns.hpp"
#include "stiefel/cli/solve/system_input.hpp"
#include "stiefel/solver/resident.hpp"
#include "stiefel/spmv/lent_csr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace stiefel::cli {

inline void append_reason(const std::string& more, std::string& reason) {
    if (!reason.empty() && !more.empty()) reason += "; ";
    reason += more;
}

/// Throws UsageError where the backend has not got the smoother.
template <class B>
void check_smoother(const AmgWords& words) {
    std::string names;
    for (const auto& entry : amg::smoothers<B, float>) {
        if (entry.name == words.smoother) return;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
    }
    throw UsageError(fmt::format("--amg-smoother {}: it runs on the host only; give --backend openmp, or one of {}",
                                 words.smoother, names));
}

/// What is there already when a system is prepared: A in a format, a preconditioner; or neither.
template <class T, class B>
struct MadeBefore {
    std::shared_ptr<const SpmvOperator<B, T>> a = {};
    std::shared_ptr<const ChosenPreconditioner<B, T>> m = {};
    std::string_view name_of_m = {};
};

/// A system with all that is made of its matrix: A in the format that it is multiplied in, and what it is
/// preconditioned with. Serves any number of right-hand sides; what `auto` has gone on with serves those that follow.
template <class T, class B>
class PreparedSystem {
public:
    using Matrix = Csr<T, typename B::memory>;

    /// Takes the matrix, and the coordinates, of `system`. Adds times and choices to the report. The backend must
    /// outlive this object.
    PreparedSystem(B& backend, SystemInput<T, typename B::memory> system, const SolveOptions& options,
                   SolveReport& report, StatusLine& status, MadeBefore<T, B> made = {})
        : backend_(backend), coordinates_(std::move(system.coordinates)) {
        Stopwatch watch;
        const Index n = system.a.n_rows;
        const bool is_automatic = options.preconditioner == PreconditionerWord::automatic && !made.m;
        const StrongOnes strong = is_automatic ? strong_ones(HostBackend<B>, n, system.a.nnz()) : StrongOnes{};
        auto entries = std::make_shared<Matrix>(std::move(system.a));
        check_smoother<B>(options.amg);
        if (made.m) {
            preconditioning_.emplace(backend, made.name_of_m, std::move(made.m));
        } else {
            preconditioning_.emplace(backend, report.method.preconditioner, entries, strong, system.couplings,
                                     PreconditionerOptions{.amg = amg_setup(options.amg, coordinates_, n),
                                                           .block_jacobi = options.block_jacobi,
                                                           .fsai = options.fsai,
                                                           .ic = options.ic,
                                                           .ssor = options.ssor});
        }
        const Index width = columns_at_once(options, system.n_columns);
        std::optional<double> few = preconditioning_->foresees_few_products(width, options.rtol);
        report.seconds.setup += watch.restart();

        status.show("choosing format and kernel");
        if (made.a) {
            a_ = std::move(made.a);
        } else {
            constexpr double beside_one_kernel = 5;  // which computes the others itself
            if (width == 1 && iterates_within_one_kernel(*entries, options)) few = beside_one_kernel;
            FormatChoice wanted{.columns = width};
            if (few) wanted.products = *few * ((system.n_columns + width - 1) / width);
            auto csr = strong.any() ? shared_csr(backend, entries) : std::move(*entries);
            entries.reset();
            a_ = std::make_shared<const SpmvOperator<B, T>>(
                chosen_operator<T>(backend, std::move(csr), system.rows, wanted, options, report));
        }
        report.seconds.convert += watch.restart();
        preconditioning_->bind(*a_);
        report.seconds.setup += watch.seconds();
        status.clear();
    }
    PreparedSystem(const PreparedSystem&) = delete;
    PreparedSystem& operator=(const PreparedSystem&) = delete;

    const SpmvOperator<B, T>& a() const { return *a_; }

    /// x on the host.
    HostVector<T> solve(const HostColumns<T>& columns, const SolveOptions& options, SolveReport& report,
                        StatusLine& status) {
        HostVector<T> x(columns.n * columns.k);
        InterruptGuard::protect();
        solve_columns(backend_, *a_, *preconditioning_, columns, x, options, report, status);
        status.clear();
        report.seconds.solve = report.result.seconds;
        report.method.preconditioner = preconditioning_->name();
        append_reason(preconditioning_->reason(), report.method.preconditioner_reason);
        report.preconditioner = preconditioning_->details();
        report.weighed = preconditioning_->weighed();
        return x;
    }

private:
    /// Whether CG's loop, at least as it begins, is likely to keep A in a device's multiprocessors.
    bool iterates_within_one_kernel(const Matrix& a, const SolveOptions& options) const {
        if constexpr (HostBackend<B>) {
            return false;
        } else {
            using enum PreconditionerWord;
            constexpr std::array words{automatic, none, jacobi, block_jacobi, fsai};
            return std::ranges::find(words, options.preconditioner) != words.end() && is_likely_resident(backend_, a);
        }
    }

    B& backend_;
    DenseArray<double> coordinates_;  // lent to what prepares multigrid
    std::shared_ptr<const SpmvOperator<B, T>> a_;
    std::optional<Preconditioning<B, T>> preconditioning_;
};

}  // namespace stiefel::cli
