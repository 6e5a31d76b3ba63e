#include "stiefel/preconditioner/amg/gauss_seidel.hpp"

#include "stiefel/core/blocks.hpp"
#include "stiefel/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiefel::amg {

namespace {

/// More blocks serve more threads and couple less.
constexpr Index most_blocks = 16;
constexpr Index least_rows_of_block = 4096;

/// sums[c] -= value x_c over the entries of a row, for K columns, or k where K is 0.
template <int K, class S>
void subtract_row(const Index* cols, const S* values, Size first, Size last, Index k, const S* x, S* sums) {
    if constexpr (K == 1) {
        S sum = *sums;
        for (Size l = first; l < last; ++l) sum -= values[l] * x[cols[l]];
        *sums = sum;
    } else {
        for (Size l = first; l < last; ++l) {
            const S* const from = x + Size{cols[l]} * k;
            for (Index c = 0; c < k; ++c) sums[c] -= values[l] * from[c];
        }
    }
}

}  // namespace

template <class S>
GaussSeidelMatrix<S>::GaussSeidelMatrix(OpenMP& backend, const HostCsr<S>& a)
    : GaussSeidelMatrix(backend, a, std::clamp<Index>(a.n_rows / least_rows_of_block, 1, most_blocks)) {}

template <class S>
GaussSeidelMatrix<S>::GaussSeidelMatrix(OpenMP& backend, const HostCsr<S>& a, Index n_blocks)
    : n_(a.n_rows), n_blocks_(n_blocks), inverse_(a.n_rows) {
    fill(backend, a);
}

