#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/listed_preconditioner.hpp"
#include "stiefel/core/world.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/solver/stop_reason.hpp"
#include "stiefel/world/world_operator.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stiefel::cli {

/// A preconditioner of the columns that a rank holds, in a world: no entry of it couples ranks, so each applies its own
/// by itself. Together they are block Jacobi with a block for each rank (the additive Schwarz method without overlap).
template <HostBackend B, class T>
class OfOwnBlock {
public:
    using V = VectorOf<B, T>;

    explicit OfOwnBlock(AnyPreconditioner<B, T> m) : m_(std::move(m)) {}

    Work work(Index columns) const { return m_.work(columns); }
    Size bytes() const { return m_.bytes(); }
    double epsilon() const { return m_.epsilon(); }
    PreconditionerDetails details() const { return m_.details(); }

    friend void precondition(B& backend, const OfOwnBlock& m, const V& r, V& z) {
        const detail::OutsideWorld alone(backend);
        precondition(backend, m.m_, r, z);
    }
    friend void precondition(B& backend, const OfOwnBlock& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        const detail::OutsideWorld alone(backend);
        precondition(backend, m.m_, r, z);
    }

private:
    AnyPreconditioner<B, T> m_;
};

/// What a rank without rows has of any preconditioner that is not pointwise.
template <HostBackend B, class T>
struct OfNothing {
    friend void precondition(B&, const OfNothing&, MatrixOf<B, const T>, MatrixOf<B, T>) {}
};

/// The polynomial in all of A that one process has, bound by what all ranks find of its spectrum. a: outlives it; the
/// backend has joined the ranks, all of which call this at once.
template <HostBackend B, class T>
AnyPreconditioner<B, T> chebyshev_of_all(B& backend, const Ranks& ranks, const WorldOperator<B, T>& a,
                                         Jacobi<T, HostMemory> diagonal, Index columns) {
    const Index n = a.n_rows();
    HostVector<T> roots(n), room(n);
    for (Index i = 0; i < n; ++i) roots[i] = std::sqrt(diagonal.inverse_diagonal[i]);
    const detail::SymmetricallyScaled<B, T, WorldOperator<B, T>> scaled{a, roots, room};
    const auto seed = static_cast<std::uint64_t>(1 + ranks.rank());
    const double upper = spectrum_bounds<B, T>(backend, scaled, n, seed).upper;
    return AnyPreconditioner<B, T>(ScaledChebyshev<B, T, WorldOperator<B, T>>(backend, a, std::move(diagonal), upper,
                                                                              columns, default_chebyshev_degree));
}

/// The preconditioner of a system on several ranks; the same throughout. For ColumnSolver, as Preconditioning.
template <HostBackend B, class T>
class RankPreconditioning {
public:
    /// Whether it is of all of A, as in one process; else of each rank's block of the diagonal.
    static bool is_of_all(std::string_view name) {
        return name == ListedIdentity::name || name == ListedJacobi::name || name == ListedChebyshev::name;
    }

    /// What is to be known of the entries of a rank's block before it becomes an operator. The backend has joined no
    /// world yet; waits for no other rank. Throws what `name` does.
    RankPreconditioning(B& backend, std::string_view name, const HostCsr<T>& own, const PreconditionerOptions& options)
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
    void bind_to_all(B& backend, const Ranks& ranks, const WorldOperator<B, T>& a, Index columns) {
        if (diagonal_) chosen_ = chebyshev_of_all(backend, ranks, a, std::move(*diagonal_), columns);
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
    std::optional<Jacobi<T, HostMemory>> diagonal_;
    PreparedPreconditioner<B, T> prepared_;
    ChosenPreconditioner<B, T> chosen_;
};

}  // namespace stiefel::cli
