#pragma once

#include "stiefel/preconditioner/amg/cycle.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <cmath>
#include <utility>

namespace stiefel::amg {

/// diag(left) A diag(right), rounded to S.
template <class S, class T>
HostCsr<S> scaled_copy(OpenMP& backend, const HostCsr<T>& a, const HostVector<double>& left,
                       const HostVector<double>& right) {
    HostCsr<S> scaled{.n_rows = a.n_rows,
                      .n_cols = a.n_cols,
                      .col_idx = HostVector<Index>(a.nnz()),
                      .values = HostVector<S>(a.nnz())};
    a.row_ptr.visit([&](const auto* row_ptr) {
        using Offset = std::remove_cvref_t<decltype(*row_ptr)>;
        HostVector<Offset> offsets(Size{a.n_rows} + 1);
        offsets[0] = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            offsets[Size{i} + 1] = row_ptr[i + 1];
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = a.col_idx[k];
                scaled.col_idx[k] = j;
                scaled.values[k] = static_cast<S>(left[i] * a.values[k] * right[j]);
            }
        }
        scaled.row_ptr = RowOffsets<HostMemory>(std::move(offsets));
    });
    return scaled;
}

/// d^power for power 1/2 or -1/2.
inline HostVector<double> roots(OpenMP& backend, const HostVector<double>& d, bool inverse) {
    HostVector<double> root(d.size());
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (d.size() > 20000)
    for (Size i = 0; i < d.size(); ++i) root[i] = inverse ? 1 / std::sqrt(d[i]) : std::sqrt(d[i]);
    return root;
}

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

template <class B, class S>
CycleLevel<B, S> to_cycle_level(B& backend, const Level& level) {
    auto&& host = host_of(backend);
    const HostVector<double> inverse_root = roots(host, level.diagonal, true);
    CycleLevel<B, S> kept{.a = to_operator<B, S>(backend, scaled_copy<S>(host, level.a, inverse_root, inverse_root)),
                          .smoother = ChebyshevSmoother(level.spectral_radius),
                          .prolong = {},
                          .restrict_ = {},
                          .inverse = {},
                          .r = {},
                          .x = {},
                          .d = {},
                          .e = {}};
    if (level.prolongation != nullptr) {
        auto p = scaled_copy<S>(host, *level.prolongation, roots(host, level.diagonal, false),
                                roots(host, *level.coarse_diagonal, true));
        kept.restrict_ = to_operator<B, S>(backend, transpose(host, p));
        kept.prolong = to_operator<B, S>(backend, std::move(p));
    }
    if (level.inverse != nullptr) {
        const HostVector<double> root = roots(host, level.diagonal, false);
        kept.inverse = to_operator<B, S>(backend, scaled_copy<S>(host, *level.inverse, root, root));
    }
    return kept;
}

/// Bytes and flops of a cycle for a panel of so many columns, with what enters and leaves it.
template <class T, class B, class S>
Work cycle_work(const std::vector<CycleLevel<B, S>>& levels, Index columns) {
    Work sum;
    const auto add = [&](const Work& work, double times) {
        sum.bytes += times * work.bytes;
        sum.flops += times * work.flops;
    };
    const auto elements = [&](const CycleLevel<B, S>& level) {
        return static_cast<double>(level.a.n_rows()) * columns;
    };
    for (const CycleLevel<B, S>& level : levels) {
        if (level.inverse) {
            add(spmm_work(*level.inverse, columns), 1);
            continue;
        }
        const auto degree = static_cast<double>(level.smoother.steps().size());
        const double smoothings = level.prolong ? 2 : 1;
        add(spmm_work(level.a, columns), smoothings * degree - (level.prolong ? 0 : 1));
        add({elements(level) * sizeof(S), elements(level) * 4}, smoothings * 5 * degree);
        if (!level.prolong) continue;
        add(spmm_work(*level.prolong, columns), 1);
        add(spmm_work(*level.restrict_, columns), 1);
    }
    add({elements(levels.front()) * (sizeof(T) + sizeof(S)), elements(levels.front()) * 2}, 2);
    return sum;
}

}  // namespace stiefel::amg
