#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/listed_preconditioner.hpp"
#include "stiefel/core/world.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/ranks/shared_amg.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/solver/stop_reason.hpp"
#include "stiefel/world/world_operator.hpp"

#include <optional>
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

/// The preconditioner of a system on several ranks; the same throughout. For ColumnSolver, as Preconditioning.
template <class B, class T>
class RankPreconditioning {
public:
    /// Whether it is of all of A, as in one process; else of each rank's block of the diagonal.
    static bool is_of_all(std::string_view name) {
        return name == ListedIdentity::name || name == ListedJacobi::name || name == ListedChebyshev::name ||
               name == ListedAmg::name;
    }

    /// Multigrid of all rows, by all ranks at once, of which there are several. check_shared_amg() has found nothing.
    RankPreconditioning(B& backend, RanksOf<B>& ranks, const RowBlocks& blocks, const SplitRows<double>& rows,
                        const amg::SetupOptions& options, Index columns)
        : name_(ListedAmg::name) {
        try {
            chosen_ = shared_amg<B, T>(backend, ranks, blocks, rows, options, columns);
        } catch (const amg::NotDefinite& problem) {
            throw NotPositiveDefinite(problem.what());
        }
    }

    /// What is to be known of the entries of a rank's block before it becomes an operator. The backend has joined no
    /// world yet; waits for no other rank. Throws what `name` does.
    RankPreconditioning(B& backend, std::string_view name, const Csr<T, typename B::memory>& own,
                        const PreconditionerOptions& options)
        : name_(name) {
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

    // It never gives way to another.
    void begin(double, Size) {}
    std::vector<Size> pauses() const { return {}; }
    std::string_view next_name() const { return {}; }
    bool gives_way(Size, double) { return false; }
    bool changes(StopReason, Evidence) { return false; }

private:
    std::string_view name_;
    std::optional<Jacobi<T, typename B::memory>> diagonal_;
    PreparedPreconditioner<B, T> prepared_;
    ChosenPreconditioner<B, T> chosen_;
};

}  // namespace stiefel::cli
