#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/operator.hpp"

#include <utility>

namespace stiefel::amg {

/// The cores that prepare what a backend is to work with.
inline OpenMP host_of(Serial&) {
    return OpenMP(1);
}
inline OpenMP& host_of(OpenMP& backend) {
    return backend;
}
inline OpenMP host_of(Cuda&) {
    return OpenMP();
}

template <HostBackend B, class Matrix>
Matrix brought_to(B&, Matrix a) {
    return a;
}
template <class Matrix>
auto brought_to(Cuda& backend, const Matrix& a) {
    return to_device(backend, a);
}

/// In the format that suits the lengths of its rows, under its default kernel: nothing is measured.
template <class B, class S>
SpmvOperator<B, S> to_operator(B& backend, HostCsr<S> a) {
    constexpr Size least_bytes = 1 << 16;  // below it every format does
    constexpr double longest_rows = 12;    // on average: beyond, CSR sums a row fast enough, and needs no padding
    auto&& host = host_of(backend);
    const RowStatistics rows = row_statistics(host, a.row_ptr);
    const auto with_default_kernel = [&](auto matrix) {
        auto there = brought_to(backend, std::move(matrix));
        const auto& kernel = spmv_kernels(backend, there).back();
        return SpmvOperator<B, S>(std::move(there), kernel);
    };
    const bool even = rows.deviation <= 0.25 * rows.mean;
    if (a.bytes() < least_bytes || (!even && rows.mean > longest_rows)) return with_default_kernel(std::move(a));
    try {
        return with_default_kernel(
            sell_from_csr(host, a, sell_slice_height, sell_sorting_window(rows), {.factor = 1.5}));
    } catch (const InvalidArgument&) {  // too much padding: said before anything is built
        return with_default_kernel(std::move(a));
    }
}

}  // namespace stiefel::amg