template <class S>
void GaussSeidelMatrix<S>::fill(OpenMP& backend, const HostCsr<S>& a) {
    const auto parts = static_cast<std::size_t>(n_blocks_);
    std::vector<Size> n_lower(parts + 1, 0), n_upper(parts + 1, 0), n_rows_out(parts + 1, 0), n_out(parts + 1, 0);
    for (Triangle* triangle : {&lower_, &upper_}) {
        triangle->base = HostVector<Size>(n_blocks_);
        triangle->row_ptr = HostVector<std::uint32_t>(Size{n_} + n_blocks_);
    }
    a.row_ptr.visit([&](const auto* row_ptr) {
        // f(i, cols and values: from, begin of the block's own, the diagonal's place or where it would be, end)
        const auto for_rows_of = [&](Index block, auto&& f) {
            const Index first = begin_of(block), last = begin_of(block + 1);
            for (Index i = first; i < last; ++i) {
                const Index* const cols = a.col_idx.data();
                const Size begin = row_ptr[i], end = row_ptr[i + 1];
                Size own = begin, diagonal = begin, after = end;
                while (own < end && cols[own] < first) ++own;
                diagonal = own;
                while (diagonal < end && cols[diagonal] < i) ++diagonal;
                while (after > diagonal && cols[after - 1] >= last) --after;
                f(i, begin, own, diagonal, diagonal + (diagonal < after && cols[diagonal] == i), after, end);
            }
        };
        const auto for_all = [&](auto&& f) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
            for (Index block = 0; block < n_blocks_; ++block) f(block);
        };
        for_all([&](Index block) {
            const auto p = static_cast<std::size_t>(block) + 1;
            for_rows_of(block, [&](Index, Size begin, Size own, Size diagonal, Size upper, Size after, Size end) {
                n_lower[p] += diagonal - own;
                n_upper[p] += after - upper;
                n_out[p] += (own - begin) + (end - after);
                n_rows_out[p] += own > begin || end > after;
            });
        });
        for (std::size_t p = 0; p < parts; ++p) {
            const Size most = std::numeric_limits<std::uint32_t>::max();
            require(n_lower[p + 1] <= most && n_upper[p + 1] <= most,
                    "amg: the matrix has too many entries for gauss-seidel; choose another smoother");
            lower_.base[static_cast<Size>(p)] = n_lower[p];
            upper_.base[static_cast<Size>(p)] = n_upper[p];
            for (auto* counts : {&n_lower, &n_upper, &n_out, &n_rows_out}) (*counts)[p + 1] += (*counts)[p];
        }
        lower_.cols = HostVector<Index>(n_lower[parts]), lower_.values = HostVector<S>(n_lower[parts]);
        upper_.cols = HostVector<Index>(n_upper[parts]), upper_.values = HostVector<S>(n_upper[parts]);
        outside_.cols = HostVector<Index>(n_out[parts]), outside_.values = HostVector<S>(n_out[parts]);
        outside_.rows = HostVector<Index>(n_rows_out[parts]), outside_.extra = HostVector<S>(n_rows_out[parts]);
        outside_.row_ptr = HostVector<Size>(n_rows_out[parts] + 1);
        outside_.row_ptr[0] = 0;
        for_all([&](Index block) {
            const auto p = static_cast<std::size_t>(block);
            Size lower = n_lower[p], upper = n_upper[p], out = n_out[p], row_out = n_rows_out[p];
            const auto move = [&](auto& part, Size& to, Size from, Size end) {
                for (Size l = from; l < end; ++l, ++to) {
                    part.cols[to] = a.col_idx[l];
                    part.values[to] = a.values[l];
                }
            };
            const auto mark = [&](Index i) {
                lower_.row_ptr[Size{i} + block] = static_cast<std::uint32_t>(lower - lower_.base[block]);
                upper_.row_ptr[Size{i} + block] = static_cast<std::uint32_t>(upper - upper_.base[block]);
            };
            for_rows_of(block, [&](Index i, Size begin, Size own, Size diagonal, Size above, Size after, Size end) {
                mark(i);
                move(lower_, lower, own, diagonal);
                move(upper_, upper, above, after);
                double sum = 0;
                for (Size l = begin; l < own; ++l) sum += std::abs(a.values[l]);
                for (Size l = after; l < end; ++l) sum += std::abs(a.values[l]);
                inverse_[i] = static_cast<S>(1 / (1 + sum / 2));
                if (own == begin && after == end) return;
                move(outside_, out, begin, own);
                move(outside_, out, after, end);
                outside_.rows[row_out] = i;
                outside_.extra[row_out] = static_cast<S>(sum / 2);
                outside_.row_ptr[++row_out] = out;
            });
            lower_.row_ptr[Size{begin_of(block + 1)} + block] = static_cast<std::uint32_t>(lower - lower_.base[block]);
            upper_.row_ptr[Size{begin_of(block + 1)} + block] = static_cast<std::uint32_t>(upper - upper_.base[block]);
        });
    });
}

template <class S>
Size GaussSeidelMatrix<S>::bytes() const {
    Size sum = inverse_.bytes() + outside_.rows.bytes() + outside_.row_ptr.bytes() + outside_.cols.bytes() +
               outside_.values.bytes() + outside_.extra.bytes();
    for (const Triangle* t : {&lower_, &upper_}) {
        sum += t->base.bytes() + t->row_ptr.bytes() + t->cols.bytes() + t->values.bytes();
    }
    return sum;
}

template <class S>
template <class F>
void GaussSeidelMatrix<S>::for_blocks(OpenMP& backend, Index k, F&& f) const {
#pragma omp parallel for num_threads(backend.threads()) \
    schedule(static) if (bytes() + 4 * Size{n_} * k * static_cast <Size>(sizeof(S)) > parallel_threshold_bytes)
    for (Index block = 0; block < n_blocks_; ++block) {
        if (k == 1) {
            f(block, std::integral_constant<int, 1>{});
        } else {
            f(block, std::integral_constant<int, 0>{});
        }
    }
}

