#pragma once

#include "stiefel/spmv/csr.hpp"

#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace stiefel::test {

/// Uniform in [-1, 1), the same on every machine and library.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    double operator()() { return static_cast<double>(engine_() >> 11) * 0x1p-52 - 1; }
    Index below(Index n) { return static_cast<Index>(engine_() % static_cast<std::uint64_t>(n)); }

private:
    std::mt19937_64 engine_;
};

template <class T>
HostVector<T> random_vector(Size n, std::uint64_t seed) {
    Random random(seed);
    HostVector<T> x(n);
    for (T& value : x) value = static_cast<T>(random());
    return x;
}

template <class T>
bool bit_equal(const HostVector<T>& a, const HostVector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0;
}

/// A matrix from rows of (column, value), columns ascending.
template <class T>
HostCsr<T> csr_from_rows(Index n_cols, const std::vector<std::vector<std::pair<Index, T>>>& rows) {
    HostVector<std::int32_t> row_ptr(static_cast<Size>(rows.size()) + 1);
    Size nnz = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        row_ptr[static_cast<Size>(i)] = static_cast<std::int32_t>(nnz);
        nnz += static_cast<Size>(rows[i].size());
    }
    row_ptr[static_cast<Size>(rows.size())] = static_cast<std::int32_t>(nnz);
    HostCsr<T> a{.n_rows = static_cast<Index>(rows.size()), .n_cols = n_cols};
    a.row_ptr = RowOffsets<HostMemory>(std::move(row_ptr));
    a.col_idx = HostVector<Index>(nnz);
    a.values = HostVector<T>(nnz);
    Size k = 0;
    for (const auto& row : rows) {
        for (const auto& [col, value] : row) {
            a.col_idx[k] = col;
            a.values[k] = value;
            ++k;
        }
    }
    return a;
}

struct RandomCsr {
    Index n_rows = 0;
    Index n_cols = 0;
    double mean_row = 5;     ///< nonzeros in a row, about
    bool empty_rows = true;  ///< every seventh row is empty
    Index full_row = -1;     ///< this row, if there is one, is full
    std::uint64_t seed = 1;
};

template <class T>
HostCsr<T> random_csr(const RandomCsr& shape) {
    Random random(shape.seed);
    std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(shape.n_rows));
    const double step = shape.n_cols / shape.mean_row;
    for (Index i = 0; i < shape.n_rows; ++i) {
        auto& row = rows[static_cast<std::size_t>(i)];
        const bool full = i == shape.full_row;
        if (!full && shape.empty_rows && i % 7 == 3) continue;
        // Steps from one nonzero to the next: the time grows with the nonzeros, not with n_rows * n_cols.
        for (Index col = full ? 0 : random.below(1 + static_cast<Index>(step)); col < shape.n_cols;) {
            row.emplace_back(col, static_cast<T>(random()));
            col += full ? 1 : 1 + random.below(1 + static_cast<Index>(2 * step));
        }
    }
    return csr_from_rows<T>(shape.n_cols, rows);
}

/// A copy of the matrix.
template <class T>
HostCsr<T> cloned(const HostCsr<T>& a) {
    HostCsr<T> copy{.n_rows = a.n_rows, .n_cols = a.n_cols};
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        HostVector<Offset> offsets(a.row_ptr.size());
        std::copy_n(row_ptr, offsets.size(), offsets.begin());
        copy.row_ptr = RowOffsets<HostMemory>(std::move(offsets));
    });
    copy.col_idx = a.col_idx.clone();
    copy.values = a.values.clone();
    return copy;
}

/// The same matrix with 64-bit row offsets.
template <class T>
HostCsr<T> with_wide_offsets(const HostCsr<T>& a) {
    HostVector<std::int64_t> wide(a.row_ptr.size());
    a.row_ptr.visit([&](const auto* row_ptr) { std::copy_n(row_ptr, wide.size(), wide.begin()); });
    HostCsr<T> copy{.n_rows = a.n_rows, .n_cols = a.n_cols};
    copy.row_ptr = RowOffsets<HostMemory>(std::move(wide));
    copy.col_idx = a.col_idx.clone();
    copy.values = a.values.clone();
    return copy;
}

/// Row-major n_rows x n_cols array of the entries, in extended precision.
template <class T>
std::vector<long double> dense(const HostCsr<T>& a) {
    std::vector<long double> full(static_cast<std::size_t>(a.n_rows) * static_cast<std::size_t>(a.n_cols), 0);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                full[static_cast<std::size_t>(Size{i} * a.n_cols + a.col_idx[k])] += a.values[k];
            }
        }
    });
    return full;
}

}  // namespace stiefel::test
