#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/operator.hpp"
#include "stiefel/spmv/scaled_csr.hpp"
#include "stiefel/world/boundary_rows.hpp"
#include "stiefel/world/cuda/boundary_rows.hpp"

#include <memory>
#include <optional>
#include <type_traits>
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

/// A matrix as the cycle multiplies with it: of the rows and columns that this process holds, and, where others hold
/// columns, with what these bring to the rows.
template <class B, class S>
class CycleMatrix : public SpmvOperator<B, S> {
public:
    CycleMatrix(SpmvOperator<B, S> own) : SpmvOperator<B, S>(std::move(own)) {}
    CycleMatrix(SpmvOperator<B, S> own, BoundaryRows<B, S> boundary)
        : SpmvOperator<B, S>(std::move(own)), boundary_(std::make_unique<BoundaryRows<B, S>>(std::move(boundary))) {}

    /// Whether products wait for other ranks.
    bool is_shared() const { return boundary_ != nullptr; }
    /// What the rows have in columns of others; none where nobody holds such.
    const BoundaryRows<B, S>* boundary() const { return boundary_.get(); }

    Size bytes() const { return SpmvOperator<B, S>::bytes() + (boundary_ ? boundary_->bytes() : 0); }

    /// Y = alpha A X + beta Y for contiguous panels.
    friend void multiply(B& backend, const CycleMatrix& a, Index columns, const VectorOf<B, S>& x, VectorOf<B, S>& y,
                         std::type_identity_t<S> alpha, std::type_identity_t<S> beta) {
        const MatrixOf<B, const S> from{x.data(), a.n_cols(), columns, columns};
        const MatrixOf<B, S> to{y.data(), a.n_rows(), columns, columns};
        if (a.boundary_) a.boundary_->begin(backend, from);
        if (columns == 1) {
            a.run(backend, {.x = x.data(), .y = y.data(), .alpha = alpha, .beta = beta});
        } else {
            spmm(backend, static_cast<const SpmvOperator<B, S>&>(a), from, to, alpha, beta);
        }
        if (a.boundary_) a.boundary_->finish(backend, from, to, alpha);
    }

    friend Work spmm_work(const CycleMatrix& a, Index columns) {
        Work work = spmm_work(static_cast<const SpmvOperator<B, S>&>(a), columns);
        if (a.boundary_) {
            work.bytes += static_cast<double>(a.boundary_->bytes());
            work.flops += 2.0 * static_cast<double>(a.boundary_->nnz()) * columns;
        }
        return work;
    }

private:
    std::unique_ptr<BoundaryRows<B, S>> boundary_;
};

namespace detail {

/// Whether rows are so uneven, and so long, that CSR sums them as fast and needs no padding.
inline bool suits_csr(const RowStatistics& rows) {
    constexpr double longest_rows = 12;  // on average
    const bool even = rows.deviation <= 0.25 * rows.mean;
    return !even && rows.mean > longest_rows;
}

template <HostBackend B, class Matrix>
Matrix brought_to(B&, Matrix a) {
    return a;
}
template <class Matrix>
auto brought_to(Cuda& backend, const Matrix& a) {
    return to_device(backend, a);
}

template <class B, class S, class Matrix>
SpmvOperator<B, S> with_default_kernel(B& backend, Matrix matrix) {
    auto there = brought_to(backend, std::move(matrix));
    const auto& kernel = spmv_kernels(backend, there).back();
    return SpmvOperator<B, S>(std::move(there), kernel);
}

inline constexpr PaddingLimit cycle_padding{.factor = 1.5};

}  // namespace detail

/// In the format that suits the lengths of its rows, under its default kernel: nothing is measured.
template <class B, class S>
[[gnu::noinline]] SpmvOperator<B, S> to_listed(B& backend, const ScaledCsr<double>& scaled) {
    constexpr Size least_bytes = 1 << 16;  // below it every format does
    auto&& host = host_of(backend);
    HostCsr<S> csr = scaled_copy<S>(host, scaled);
    const RowStatistics rows = row_statistics(host, csr.row_ptr);
    if (csr.bytes() < least_bytes || detail::suits_csr(rows)) {
        return detail::with_default_kernel<B, S>(backend, std::move(csr));
    }
    try {
        return detail::with_default_kernel<B, S>(
            backend, sell_from_csr(host, csr, sell_slice_height, sell_sorting_window(rows), detail::cycle_padding));
    } catch (const InvalidArgument&) {  // too much padding: said before anything is built
        return detail::with_default_kernel<B, S>(backend, std::move(csr));
    }
}

/// A level's matrix, where it is made before the level is.
template <class B, class S>
using MadeMatrix = std::optional<CycleMatrix<B, S>>;

/// The same for the cycle, which multiplies many times: on all cores with compressed columns, unless that would be
/// mostly padding.
template <class B, class S>
CycleMatrix<B, S> to_cycle_matrix(B& backend, const ScaledCsr<double>& scaled, MadeMatrix<B, S> made = {}) {
    if (made) return std::move(*made);
    if constexpr (std::is_same_v<B, OpenMP>) {
        const RowStatistics rows = row_statistics(backend, scaled.a.row_ptr);
        try {
            return CycleMatrix<B, S>(detail::with_default_kernel<B, S>(
                backend,
                compressed_sell_from_csr<S>(backend, scaled, sell_sorting_window(rows), detail::cycle_padding)));
        } catch (const InvalidArgument&) {  // too much padding, as above
        }
    }
    return CycleMatrix<B, S>(to_listed<B, S>(backend, scaled));
}

}  // namespace stiefel::amg
