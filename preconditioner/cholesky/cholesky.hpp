#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/applied_by_host.hpp"
#include "stiefel/preconditioner/cholesky/factor.hpp"
#include "stiefel/preconditioner/cholesky/solve.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace stiefel {

namespace cholesky {

/// Computed on so many threads of the host, and what there is to tell of it but for bytes. a: n x n, symmetric. Throws
/// as Cholesky does. analysis: of A's pattern, null where none was made before.
template <class T>
struct ToldFactor {
    std::unique_ptr<Factor<T>> factor;
    PreconditionerDetails about = {};
};
template <class T>
ToldFactor<T> factor(const HostCsr<T>& a, const Analysis* analysis, int threads, const StopRequest& stops = {});

}  // namespace cholesky

/// Complete sparse Cholesky factorisation: M = A^-1 up to rounding, so that conjugate gradients end after a few
/// iterations; or (A + shift diag(A))^-1 where A has no factor in T, which details() tell. For small and middling
/// systems that iterations are slow on: frames, shells, circuits. Rows are ordered by approximate minimum degree;
/// supernodes are found on the compressed graph's elimination tree and computed by the multifrontal method.
template <class B, class T>
class Cholesky {
public:
    static constexpr const char* name = "cholesky";

    /// a: n x n, symmetric; not kept. Throws InvalidArgument naming the row where the diagonal is not positive or an
    /// entry not finite, and OutOfMemory, with the size of the factor, before memory is taken that is not there.
    /// analysis: of A's pattern, where it was made before. stops: GivenUp is thrown where it says so.
    explicit Cholesky(B& backend, const HostCsr<T>& a, const cholesky::Analysis* analysis = nullptr,
                      const StopRequest& stops = {})
        : Cholesky(cholesky::factor(a, analysis, backend.threads(), stops)) {}
    /// With a factor that was made before.
    explicit Cholesky(cholesky::ToldFactor<T> made) : told_(std::move(made)) { solve_.emplace(*told_.factor, 1); }

    /// To be called before it is applied to panels of more than one column.
    void reserve(B&, Index columns) {
        if (columns > solve_->columns()) solve_.emplace(*told_.factor, columns);
    }

    Size bytes() const { return told_.factor->bytes() + solve_->bytes(); }

    PreconditionerDetails details() const {
        PreconditionerDetails details = told_.about;
        details.bytes = bytes();
        return details;
    }

    /// Of one application to a panel of so many columns: L is read twice.
    Work work(Index columns) const {
        const cholesky::Symbolic& symbolic = told_.factor->symbolic();
        const auto nonzeros = static_cast<double>(symbolic.nonzeros);
        return {.bytes = (2 * nonzeros + 4.0 * symbolic.n * columns) * sizeof(T), .flops = 4 * nonzeros * columns};
    }

    /// Z = M R
    friend void precondition(B&, const Cholesky& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        require(r.n_cols <= m.solve_->columns(),
                "cholesky: the panel has more columns than the preconditioner was made for");
        m.solve_->run(*m.told_.factor, r, z);
    }

private:
    cholesky::ToldFactor<T> told_;
    mutable std::optional<cholesky::TreeSolve<T>> solve_;  // the vectors in it are scratch
};

/// Computed and applied by all of the host's cores: of complete factors a device solves with the triangles five to
/// fifteen times as long (docs/performance/time_to_solution.md).
template <class T>
class Cholesky<Cuda, T> : public AppliedByHost<T, Cholesky<OpenMP, T>> {
public:
    static constexpr const char* name = "cholesky";

    /// As on a host. columns: the most that it will be applied to at once.
    explicit Cholesky(Cuda& backend, const DeviceCsr<T>& a, const cholesky::Analysis* analysis = nullptr,
                      const StopRequest& stops = {}, Index columns = 1)
        : AppliedByHost<T, Cholesky<OpenMP, T>>(by_host(to_host(backend, a), analysis, stops)) {
        this->reserve(backend, columns);
    }
    /// With a factor that was made before.
    explicit Cholesky(cholesky::ToldFactor<T> made)
        : AppliedByHost<T, Cholesky<OpenMP, T>>(Cholesky<OpenMP, T>(std::move(made))) {}

private:
    static Cholesky<OpenMP, T> by_host(const HostCsr<T>& a, const cholesky::Analysis* analysis,
                                       const StopRequest& stops) {
        OpenMP host;
        return Cholesky<OpenMP, T>(host, a, analysis, stops);
    }
};

/// As it stands in preconditioner/list.hpp.
struct ListedCholesky {
    static constexpr std::string_view name = "cholesky";
    static constexpr std::string_view description =
        "a complete sparse factorisation by the host's cores: a few iterations where its fill has room";
    static constexpr std::string_view source =
        "Amestoy, Davis and Duff 1996; Liu 1990 and 1992; Gilbert, Ng and Peyton 1994; Manteuffel 1980";

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, typename B::memory>& csr, const cholesky::Analysis* analysis,
                        const StopRequest& stops) {
        return [m = Cholesky<B, T>(on, csr, analysis, stops)](B& backend, const auto&, Index columns) mutable {
            m.reserve(backend, columns);
            return std::move(m);
        };
    }
};

}  // namespace stiefel
