#pragma once

#include "stiefel/spmv/csr.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace stiefel::test {

/// Fails unless the matrix keeps the promises of its format: offsets ascend from 0 to nnz, columns ascend strictly
/// within each row and lie in range.
template <class T>
::testing::AssertionResult well_formed(const HostCsr<T>& csr) {
    const auto failure = [](const std::string& text) { return ::testing::AssertionFailure() << text; };
    if (csr.row_ptr.size() != Size{csr.n_rows} + 1) return failure("row_ptr has not n_rows + 1 elements");
    if (csr.col_idx.size() != csr.values.size()) return failure("col_idx and values differ in size");
    return csr.row_ptr.visit([&](const auto* row_ptr) {
        if (row_ptr[0] != 0) return failure("row_ptr does not start at 0");
        if (row_ptr[csr.n_rows] != csr.nnz()) return failure("row_ptr does not end at nnz");
        for (Index i = 0; i < csr.n_rows; ++i) {
            if (row_ptr[i] > row_ptr[i + 1]) return failure("row_ptr descends at row " + std::to_string(i));
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index column = csr.col_idx[k];
                const bool ascends = k == row_ptr[i] || csr.col_idx[k - 1] < column;
                if (column < 0 || column >= csr.n_cols || !ascends) {
                    return failure("column " + std::to_string(column) + " is out of place in row " + std::to_string(i));
                }
            }
        }
        return ::testing::AssertionSuccess();
    });
}

/// Fails unless both matrices are the same to the last bit.
template <class T>
::testing::AssertionResult bit_equal(const HostCsr<T>& a, const HostCsr<T>& b) {
    const auto same = [](const auto& x, const auto& y) {
        return x.size() == y.size() &&
               (x.empty() || std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.bytes())) == 0);
    };
    if (a.n_rows != b.n_rows || a.n_cols != b.n_cols) return ::testing::AssertionFailure() << "the sizes differ";
    if (a.row_ptr.is_wide() != b.row_ptr.is_wide()) return ::testing::AssertionFailure() << "the offset types differ";
    const bool same_offsets = a.row_ptr.visit([&](const auto* x) {
        return b.row_ptr.visit([&](const auto* y) { return std::equal(x, x + a.n_rows + 1, y); });
    });
    if (!same_offsets) return ::testing::AssertionFailure() << "the row offsets differ";
    if (!same(a.col_idx, b.col_idx)) return ::testing::AssertionFailure() << "the columns differ";
    if (!same(a.values, b.values)) return ::testing::AssertionFailure() << "the values differ";
    return ::testing::AssertionSuccess();
}

/// What an InvalidArgument thrown by f says; empty if it throws none.
template <class F>
std::string refusal(F&& f) {
    try {
        f();
    } catch (const InvalidArgument& error) {
        return error.what();
    }
    return "";
}

}  // namespace stiefel::test
