#pragma once

#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/preconditioner/triangular/device_solve.hpp"
#include "stiefel/preconditioner/triangular/level_solve.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <string_view>
#include <type_traits>
#include <utility>

namespace stiefel {

namespace cholesky {

/// What solves with the two triangles of a factor on a backend.
template <class B, class T>
using TriangularSolve = std::conditional_t<HostBackend<B>, triangular::LevelSolve<T>, triangular::DeviceSolve<T>>;

/// The factor as a backend solves with it, and what there is to tell of it.
template <class B, class T>
struct IncompleteSolve {
    TriangularSolve<B, T> solve;
    PreconditionerDetails about = {};  ///< but for bytes
};

template <HostBackend B, class T>
IncompleteSolve<B, T> make_incomplete(B& backend, const HostCsr<T>& a, const IncompleteOptions& options);
template <class T>
IncompleteSolve<Cuda, T> make_incomplete(Cuda& backend, const DeviceCsr<T>& a, const IncompleteOptions& options);

}  // namespace cholesky

/// Incomplete Cholesky factorisation on the pattern of A, or with a threshold: M = (L L')^-1 with L L' ~ A, in the
/// order in which A's rows come. The factor is computed by one core of the host, for a device as well; substitutions go
/// level by level on the backend's threads, or by a kernel of the device's ladder (triangular/kernel_list.hpp).
template <class B, class T>
class IncompleteCholesky {
public:
    static constexpr const char* name = "ic";
    static constexpr Size vectors_per_column = HostBackend<B> ? 0 : 3;

    /// a: n x n, symmetric; not kept. columns: the most that it will be applied to at once. Throws InvalidArgument
    /// naming the row where the diagonal is not positive or an entry not finite, and OutOfMemory before the factor is
    /// computed where it has no room on the host, or before it is copied where it has none on a device.
    explicit IncompleteCholesky(B& backend, const Csr<T, typename B::memory>& a,
                                const cholesky::IncompleteOptions& options = {}, Index columns = 1)
        : parts_(cholesky::make_incomplete(backend, a, options)) {
        reserve(backend, columns);
    }

    /// To be called before it is applied to panels of more columns.
    void reserve(B& backend, Index columns) {
        if constexpr (!HostBackend<B>) parts_.solve.reserve(backend, columns);
    }

    Size bytes() const { return parts_.solve.bytes(); }

    PreconditionerDetails details() const {
        PreconditionerDetails details = parts_.about;
        details.bytes = bytes();
        return details;
    }

    /// Of one application to a panel of so many columns.
    Work work(Index columns) const {
        const auto nonzeros = static_cast<double>(parts_.solve.nonzeros());
        return {.bytes = 2 * nonzeros * (sizeof(T) + sizeof(Index)) + 4.0 * parts_.solve.n_rows() * columns * sizeof(T),
                .flops = 4 * nonzeros * columns};
    }

    /// Z = M R
    friend void precondition(B& backend, const IncompleteCholesky& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        if constexpr (HostBackend<B>) {
            m.parts_.solve.run(r, z);
        } else {
            m.parts_.solve.run(backend, r, z);
        }
    }

private:
    cholesky::IncompleteSolve<B, T> parts_;
};

/// As it stands in preconditioner/list.hpp.
struct ListedIncompleteCholesky {
    static constexpr std::string_view name = "ic";
    static constexpr std::string_view description =
        "incomplete Cholesky on A's pattern or with a threshold, computed by a core of the host: a third to a half of "
        "the iterations, each with two triangular solves more";
    static constexpr std::string_view source =
        "Meijerink and van der Vorst 1977; Jones and Plassmann 1995; Lin and More 1999; Manteuffel 1980";

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, typename B::memory>& csr, const cholesky::IncompleteOptions& options) {
        return [m = IncompleteCholesky<B, T>(on, csr, options)](B& backend, const auto&, Index columns) mutable {
            m.reserve(backend, columns);
            return std::move(m);
        };
    }
};

}  // namespace stiefel
