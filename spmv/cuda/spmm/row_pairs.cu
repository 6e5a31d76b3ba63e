#include "stiefel/spmv/cuda/spmm/panel.cuh"

namespace stiefel::cuda {

namespace {

constexpr int threads = 256;
constexpr int height = warp_size;  ///< of the slices

/// Two rows of Y and what their entries `n` steps on refer to.
template <class T, class Shape>
struct RowPair {
    RowSums<T, Shape> upper;
    RowSums<T, Shape> lower;
    unsigned last_column = ~0u;  ///< of X, that the lower row has read, in `last`
    typename RowSums<T, Shape>::Piece last[Shape::pieces];

    using Piece = typename RowSums<T, Shape>::Piece;

    __device__ static __forceinline__ void load(const T* row, Piece (&pieces)[Shape::pieces]) {
#pragma unroll
        for (int q = 0; q < Shape::pieces; ++q) {
            pieces[q] = *reinterpret_cast<const Piece*>(row + q * Shape::lanes * Shape::width);
        }
    }
    __device__ static __forceinline__ void add(RowSums<T, Shape>& sums, T entry, const Piece (&pieces)[Shape::pieces]) {
#pragma unroll
        for (int q = 0; q < Shape::pieces; ++q) {
#pragma unroll
            for (int c = 0; c < Shape::width; ++c) sums.value[q][c] += entry * pieces[q].value[c];
        }
    }

    /// Entries 0 .. n - 1 of both rows, a slice's height apart; the two rows' lie side by side.
    template <int n>
    __device__ __forceinline__ void add_batch(const Index* col_idx, const T* values, const T* x, unsigned ldx) {
        uint2 column[n];
        Columns<T, 2> entry[n];
#pragma unroll
        for (int u = 0; u < n; ++u) {
            column[u] = *reinterpret_cast<const uint2*>(col_idx + u * height);
            entry[u] = *reinterpret_cast<const Columns<T, 2>*>(values + u * height);
        }
        Piece above[n][Shape::pieces];
        Piece below[n][Shape::pieces];
#pragma unroll
        for (int u = 0; u < n; ++u) {
            const unsigned before = u == 0 ? last_column : column[u == 0 ? 0 : u - 1].y;
            if (column[u].x != before) load(x + std::size_t{column[u].x} * ldx, above[u]);
            load(x + std::size_t{column[u].y} * ldx, below[u]);
        }
#pragma unroll
        for (int u = 0; u < n; ++u) {
            const unsigned before = u == 0 ? last_column : column[u == 0 ? 0 : u - 1].y;
            if (column[u].x != before) {
                add(upper, entry[u].value[0], above[u]);
            } else {
                add(upper, entry[u].value[0], u == 0 ? last : below[u == 0 ? 0 : u - 1]);
            }
            add(lower, entry[u].value[1], below[u]);
        }
        last_column = column[n - 1].y;
#pragma unroll
        for (int q = 0; q < Shape::pieces; ++q) last[q] = below[n - 1][q];
    }
};

/// A team takes two neighbouring rows at once. Where the upper row's next column is the one that the lower row has just
/// used, as along the lines of a grid, the row of X is still in registers: a third less is read from the cache, whose
/// rate is what limits wide panels and long rows.
template <class Shape, class T>
__global__ void __launch_bounds__(threads, 3) row_pairs_kernel(SellRows<T> a, PanelArguments<T> s) {
    begin_kernel();
    constexpr int teams = threads / Shape::lanes;
    const int first_column = static_cast<int>(threadIdx.x) % Shape::lanes * Shape::width;
    const Size place = 2 * (Size{blockIdx.x} * teams + threadIdx.x / Shape::lanes);
    if (place >= a.n_slots) return;
    const Size slice = place / height;
    const Size begin = a.slice_ptr[slice];
    Index width = static_cast<Index>((a.slice_ptr[slice + 1] - begin) / height);
    const Index* col_idx = a.col_idx + begin + place % height;
    const T* values = a.values + begin + place % height;
    const T* const x = s.x + first_column;
    RowPair<T, Shape> pair;
    constexpr int batch = 3;
    for (; width >= batch; width -= batch) {
        pair.template add_batch<batch>(col_idx, values, x, s.ldx);
        col_idx += batch * height;
        values += batch * height;
    }
    if (width == 2) pair.template add_batch<2>(col_idx, values, x, s.ldx);
    if (width == 1) pair.template add_batch<1>(col_idx, values, x, s.ldx);
    const auto store = [&](Size slot, const RowSums<T, Shape>& sums) {
        const Index row = a.target(slot);
        if (row >= a.n_rows) return;
        sums.store(s.y + std::size_t{static_cast<unsigned>(row)} * s.ldy + first_column, s.alpha, s.beta);
    };
    store(place, pair.upper);
    store(place + 1, pair.lower);
}

}  // namespace

template <class T>
void spmm_row_pairs(Cuda& backend, const DeviceSell<T>& a, const SpmmArguments<T>& s) {
    bool taken = false;
    if (a.slice_height == height) {
        with_panel(s, [&]<class Shape>(Shape, const PanelArguments<T>& panel) {
            if constexpr (Shape::exact && Shape::columns * sizeof(T) >= 128) {
                const SellRows<T> rows{a.slice_ptr.data(),
                                       a.row_of_slot.data(),
                                       a.col_idx.data(),
                                       a.values.data(),
                                       a.n_rows,
                                       a.n_slots(),
                                       {}};
                launch(backend, row_pairs_kernel<Shape, T>, spmm_grid(a.n_slots(), 2 * threads / Shape::lanes), threads,
                       "launching spmm_row_pairs", rows, panel);
                taken = true;
            }
        });
    }
    if (!taken) spmm_panel(backend, a, s);
}

template void spmm_row_pairs(Cuda&, const DeviceSell<double>&, const SpmmArguments<double>&);
template void spmm_row_pairs(Cuda&, const DeviceSell<float>&, const SpmmArguments<float>&);

}  // namespace stiefel::cuda
