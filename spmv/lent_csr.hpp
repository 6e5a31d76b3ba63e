#pragma once

#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/check_csr.hpp"

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace stiefel {

/// A matrix over CSR arrays that someone else owns, in the backend's memory: n_rows + 1 offsets of 32 or 64 bits, nnz
/// columns and values, zero-based. They must lie there unchanged while the matrix lives; `keep_alive` is held until
/// then. The arrays are checked (check_csr) and lent by the rules of Vector::lent. No entry is copied.
template <class B, class T, std::signed_integral Offset>
Csr<T, typename B::memory> lent_csr(B& backend, Index n_rows, Index n_cols, Size nnz, const Offset* row_ptr,
                                    const Index* col_idx, const T* values, KeepAlive keep_alive = {}) {
    static_assert(sizeof(Offset) == 4 || sizeof(Offset) == 8, "offsets have 32 or 64 bits");
    require(n_rows >= 0 && n_cols >= 0 && nnz >= 0, "lent_csr: a size is negative");
    // Csr has no constant members; as a whole it is read only.
    const auto lend = [&]<class E>(const E* data, Size n) {
        return lent_vector(backend, const_cast<E*>(data), n, keep_alive);
    };
    using Memory = typename B::memory;
    using Stored = std::conditional_t<sizeof(Offset) == 4, std::int32_t, std::int64_t>;
    Csr<T, Memory> a;
    a.n_rows = n_rows;
    a.n_cols = n_cols;
    a.row_ptr = RowOffsets<Memory>(lend(reinterpret_cast<const Stored*>(row_ptr), Size{n_rows} + 1));
    a.col_idx = lend(col_idx, nnz);
    a.values = lend(values, nnz);
    check_csr(backend, a);
    if constexpr (!HostBackend<B>) prepare_csr(backend, a);
    return a;
}

/// A matrix over the arrays of one that others hold as well; they are freed with the last of all. No entry is copied.
template <class B, class T>
Csr<T, typename B::memory> shared_csr(B& backend, const std::shared_ptr<Csr<T, typename B::memory>>& a) {
    using Memory = typename B::memory;
    Csr<T, Memory> view;
    view.n_rows = a->n_rows;
    view.n_cols = a->n_cols;
    a->row_ptr.visit([&](const auto* row_ptr) {
        using Offset = std::remove_cvref_t<decltype(*row_ptr)>;
        view.row_ptr = RowOffsets<Memory>(lent_vector(backend, const_cast<Offset*>(row_ptr), a->row_ptr.size(), a));
    });
    view.col_idx = lent_vector(backend, a->col_idx.data(), a->col_idx.size(), a);
    view.values = lent_vector(backend, a->values.data(), a->values.size(), a);
    if constexpr (!HostBackend<B>) {
        const bool is_prepared = a->shares.first_row.size() > 0;
        prepare_csr(backend, view, is_prepared ? std::optional(a->shares.longest_row) : std::nullopt);
    }
    return view;
}

}  // namespace stiefel
