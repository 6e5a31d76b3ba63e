#pragma once

#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/cholesky/level_solve.hpp"
#include "stiefel/preconditioner/details.hpp"

#include <string_view>
#include <utility>

namespace stiefel {

/// Incomplete Cholesky factorisation on the pattern of A, or with a threshold: M = (L L')^-1 with L L' ~ A, in the
/// order in which A's rows come. Substitutions go level by level on the backend's threads.
template <HostBackend B, class T>
class IncompleteCholesky {
public:
    static constexpr const char* name = "ic";

    /// a: n x n, symmetric; not kept. Throws InvalidArgument naming the row where the diagonal is not positive or an
    /// entry not finite, and OutOfMemory before the factor is computed where it has no room.
    explicit IncompleteCholesky(B& backend, const HostCsr<T>& a, const cholesky::IncompleteOptions& options = {});

    Size bytes() const { return solve_.bytes(); }
    PreconditionerDetails details() const { return about_; }

    /// Of one application to a panel of so many columns.
    Work work(Index columns) const {
        const auto nonzeros = static_cast<double>(solve_.nonzeros());
        return {.bytes = 2 * nonzeros * (sizeof(T) + sizeof(Index)) + 4.0 * solve_.n_rows() * columns * sizeof(T),
                .flops = 4 * nonzeros * columns};
    }

    /// Z = M R
    friend void precondition(B&, const IncompleteCholesky& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        m.solve_.run(r, z);
    }

private:
    PreconditionerDetails about_;  // made together with solve_
    cholesky::LevelSolve<T> solve_;
};

/// As it stands in preconditioner/list.hpp.
struct ListedIncompleteCholesky {
    static constexpr std::string_view name = "ic";
    static constexpr std::string_view description =
        "incomplete Cholesky on A's pattern or with a threshold, on the host's cores: a third to a half of the "
        "iterations, at two to three times the cost";
    static constexpr std::string_view source =
        "Meijerink and van der Vorst 1977; Jones and Plassmann 1995; Lin and More 1999; Manteuffel 1980";
    static constexpr bool hosts_only = true;

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, HostMemory>& csr, const cholesky::IncompleteOptions& options) {
        return
            [m = IncompleteCholesky<B, T>(on, csr, options)](B&, const auto&, Index) mutable { return std::move(m); };
    }
};

}  // namespace stiefel
