#pragma once

#include "stiefel/analysis/matrix_facts.hpp"
#include "stiefel/cli/kept/kept_pairs.hpp"
#include "stiefel/cli/kept/kept_preconditioner.hpp"
#include "stiefel/cli/kept/lent_operands.hpp"
#include "stiefel/cli/solve/prepared_system.hpp"
#include "stiefel/cli/solve/solve_system_impl.hpp"
#include "stiefel/solver/eigen_watch.hpp"

#include <fmt/format.h>

#include <mutex>
#include <optional>

namespace stiefel::cli {

template <class T, class B>
class KeptMatrixOn;

/// One of the library's, on the backend of the matrix that it was made from.
template <class T, class B>
class KeptPreconditionerOn final : public KeptPreconditioner {
public:
    KeptPreconditionerOn(std::shared_ptr<KeptMatrixOn<T, B>> matrix, std::string_view name, double seconds,
                         DenseArray<double> coordinates, ChosenShared<T, B> chosen)
        : matrix_(std::move(matrix)),
          name_(name),
          seconds_(seconds),
          coordinates_(std::move(coordinates)),
          chosen_(std::move(chosen)) {}

    std::string name() const override { return std::string(name_); }
    std::string_view listed_name() const { return name_; }
    const KeptMatrix& matrix() const override { return *matrix_; }
    double setup_seconds() const override { return seconds_; }
    PreconditionerDetails details() const override {
        return std::visit([](const auto& m) { return preconditioner_details(m); }, *chosen_);
    }
    const ChosenShared<T, B>& chosen() const { return chosen_; }
    void apply(LentArray r, LentArray z, Index columns) override { matrix_->apply(chosen_, r, z, columns); }

private:
    std::shared_ptr<KeptMatrixOn<T, B>> matrix_;  // whose operator M may refer to
    std::string_view name_;
    double seconds_;
    DenseArray<double> coordinates_;
    ChosenShared<T, B> chosen_;
};

template <class T, class B>
class KeptMatrixOn final : public KeptMatrix, public std::enable_shared_from_this<KeptMatrixOn<T, B>> {
public:
    using Matrix = Csr<T, typename B::memory>;
    using Operator = SpmvOperator<B, T>;
    using Lock = std::lock_guard<std::recursive_mutex>;

    KeptMatrixOn(std::unique_ptr<B> backend, const LentCsr& a, const KeptChoice& choice)
        : owner_(a.keep_alive), backend_(std::move(backend)), host_(choice.backend.threads), choice_(choice) {
        const Stopwatch watch;
        entries_ = std::make_shared<Matrix>(taken<T>(*backend_, a));
        rows_ = row_statistics(maker(), *entries_);
        convert_seconds_ = watch.seconds();
    }

    Index n_rows() const override { return entries_->n_rows; }
    Index n_cols() const override { return entries_->n_cols; }
    bool is_single() const override { return sizeof(T) == sizeof(float); }

    About about() const override {
        const Lock lock(mutex_);
        const Operator& a = operator_of_one();
        return {.backend = B::name,
                .device = device_name(*backend_),
                .format = std::string(a.format()),
                .kernel = std::string(a.kernel()),
                .why = why_,
                .threads = backend_->threads(),
                .nnz = entries_->nnz(),
                .bytes = a.bytes(),
                .convert_seconds = convert_seconds_};
    }

    void multiply(LentArray x, LentArray y, Index columns) override {
        const Lock lock(mutex_);
        const Operator& a = operator_of_one();
        with_operands<T>(*backend_, x, y, [&](const auto& from, auto& to) {
            if (columns == 1) return spmv(*backend_, a, from, to);
            spmm(*backend_, a, as_matrix(from, a.n_cols(), columns), as_matrix(to, a.n_rows(), columns));
        });
    }

    void apply(const ChosenShared<T, B>& made, LentArray r, LentArray z, Index columns) {
        const Lock lock(mutex_);
        const ChosenShared<T, B> chosen = for_columns<T, B>(*backend_, made, columns);
        with_operands<T>(*backend_, r, z, [&](const auto& from, auto& to) {
            std::visit(
                [&](const auto& m) {
                    if (columns == 1) return precondition_vector(*backend_, m, from, to);
                    precondition(*backend_, m, as_matrix(from, entries_->n_rows, columns),
                                 as_matrix(to, entries_->n_rows, columns));
                },
                *chosen);
        });
    }

    SolveResult cg(LentArray b, LentArray x, const KeptM& m, const CgOptions& options) override {
        const std::scoped_lock lock(mutex_, mutex_of(m));
        const ChosenShared<T, B> chosen = chosen_of(m);
        SolveResult result;
        with_operands<T>(*backend_, b, x, Copies::in_and_out, [&](const auto& from, auto& to) {
            const auto run = [&](const auto& of_m) {
                result = stiefel::cg<B, T>(*backend_, operator_of_one(), of_m, from, to, options);
            };
            chosen ? std::visit(run, *chosen) : run(Identity{});
        });
        return result;
    }

