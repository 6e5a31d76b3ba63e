#pragma once

#include "support/matrices.hpp"

#include "stiefel/spmv/convert.hpp"

#include <limits>
#include <string>

namespace stiefel::test {

inline constexpr PaddingLimit no_limit{std::numeric_limits<double>::infinity()};

/// f(label, matrix) for A in every format that stores a column beside each value, and every variant of it.
template <class T, class F>
void for_each_format_with_columns(const HostCsr<T>& a, F&& f) {
    OpenMP backend(2);
    f("csr", a);
    f("csr with wide offsets", with_wide_offsets(a));
    f("ellpack by rows", ellpack_from_csr(backend, a, EllpackLayout::row_major, no_limit));
    f("ellpack by columns", ellpack_from_csr(backend, a, EllpackLayout::column_major, no_limit));
    for (const auto& [height, sigma] :
         {std::pair<Index, Index>{1, 1}, {4, 1}, {5, 7}, {8, 1}, {8, 64}, {16, 16}, {16, 1}, {32, 4096}, {1200, 1}}) {
        f("sell-" + std::to_string(height) + "-" + std::to_string(sigma),
          sell_from_csr(backend, a, height, sigma, no_limit));
    }
}

/// The same for every format.
template <class T, class F>
void for_each_format(const HostCsr<T>& a, F&& f) {
    for_each_format_with_columns(a, f);
    OpenMP backend(2);
    for (const Index sigma : {1, 256}) {
        f("compressed-sell-" + std::to_string(sigma), compressed_sell_from_csr(backend, a, sigma, no_limit));
    }
}

}  // namespace stiefel::test
