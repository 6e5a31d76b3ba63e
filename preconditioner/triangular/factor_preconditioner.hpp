#pragma once

#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/core/work.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/preconditioner/triangular/device_solve.hpp"
#include "stiefel/preconditioner/triangular/level_solve.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <type_traits>
#include <utility>

namespace stiefel::triangular {

/// What solves with the two triangles of a factor on a backend.
template <class B, class T>
using TriangularSolve = std::conditional_t<HostBackend<B>, LevelSolve<T>, DeviceSolve<T>>;

/// A factor as a backend solves with it, and what there is to tell of it.
template <class B, class T>
struct FactorSolve {
    TriangularSolve<B, T> solve;
    PreconditionerDetails about = {};  ///< but for bytes
};

/// What preconditioners M = (L L')^-1 with a sparse L have in common: all but how L is found.
template <class B, class T>
class FactorPreconditioner {
public:
    static constexpr Size vectors_per_column = HostBackend<B> ? 0 : 3;

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
    friend void precondition(B& backend, const FactorPreconditioner& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        if constexpr (HostBackend<B>) {
            m.parts_.solve.run(r, z);
        } else {
            m.parts_.solve.run(backend, r, z);
        }
    }

protected:
    /// columns: the most that it will be applied to at once.
    FactorPreconditioner(B& backend, FactorSolve<B, T> parts, Index columns) : parts_(std::move(parts)) {
        reserve(backend, columns);
    }

private:
    FactorSolve<B, T> parts_;
};

}  // namespace stiefel::triangular
