#pragma once

#include "support/matrices.hpp"

#include <utility>
#include <vector>

namespace stiefel::test {

/// Each entry of `a` times a symmetric positive definite block of positive numbers.
inline HostCsr<double> in_blocks(const HostCsr<double>& a, Index size) {
    std::vector<std::vector<std::pair<Index, double>>> rows;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Index r = 0; r < size; ++r) {
                auto& row = rows.emplace_back();
                for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    for (Index c = 0; c < size; ++c) {
                        row.emplace_back(a.col_idx[k] * size + c, a.values[k] * (r == c ? 2 : -0.3));
                    }
                }
            }
        }
    });
    return csr_from_rows<double>(a.n_cols * size, rows);
}

}  // namespace stiefel::test
