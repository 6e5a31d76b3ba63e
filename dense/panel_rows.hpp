#pragma once

#include "stiefel/core/agreement.hpp"
#include "stiefel/core/backend.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/dense/panel_elements.hpp"

namespace stiefel {

/// operation(i) for all rows i < n. `bytes` are what it moves.
template <class Operation>
void for_rows(Serial&, Size n, Size, const Operation& operation) {
    for (Size i = 0; i < n; ++i) operation(i);
}
template <class Operation>
void for_rows(OpenMP& backend, Size n, Size bytes, const Operation& operation) {
    for_each_block(backend, n, bytes, [&](Size begin, Size end) {
        for (Size i = begin; i < end; ++i) operation(i);
    });
}
template <class T, class Memory>
Size panel_bytes(const MatrixView<T, Memory>& panel) {
    return Size{panel.n_rows} * panel.n_cols * static_cast<Size>(sizeof(T));
}

/// Random rows; each process of a world has its part of those that one would have.
template <class B, class T>
void random_panel(B& backend, std::uint64_t seed, MatrixView<T, typename B::memory> y) {
    const Size first = rows_before(backend, y.n_rows);
    for_rows(backend, y.n_rows, panel_bytes(y), RandomRows<T, typename B::memory>{seed, y, first});
}

template <class B, class T>
void assign_panel(B& backend, T a, MatrixOf<B, const T> x, MatrixView<T, typename B::memory> y) {
    for_rows(backend, y.n_rows, 2 * panel_bytes(y), AssignRows<T, typename B::memory>{a, x, y});
}

}  // namespace stiefel