template <class S>
template <int K>
void GaussSeidelMatrix<S>::forward_block(Index block, Index k, S* r, S* x, S* b, bool with_residual) const {
    const Index first = begin_of(block), last = begin_of(block + 1);
    const std::uint32_t* const lower = lower_.row_ptr.data() + block;
    const Index* const lower_cols = lower_.cols.data() + lower_.base[block];
    const S* const lower_values = lower_.values.data() + lower_.base[block];
    const Index columns = K == 1 ? 1 : k;
    for (Index i = first; i < last; ++i) {
        S* const to = x + Size{i} * columns;
        for (Index c = 0; c < columns; ++c) to[c] = r[Size{i} * columns + c];
        subtract_row<K>(lower_cols, lower_values, lower[i], lower[i + 1], columns, x, to);
        for (Index c = 0; c < columns; ++c) to[c] *= inverse_[i];
    }
    if (!with_residual) return;
    const std::uint32_t* const upper = upper_.row_ptr.data() + block;
    for (Index i = first; i < last; ++i) {
        S* const left = r + Size{i} * columns;
        for (Index c = 0; c < columns; ++c) b[Size{i} * columns + c] = std::exchange(left[c], S{0});
        subtract_row<K>(upper_.cols.data() + upper_.base[block], upper_.values.data() + upper_.base[block], upper[i],
                        upper[i + 1], columns, x, left);
    }
}

template <class S>
template <int K>
void GaussSeidelMatrix<S>::backward_block(Index block, Index k, const S* b, S* x) const {
    const std::uint32_t* const lower = lower_.row_ptr.data() + block;
    const std::uint32_t* const upper = upper_.row_ptr.data() + block;
    const Size of_lower = lower_.base[block], of_upper = upper_.base[block];
    const Index columns = K == 1 ? 1 : k;
    std::vector<S> room(static_cast<std::size_t>(columns));
    for (Index i = begin_of(block + 1) - 1; i >= begin_of(block); --i) {
        S one = 0;
        S* const sums = K == 1 ? &one : room.data();
        for (Index c = 0; c < columns; ++c) sums[c] = b[Size{i} * columns + c];
        subtract_row<K>(lower_.cols.data() + of_lower, lower_.values.data() + of_lower, lower[i], lower[i + 1], columns,
                        x, sums);
        subtract_row<K>(upper_.cols.data() + of_upper, upper_.values.data() + of_upper, upper[i], upper[i + 1], columns,
                        x, sums);
        for (Index c = 0; c < columns; ++c) x[Size{i} * columns + c] = sums[c] * inverse_[i];
    }
}

template <class S>
void GaussSeidelMatrix<S>::add_outside(OpenMP& backend, Index k, const S* x, S* r) const {
    const Size n = outside_.rows.size();
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (outside_.cols.size() * k > 20000)
    for (Size l = 0; l < n; ++l) {
        const Size at = Size{outside_.rows[l]} * k;
        for (Index c = 0; c < k; ++c) r[at + c] += outside_.extra[l] * x[at + c];
        subtract_row<0>(outside_.cols.data(), outside_.values.data(), outside_.row_ptr[l], outside_.row_ptr[l + 1], k,
                        x, r + at);
    }
}

template <class S>
void GaussSeidelMatrix<S>::forward(OpenMP& backend, Index k, S* r, S* x, S* b, bool with_residual) const {
    for_blocks(backend, k, [&](Index block, auto width) { forward_block<width>(block, k, r, x, b, with_residual); });
    if (with_residual) add_outside(backend, k, x, r);
}

template <class S>
void GaussSeidelMatrix<S>::backward(OpenMP& backend, Index k, S* b, const S* e, S* x) const {
    for_each_block(backend, Size{n_} * k, 3 * Size{n_} * k * static_cast<Size>(sizeof(S)), [&](Size begin, Size end) {
        for (Size i = begin; i < end; ++i) x[i] += e[i];
    });
    add_outside(backend, k, x, b);
    for_blocks(backend, k, [&](Index block, auto width) { backward_block<width>(block, k, b, x); });
}

template class GaussSeidelMatrix<float>;
template class GaussSeidelMatrix<double>;

}  // namespace stiefel::amg
