#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/core/transfer.hpp"

#include <utility>

namespace stiefel {

/// A panel of vectors that owns its memory: n_rows x n_cols, row-major and without gaps, so that row i of all vectors
/// lies together and a sparse product reads it at once. Moves, never copies silently.
template <class T, class Memory>
class Multivector {
public:
    using value_type = T;
    using memory = Memory;

    Multivector() = default;

    /// Takes a vector of n_rows * n_cols elements, row after row. Throws InvalidArgument if the sizes do not fit.
    Multivector(Vector<T, Memory> values, Index n_rows, Index n_cols)
        : values_(std::move(values)), n_rows_(n_rows), n_cols_(n_cols) {
        require(n_rows >= 0 && n_cols >= 0, "Multivector: n_rows and n_cols must not be negative");
        require(values_.size() == Size{n_rows} * n_cols, "Multivector: there must be n_rows * n_cols values");
    }

    Index n_rows() const { return n_rows_; }
    Index n_cols() const { return n_cols_; }
    Vector<T, Memory>& values() { return values_; }
    const Vector<T, Memory>& values() const { return values_; }

    MatrixView<T, Memory> view() { return columns(0, n_cols_); }
    MatrixView<const T, Memory> view() const { return columns(0, n_cols_); }

    /// Columns first .. first + count - 1, in place.
    MatrixView<T, Memory> columns(Index first, Index count) {
        check_columns(first, count);
        return {values_.data() + first, n_rows_, count, ld()};
    }
    MatrixView<const T, Memory> columns(Index first, Index count) const {
        check_columns(first, count);
        return {values_.data() + first, n_rows_, count, ld()};
    }

private:
    Size ld() const { return n_cols_ > 0 ? n_cols_ : 1; }
    void check_columns(Index first, Index count) const {
        require(first >= 0 && count >= 0 && count <= n_cols_ - first, "Multivector: there are no such columns");
    }

    Vector<T, Memory> values_;
    Index n_rows_ = 0;
    Index n_cols_ = 0;
};

template <class T>
using HostMultivector = Multivector<T, HostMemory>;

/// The multivector that a backend's solvers take.
template <class B, class T>
using MultivectorOf = Multivector<T, typename B::memory>;

/// n_rows x n_cols elements, values as make_vector() leaves them. Throws OutOfMemory.
template <class T, class B>
MultivectorOf<B, T> make_multivector(B& backend, Index n_rows, Index n_cols) {
    return {make_vector<T>(backend, Size{n_rows} * n_cols), n_rows, n_cols};
}

}  // namespace stiefel
