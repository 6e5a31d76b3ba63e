#pragma once

#include "stiefel/core/linear_operator.hpp"
#include "stiefel/preconditioner/details.hpp"
#include "stiefel/preconditioner/panel.hpp"
#include "stiefel/preconditioner/pointwise.hpp"

#include <limits>

namespace stiefel {

/// What CG, block CG and LOBPCG precondition with: Z = M R for a panel, M symmetric positive definite. Open as
/// operators are: argument-dependent lookup finds  precondition(backend, m, r, z).  On a device it only enqueues
/// kernels with fixed arguments, so that a graph can record it, unless it says that the host applies it; it may write
/// to Z and to memory of its own, nothing else. It may have as well, and is taken at its word:
///   precondition(backend, m, r, z)  for vectors, where those have faster kernels than panels of one column
///   precondition_dot(backend, m, r, z, dot)   the same and *dot = <r, z>, in the backend's memory and over the rows
///                                   of all ranks, in a pass less; only if m.gives_dot(), which does not change
///   m.works_on_host()               on a device: it waits for the host, so that no graph can record it
///   m.reserve(backend, columns)     room for panels of so many columns, where it holds any beside them
///   m.work(columns)                 bytes and flops of one application
///   m.bytes()                       the memory that it holds
///   m.epsilon()                     of what it computes in, where that is coarser than T
///   m.details()                     what it is like, for reports
///   m.sparse_factors()              the sparse matrix that M is, or the two that it is the product of: see
///                                   sparse_factors.hpp
///   M::vectors_per_column           of n elements, that it holds for each column of a block
template <class M, class B, class T>
concept Preconditioner = requires(B& backend, const M& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
    precondition(backend, m, r, z);
};

/// z = M r for vectors.
template <class B, class M, class T, class Memory>
void precondition_vector(B& backend, const M& m, const Vector<T, Memory>& r, Vector<T, Memory>& z) {
    if constexpr (requires { precondition(backend, m, r, z); }) {
        precondition(backend, m, r, z);
    } else {
        const auto n = static_cast<Index>(r.size());
        precondition(backend, m, MatrixOf<B, const T>{r.data(), n, 1, 1}, MatrixOf<B, T>{z.data(), n, 1, 1});
    }
}

/// Whether precondition_dot() may be called: not if it does not say.
template <class M>
bool gives_dot(const M& m) {
    if constexpr (requires { m.gives_dot(); }) {
        return m.gives_dot();
    } else {
        return false;
    }
}

/// Whether the host applies it though the backend is a device: not if it does not say.
template <class M>
bool works_on_host(const M& m) {
    if constexpr (requires { m.works_on_host(); }) {
        return m.works_on_host();
    } else {
        return false;
    }
}

/// Vectors of n elements that M holds for each column of a block: none if it does not say.
template <class M>
constexpr Size vectors_per_column_of() {
    if constexpr (requires { M::vectors_per_column; }) {
        return M::vectors_per_column;
    } else {
        return 0;
    }
}

/// Bytes and flops of Z = M R with so many columns; zeros if it does not say.
template <class M>
Work preconditioner_work(const M& m, Index columns) {
    if constexpr (requires { m.work(columns); }) {
        return m.work(columns);
    } else {
        return {};
    }
}

/// The epsilon of what it computes in: that of T if it does not say.
template <class T, class M>
double preconditioner_epsilon(const M& m) {
    if constexpr (requires { m.epsilon(); }) {
        return m.epsilon();
    } else {
        return static_cast<double>(std::numeric_limits<T>::epsilon());
    }
}

/// What it is like; empty if it does not say.
template <class M>
PreconditionerDetails preconditioner_details(const M& m) {
    if constexpr (requires { m.details(); }) {
        return m.details();
    } else {
        return {};
    }
}

/// Memory that it holds; 0 if it does not say.
template <class M>
Size preconditioner_bytes(const M& m) {
    if constexpr (requires { m.bytes(); }) {
        return m.bytes();
    } else {
        return 0;
    }
}

}  // namespace stiefel
