#pragma once

#include "stiefel/cli/kept/kept_matrix.hpp"
#include "stiefel/core/multivector.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/lent_csr.hpp"

#include <utility>

namespace stiefel::cli {

// From arrays that someone else owns to operands of a backend: as they lie where it can reach them, else by a copy.

enum class Copies { out, in_and_out };

/// Vectors of a host backend are those that were lent.
template <class T, HostBackend B, class F>
void with_operands(B& backend, LentArray x, LentArray y, Copies, F&& f) {
    require(!x.on_device && !y.on_device,
            "the vectors lie on a device and the matrix on the host: bring them together, or take backend=\"cuda\"");
    const auto from = lent_vector(backend, static_cast<const T*>(x.data), x.size);
    auto to = lent_vector(backend, static_cast<T*>(y.data), y.size);
    f(from, to);
}

/// On a device those that lie there are as lent, the others are copied in and out.
template <class T, class F>
void with_operands(Cuda& backend, LentArray x, LentArray y, Copies copies, F&& f) {
    const auto brought = [&](LentArray array, bool in) {
        if (array.on_device) return lent_vector(backend, static_cast<T*>(array.data), array.size);
        auto vector = make_vector<T>(backend, array.size);
        if (in) backend.upload_bytes(vector.data(), array.data, vector.bytes());
        return vector;
    };
    const auto from = brought(x, true);
    auto to = brought(y, copies == Copies::in_and_out);
    f(from, to);
    if (!y.on_device) backend.download_bytes(y.data, to.data(), to.bytes());
    backend.synchronize();
}

template <class T, class B, class F>
void with_operands(B& backend, LentArray x, LentArray y, F&& f) {
    with_operands<T>(backend, x, y, Copies::out, std::forward<F>(f));
}

/// A panel over a vector's elements, which must outlive it.
template <class B, class V>
auto panel_over(B& backend, V& elements, Index n_rows, Index n_cols) {
    using T = typename V::value_type;
    return MultivectorOf<B, T>(lent_vector(backend, const_cast<T*>(std::as_const(elements).data()), elements.size()),
                               n_rows, n_cols);
}

/// The matrix as it lies, or a copy on the device.
template <class T, class B>
Csr<T, typename B::memory> taken(B& backend, const LentCsr& a) {
    const auto lend = [&]<class On>(On& on) {
        const auto* const values = static_cast<const T*>(a.values);
        if (a.wide_offsets) {
            return lent_csr<On, T>(on, a.n_rows, a.n_cols, a.nnz, static_cast<const std::int64_t*>(a.row_ptr),
                                   a.col_idx, values, a.keep_alive);
        }
        return lent_csr<On, T>(on, a.n_rows, a.n_cols, a.nnz, static_cast<const std::int32_t*>(a.row_ptr), a.col_idx,
                               values, a.keep_alive);
    };
    if constexpr (HostBackend<B>) {
        require(!a.on_device, "the matrix lies on a device: take backend=\"cuda\"");
        return lend(backend);
    } else {
        if (a.on_device) return lend(backend);
        OpenMP host;
        return to_device(backend, lend(host));
    }
}

}  // namespace stiefel::cli
