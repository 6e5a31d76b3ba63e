#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/cholesky/factor.hpp"
#include "stiefel/preconditioner/cholesky/solve.hpp"
#include "stiefel/preconditioner/details.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace stiefel {

/// Complete sparse Cholesky factorisation: M = A^-1 up to rounding, so that conjugate gradients end after a few
/// iterations; or (A + shift diag(A))^-1 where A has no factor in T, which details() tell. For small and middling
/// systems that iterations are slow on: frames, shells, circuits. Rows are ordered by approximate minimum degree;
/// supernodes are found on the compressed graph's elimination tree and computed by the multifrontal method.
template <HostBackend B, class T>
class Cholesky {
public:
    static constexpr const char* name = "cholesky";

    /// a: n x n, symmetric; not kept. Throws InvalidArgument naming the row where the diagonal is not positive or an
    /// entry not finite, and OutOfMemory, with the size of the factor, before memory is taken that is not there.
    /// analysis: of A's pattern, where it was made before.
    explicit Cholesky(B& backend, const HostCsr<T>& a, const cholesky::Analysis* analysis = nullptr);

    /// To be called before it is applied to panels of more than one column.
    void reserve(B&, Index columns) {
        if (columns > solve_->columns()) solve_.emplace(*factor_, columns);
    }

    Size bytes() const { return factor_->bytes() + solve_->bytes(); }
    PreconditionerDetails details() const;

    /// Of one application to a panel of so many columns: L is read twice.
    Work work(Index columns) const {
        const auto nonzeros = static_cast<double>(factor_->symbolic().nonzeros);
        return {.bytes = (2 * nonzeros + 4.0 * factor_->symbolic().n * columns) * sizeof(T),
                .flops = 4 * nonzeros * columns};
    }

    /// Z = M R
    friend void precondition(B&, const Cholesky& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        require(r.n_cols <= m.solve_->columns(),
                "cholesky: the panel has more columns than the preconditioner was made for");
        m.solve_->run(*m.factor_, r, z);
    }

private:
    std::unique_ptr<cholesky::Factor<T>> factor_;
    mutable std::optional<cholesky::TreeSolve<T>> solve_;  // the vectors in it are scratch
    PreconditionerDetails about_;                          // but for bytes
};

/// As it stands in preconditioner/list.hpp.
struct ListedCholesky {
    static constexpr std::string_view name = "cholesky";
    static constexpr std::string_view description =
        "a complete sparse factorisation, on the host's cores: a few iterations where its fill has room";
    static constexpr std::string_view source =
        "Amestoy, Davis and Duff 1996; Liu 1990 and 1992; Gilbert, Ng and Peyton 1994; Manteuffel 1980";
    static constexpr bool hosts_only = true;

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, HostMemory>& csr, const cholesky::Analysis* analysis) {
        return [m = Cholesky<B, T>(on, csr, analysis)](B& backend, const auto&, Index columns) mutable {
            m.reserve(backend, columns);
            return std::move(m);
        };
    }
};

}  // namespace stiefel