    BlockSolveResult block_cg(LentArray b, LentArray x, Index columns, const KeptM& m,
                              const CgOptions& options) override {
        const std::scoped_lock lock(mutex_, mutex_of(m));
        const ChosenShared<T, B> chosen = for_columns<T, B>(*backend_, chosen_of(m), columns);
        BlockSolveResult result;
        const auto a = operator_of(columns);
        with_operands<T>(*backend_, b, x, Copies::in_and_out, [&](const auto& from, auto& to) {
            const auto b_panel = panel_over(*backend_, from, a->n_rows(), columns);
            auto x_panel = panel_over(*backend_, to, a->n_rows(), columns);
            const auto run = [&](const auto& of_m) {
                result = stiefel::block_cg(*backend_, *a, of_m, b_panel, x_panel, options);
            };
            chosen ? std::visit(run, *chosen) : run(Identity{});
        });
        return result;
    }

    EigenResult lobpcg(LentArray x, Index columns, const KeptM& m, const EigenOptions& options) override {
        const std::scoped_lock lock(mutex_, mutex_of(m));
        const Index block = block_columns(entries_->n_rows, columns, options);  // with those that guard the wanted
        const ChosenShared<T, B> chosen = for_columns<T, B>(*backend_, chosen_of(m), block);
        const ChosenPreconditioner<B, T> none{Identity{}};
        const auto a = operator_of(columns);
        EigenResult result;
        with_operands<T>(*backend_, {}, x, Copies::in_and_out, [&](const auto&, auto& to) {
            auto panel = panel_over(*backend_, to, a->n_rows(), columns);
            result = find_kept_pairs<T>(*backend_, *a, chosen ? *chosen : none, panel, options);
        });
        return result;
    }

    std::shared_ptr<KeptPreconditioner> preconditioner(const SolveOptions& options,
                                                       DenseArray<double> coordinates) override;
    KeptSolution solve(const SolveOptions& options, KeptSystem system) override;

private:
    /// What was made for the last solve, with the words that it was made by.
    struct Prepared {
        std::string words;
        HostVector<Index> order = {};
        SolveReport::Method method = {};
        std::shared_ptr<const void> m = {};
        std::optional<PreparedSystem<T, B>> system = {};
    };

    auto& maker() { return matrix_maker(*backend_, host_); }

    /// In the format for vectors; chosen when it is first asked for.
    std::shared_ptr<const Operator> operator_of(Index columns) const {
        auto& made = columns == 1 ? a_ : panels_;
        if (columns > 1 && (a_ != nullptr) && choice_.format != "auto") return a_;
        if (made) return made;
        const Stopwatch watch;
        ChosenOperator<B, T> chosen = chosen_for(columns);
        if (columns == 1) why_ = chosen.why;
        made = std::make_shared<const Operator>(std::move(chosen.a));
        convert_seconds_ += watch.seconds();
        return made;
    }
    ChosenOperator<B, T> chosen_for(Index columns) const {
        try {
            return choose_operator<B, T>(*backend_, shared_csr(*backend_, entries_), rows_,
                                         {.format = choice_.format,
                                          .kernel = choice_.kernel,
                                          .columns = std::min(columns, max_spmm_columns),
                                          .products = choice_.products});
        } catch (const InvalidArgument& problem) {
            throw UsageError(
                fmt::format("--format {} --kernel {}: {}", choice_.format, choice_.kernel, problem.what()));
        }
    }
    const Operator& operator_of_one() const { return *operator_of(1); }

    ChosenShared<T, B> chosen_of(const KeptM& m) const;
    /// Of the matrix that a preconditioner was made from, as it has memory of its own: one thread at a time applies it.
    std::recursive_mutex& mutex_of(const KeptM& m) const {
        const auto* const same = dynamic_cast<const KeptPreconditionerOn<T, B>*>(m.kept.get());
        return same != nullptr ? static_cast<const KeptMatrixOn&>(same->matrix()).mutex_ : mutex_;
    }
    void check_symmetry_once(const std::string& name);
    bool wants_couplings(const SolveOptions& options, const KeptSystem& system) const {
        const bool is_given = system.m.kept || system.m.function;
        return !is_given &&
               may_decide_at_once(options, HostBackend<B>, entries_->n_rows, entries_->nnz(), system.n_columns);
    }
    /// Found when first asked for.
    const MatrixFacts& facts(bool with_couplings) {
        if (!facts_ || (with_couplings && !facts_->couplings)) {
            facts_ = matrix_facts(maker(), *entries_, with_couplings);
        }
        return *facts_;
    }
    std::shared_ptr<Prepared> prepared_for(const SolveOptions& options, KeptSystem& system, SolveReport& report,
                                           StatusLine& status);

    mutable std::recursive_mutex mutex_;
    KeepAlive owner_;  // of the stream too, which is to outlive the backend
    std::unique_ptr<B> backend_;
    OpenMP host_;
    KeptChoice choice_;
    std::shared_ptr<Matrix> entries_;
    RowStatistics rows_;
    mutable std::shared_ptr<const Operator> a_, panels_;
    mutable std::string why_;
    mutable double convert_seconds_ = 0;
    std::optional<std::vector<std::string>> notes_ = {};  // of the check of symmetry, once it was made
    std::optional<MatrixFacts> facts_ = {};
    std::shared_ptr<Prepared> prepared_ = {};
};

}  // namespace stiefel::cli
