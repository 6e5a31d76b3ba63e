#pragma once

#include "stiefel/spmv/csr.hpp"

#include <type_traits>
#include <utility>

namespace stiefel::cli {

/// Numbers that a rank holds, as it computes with them: in double they are the same, which may stay.
template <class T>
decltype(auto) in_precision(HostVector<double>&& values) {
    if constexpr (std::is_same_v<T, double>) {
        return std::move(values);
    } else {
        HostVector<T> rounded(values.size());
        for (Size i = 0; i < rounded.size(); ++i) rounded[i] = static_cast<T>(values[i]);
        return rounded;
    }
}
template <class T>
decltype(auto) in_precision(HostCsr<double>&& a) {
    if constexpr (std::is_same_v<T, double>) {
        return std::move(a);
    } else {
        return HostCsr<T>{a.n_rows, a.n_cols, std::move(a.row_ptr), std::move(a.col_idx),
                          in_precision<T>(std::move(a.values))};
    }
}

}  // namespace stiefel::cli
