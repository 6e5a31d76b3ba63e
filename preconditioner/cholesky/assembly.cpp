#include "stiefel/preconditioner/cholesky/assembly.hpp"

#include "stiefel/preconditioner/cholesky/shared_loop.hpp"

#include <algorithm>

namespace stiefel::cholesky {

template <class T>
void begin_front(const HostCsr<T>& a, const Symbolic& symbolic, Index s, T diagonal_factor, Index* local,
                 const Front<T>& front) {
    const Index first = symbolic.first_column[s], end = symbolic.first_column[s + 1];
    std::fill_n(front.l1, front.ld1 * front.width, T{0});
    std::fill_n(front.l2, front.ld2 * front.width, T{0});
    for (Index j = 0; j < front.height; ++j) {  // kernels take whole registers of rows, from above the diagonal on
        const Size top = j / lanes_of_line<T> * lanes_of_line<T>;
        std::fill_n(front.rest + j * front.ld2 + top, front.ld2 - top, T{0});
    }
    const Index* const rows = symbolic.rows.data() + symbolic.row_start[s];
    for (Index i = 0; i < front.height; ++i) local[rows[i]] = i;
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index j = first; j < end; ++j) {
            T* const own = front.l1 + (j - first) * front.ld1 - first;
            T* const below = front.l2 + (j - first) * front.ld2;
            const Index i = symbolic.order[j];
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index row = symbolic.place[a.col_idx[k]];
                if (row < j) continue;
                if (row >= end) {
                    below[local[row]] = a.values[k];
                } else {
                    own[row] = row == j ? diagonal_factor * a.values[k] : a.values[k];
                }
            }
        }
    });
}

template <class T>
void add_child(const Symbolic& symbolic, Index child, const T* rest, Size ld, int threads, const Front<T>& parent) {
    const Index n = symbolic.height(child), width = parent.width;
    const Index* const at = symbolic.in_parent.data() + symbolic.row_start[child];
    const auto own = static_cast<Index>(std::lower_bound(at, at + n, width) - at);  // that become columns themselves
    shared_loop(threads, n, 16, [&](Index j) {
        const T* const from = rest + j * ld;
        T* below = nullptr;
        if (j < own) {
            T* const to = parent.l1 + at[j] * parent.ld1;
            for (Index i = j; i < own; ++i) to[at[i]] += from[i];
            below = parent.l2 + at[j] * parent.ld2 - width;
        } else {
            below = parent.rest + (at[j] - width) * parent.ld2 - width;
        }
        for (Index i = std::max(j, own); i < n; ++i) below[at[i]] += from[i];
    });
}

template void begin_front(const HostCsr<double>&, const Symbolic&, Index, double, Index*, const Front<double>&);
template void begin_front(const HostCsr<float>&, const Symbolic&, Index, float, Index*, const Front<float>&);
template void add_child(const Symbolic&, Index, const double*, Size, int, const Front<double>&);
template void add_child(const Symbolic&, Index, const float*, Size, int, const Front<float>&);

}  // namespace stiefel::cholesky
