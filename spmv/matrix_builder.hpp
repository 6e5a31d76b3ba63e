#pragma once

#include "stiefel/core/serial.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

namespace stiefel {

/// The matrix with values[e] at (rows[e], cols[e]), zero-based and in any order, in the backend's memory; what is given
/// for one place more than once adds up, in the order given. With a symmetry other than general the entries are those
/// of one triangle, either of the two at every place, and stand for both. The spans are read, and not needed after.
/// Throws InvalidArgument where they differ in size or an entry lies outside.
///     const auto a = csr_from_triplets<double>(backend, n, n, rows, cols, values);
template <class T, class B>
Csr<T, typename B::memory> csr_from_triplets(B& backend, Index n_rows, Index n_cols, std::span<const Index> rows,
                                             std::span<const Index> cols, std::span<const T> values,
                                             Symmetry symmetry = Symmetry::general) {
    require(rows.size() == values.size() && cols.size() == values.size(),
            "csr_from_triplets: rows, cols and values must be of one size");
    const Size n = std::ssize(values);
    const Coo<T> coo{.n_rows = n_rows,
                     .n_cols = n_cols,
                     .symmetry = symmetry,
                     .row_idx = HostVector<Index>::lent(rows.data(), n),
                     .col_idx = HostVector<Index>::lent(cols.data(), n),
                     .values = HostVector<T>::lent(values.data(), n)};
    if constexpr (std::is_same_v<B, Serial>) {
        OpenMP one(1);
        return csr_from_coo(one, coo).csr;
    } else {
        return csr_from_coo(backend, coo).csr;
    }
}

/// Collects the entries of a matrix one by one, in any order; what is added to one place more than once adds up.
///     MatrixBuilder<double> builder(n, n);
///     builder.add(i, j, value);
///     const auto a = builder.build(backend);
template <class T>
class MatrixBuilder {
public:
    /// With a symmetry other than general the entries of one triangle are added, and stand for both.
    MatrixBuilder(Index n_rows, Index n_cols, Symmetry symmetry = Symmetry::general)
        : n_rows_(n_rows), n_cols_(n_cols), symmetry_(symmetry) {
        require(n_rows >= 0 && n_cols >= 0, "MatrixBuilder: n_rows and n_cols must not be negative");
        require(symmetry == Symmetry::general || n_rows == n_cols, "MatrixBuilder: a symmetric matrix must be square");
    }

    /// Room for so many entries, where their number is known.
    void reserve(Size n_entries) {
        const auto n = static_cast<std::size_t>(n_entries);
        rows_.reserve(n);
        cols_.reserve(n);
        values_.reserve(n);
    }

    /// Adds `value` to the element at (row, col), zero-based. Throws InvalidArgument outside of the matrix.
    void add(Index row, Index col, T value) {
        require(row >= 0 && row < n_rows_ && col >= 0 && col < n_cols_, "MatrixBuilder: there is no such element");
        rows_.push_back(row);
        cols_.push_back(col);
        values_.push_back(value);
    }

    Size n_entries() const { return std::ssize(values_); }

    /// The matrix in the backend's memory. The builder stays as it is, and may be added to.
    template <class B>
    Csr<T, typename B::memory> build(B& backend) const {
        return csr_from_triplets<T>(backend, n_rows_, n_cols_, rows_, cols_, values_, symmetry_);
    }

private:
    Index n_rows_;
    Index n_cols_;
    Symmetry symmetry_;
    std::vector<Index> rows_;
    std::vector<Index> cols_;
    std::vector<T> values_;
};

}  // namespace stiefel
