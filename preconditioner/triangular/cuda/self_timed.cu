#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/preconditioner/triangular/cuda/kernels.hpp"
#include "stiefel/preconditioner/triangular/cuda/readiness.cuh"
#include "stiefel/preconditioner/triangular/cuda/rows.cuh"
#include "stiefel/preconditioner/triangular/cuda/turns.cuh"

#include <algorithm>

namespace stiefel::triangular {

namespace {

constexpr int self_timed_threads = 128;
/// Of a multiprocessor. They look ahead, so that what need not wait is loaded long before it is used; but all of them
/// ask the shared cache again and again.
constexpr int self_timed_blocks = 4;
/// Entries of a row that a lane asks for before it waits.
constexpr int batch = 4;

template <class T>
struct Batch {
    Index cols[batch];
    T values[batch];

    /// Every `lanes`-th entry from `first` on; past the end the column is -1.
    __device__ void load(const Rows<T>& a, Size first, Size end, Index lanes) {
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const Size e = first + Size{u} * lanes;
            cols[u] = e < end ? __ldg(a.cols + e) : -1;
            values[u] = e < end ? __ldg(a.values + e) : T{0};
        }
    }

    /// Waits for all of their x, asking again for those that are not there.
    __device__ T product(const Rows<T>& a, Index c) const {
        BitsOf<T> x[batch];
#pragma unroll
        for (int u = 0; u < batch; ++u) x[u] = cols[u] >= 0 ? bits_now(a.x + a.at(cols[u], c)) : 0;
        for (bool waits = true; waits;) {
            waits = false;
#pragma unroll
            for (int u = 0; u < batch; ++u) waits = waits || x[u] == not_ready<T>;
            if (!waits) break;
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (x[u] == not_ready<T>) x[u] = bits_now(a.x + a.at(cols[u], c));
            }
        }
        T sum = 0;
#pragma unroll
        for (int u = 0; u < batch; ++u) sum += values[u] * number_of(x[u]);
        return sum;
    }
};

/// A lane's share of the right-hand side that an expansion makes.
template <class T>
__device__ T early_product(const Rows<T>& a, Index place, Index sub, Index lanes, Index c) {
    T sum = 0;
#pragma unroll 4
    for (Size e = a.early_start[place] + sub; e < a.early_start[place + 1]; e += lanes) {
        sum += __ldg(a.early_values + e) * a.source[__ldg(a.early_cols + e) * a.source_ld + c];
    }
    return sum;
}

/// The lanes of a warp are so many columns times lanes of rows. A slice is taken in as many turns as there are columns,
/// each a share of its rows; where there are more than 32 columns, these come one after another.
template <class T, int columns>
__global__ void __launch_bounds__(self_timed_threads, self_timed_blocks)
    self_timed_kernel(Rows<T> a, const Slice* slices, Index n_slices, T* to_clear, unsigned* taken) {
    constexpr Index groups = warp_size / columns;
    begin_kernel();
    const Index lane = static_cast<Index>(threadIdx.x) % warp_size;
    const Index column = lane % columns, group = lane / columns;
    const unsigned n_turns = static_cast<unsigned>(n_slices) * columns;
    Turns turns(taken, n_turns);
    for (unsigned turn = turns.next(n_turns); turn < n_turns; turn = turns.next(n_turns)) {
        const Slice slice = slices[turn / columns];
        const Index lanes = min(slice.lanes, groups);
        const Index share = static_cast<Index>(turn % columns) * (groups / lanes);
        if (share >= slice.n_rows) continue;
        const Index in_slice = share + group / lanes, sub = group % lanes;
        const bool has_row = in_slice < slice.n_rows;
        const Index place = slice.first + (has_row ? in_slice : 0);
        const Size first = a.start[place] + sub, end = has_row ? a.start[place + 1] : 0;
        for (Index c = column; c - column < a.k; c += columns) {
            const bool is_own = has_row && c < a.k, ends_row = is_own && sub == 0;
            const Size own_end = is_own ? end : 0;
            Batch<T> entries;
            entries.load(a, first, own_end, lanes);
            T sum = 0;
            if (a.early_start == nullptr) {
                if (ends_row) sum = a.rhs(place, c);
            } else if (is_own) {
                sum = early_product(a, place, sub, lanes, c);
            }
            if (slice.gate >= 0 && c < a.k) await_far_value(a.x + a.at(slice.gate, c));
            for (Size e = first; e < own_end;) {
                sum -= entries.product(a, c);
                e += Size{batch} * lanes;
                entries.load(a, e, own_end, lanes);
            }
            for (Index step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step * columns);
            if (!ends_row) continue;
            publish(a.x + a.at(place, c), sum);
            a.store_result(place, c, sum);
            to_clear[a.at(place, c)] = number_of(not_ready<T>);
        }
    }
}

template <class T, int columns>
void start(Cuda& backend, const Substitution<T>& s) {
    constexpr Size warps = self_timed_threads / warp_size;
    const Size turns = s.a->slices.size() * columns;
    const Size most = Size{self_timed_blocks} * backend.device().multiprocessors;
    const auto blocks = static_cast<int>(std::min((turns - 1) / warps + 1, most));
    launch(backend, self_timed_kernel<T, columns>, blocks, self_timed_threads, "launching triangular self_timed",
           Rows<T>(s), s.a->slices.data(), static_cast<Index>(s.a->slices.size()), s.to_clear, s.taken);
}

}  // namespace

template <class T>
void solve_self_timed(Cuda& backend, const Substitution<T>& s) {
    constexpr Size most_turns = Size{1} << 31;  // the rest of 32 bits is for a turn that each warp asks for in vain
    const Size columns = std::min<Size>(s.k, most_turns / s.a->slices.size());
    if (columns <= 1) return start<T, 1>(backend, s);
    if (columns <= 2) return start<T, 2>(backend, s);
    if (columns <= 4) return start<T, 4>(backend, s);
    if (columns <= 8) return start<T, 8>(backend, s);
    if (columns <= 16) return start<T, 16>(backend, s);
    start<T, 32>(backend, s);
}

template void solve_self_timed(Cuda&, const Substitution<double>&);
template void solve_self_timed(Cuda&, const Substitution<float>&);

}  // namespace stiefel::triangular
