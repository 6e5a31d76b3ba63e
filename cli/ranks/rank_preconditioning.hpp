#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/listed_preconditioner.hpp"
#include "stiefel/core/world.hpp"
#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/list.hpp"
#include "stiefel/solver/stop_reason.hpp"
#include "stiefel/world/world_operator.hpp"

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

/// The preconditioner of a system on several ranks; the same throughout. For ColumnSolver, as Preconditioning.
template <HostBackend B, class T>
class RankPreconditioning {
public:
    /// own: the rank's diagonal block, of which what is listed as `name` is made in its format `a`, which outlives this
    /// object. The backend has joined no world yet. Waits for no other rank. Throws what `name` does.
    RankPreconditioning(B& backend, std::string_view name, PreparedPreconditioner<B, T> prepared,
                        const SpmvOperator<B, T>& a, Index columns)
        : name_(name), chosen_(made(backend, std::move(prepared), a, columns)) {}

    /// Before the block becomes an operator: what is to be known of its entries.
    static PreparedPreconditioner<B, T> prepare(B& backend, std::string_view name, const HostCsr<T>& own,
                                                const PreconditionerOptions& options) {
        const auto& listed = listed_preconditioner<B, T>(name);
        const bool is_pointwise = name == ListedIdentity::name || name == ListedJacobi::name;
        if (own.n_rows == 0 && !is_pointwise) {
            return [](B&, const SpmvOperator<B, T>&, Index) { return AnyPreconditioner<B, T>(OfNothing<B, T>()); };
        }
        try {
            return listed.prepare(backend, own, options);
        } catch (const amg::NotDefinite& problem) {
            throw NotPositiveDefinite(problem.what());
        }
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
    static ChosenPreconditioner<B, T> made(B& backend, PreparedPreconditioner<B, T> prepared,
                                           const SpmvOperator<B, T>& a, Index columns) {
        ChosenPreconditioner<B, T> m = prepared(backend, a, columns);
        if (auto* const any = std::get_if<AnyPreconditioner<B, T>>(&m)) {
            return AnyPreconditioner<B, T>(OfOwnBlock<B, T>(std::move(*any)));
        }
        return m;
    }

    std::string_view name_;
    ChosenPreconditioner<B, T> chosen_;
};

}  // namespace stiefel::cli
