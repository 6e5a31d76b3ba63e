#include "stiefel/spmv/cuda/row_kernel.cuh"

namespace stiefel::cuda {

namespace {

constexpr int tile = CsrShares::merge_items;
constexpr int items = tile / block_threads;
constexpr int n_warps = block_threads / warp_size;
static_assert(tile % block_threads == 0);

/// Where the merge of the list of row ends with the list of the nonzeros' numbers stands after `diagonal` steps: the
/// rows it has passed (the rest of the steps were nonzeros).
template <class Position, class Offset>
__device__ Position merge_path(const Offset* row_ends, Position n_rows, Position nnz, Position diagonal) {
    Position low = max(diagonal - nnz, Position{0});
    Position high = min(diagonal, n_rows);
    while (low < high) {
        const Position middle = low + (high - low) / 2;
        if (row_ends[middle] <= diagonal - middle - 1) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// A tile of the merge path: some rows, the last of them perhaps unfinished, and their nonzeros.
template <class T>
struct Tile {
    T product[tile];
    int row_end[tile + 1];  // counted from the tile's first nonzero
    T row_sum[tile + 1];
    Index last_row[n_warps];
    T last_sum[n_warps];
};

/// Adds to the rows' sums what threads had gathered when their steps ended within a row. Runs of one row within a warp
/// are added first; runs that reach a warp's end may go on in the next and are added by one thread, in order.
template <class T>
__device__ void add_unfinished(Tile<T>& t, Index row, T sum) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    for (int step = 1; step < warp_size; step *= 2) {
        const T before = __shfl_up_sync(all_lanes, sum, step);
        const Index row_before = __shfl_up_sync(all_lanes, row, step);
        if (lane >= step && row_before == row) sum += before;
    }
    const Index row_after = __shfl_down_sync(all_lanes, row, 1);
    if (lane == warp_size - 1) {
        t.last_row[warp] = row;
        t.last_sum[warp] = sum;
    } else if (row_after != row) {
        t.row_sum[row] += sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 0; w < n_warps; ++w) t.row_sum[t.last_row[w]] += t.last_sum[w];
    }
    __syncthreads();
}

/// Every thread walks `items` steps of the path: a nonzero is added to the row's sum, a row end puts the sum down.
template <class T>
__device__ void walk_tile(Tile<T>& t, int n_rows, int n_nonzeros) {
    const int end = n_rows + n_nonzeros;
    int step = min(static_cast<int>(threadIdx.x) * items, end);
    int row = merge_path(t.row_end, n_rows, n_nonzeros, step);
    int k = step - row;
    T sum = 0;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (step >= end) break;
        if (k < n_nonzeros && k < t.row_end[row]) {
            sum += t.product[k++];
        } else {
            t.row_sum[row++] = sum;
            sum = 0;
        }
        ++step;
    }
    __syncthreads();
    add_unfinished(t, row, sum);
}

template <class T, class Offset>
__global__ void __launch_bounds__(block_threads)
    csr_merge_kernel(Index n_rows, Offset nnz, const Offset* row_ptr, const Index* col_idx, const T* values,
                     Size n_tiles, double* carry, Index* carry_row, RowOutput<T> out) {
    begin_kernel();
    __shared__ Tile<T> t;
    __shared__ Index corner[2];
    double dot = 0;
    for (Size number = blockIdx.x; number < n_tiles; number += gridDim.x) {
        const Size path = Size{n_rows} + nnz;
        const Size begin = number * tile;
        const Size end = min(begin + tile, path);
        // Two warps search for the tile's two corners at the same time.
        if (threadIdx.x % warp_size == 0 && threadIdx.x < 2 * warp_size) {
            const Size diagonal = threadIdx.x == 0 ? begin : end;
            corner[threadIdx.x / warp_size] =
                static_cast<Index>(merge_path<Size>(row_ptr + 1, Size{n_rows}, Size{nnz}, diagonal));
        }
        __syncthreads();
        const Index first_row = corner[0];
        const Index last_row = corner[1];
        const auto first = static_cast<Offset>(begin - first_row);
        const int rows = last_row - first_row;
        const int nonzeros = static_cast<int>(end - last_row - first);
        for (int i = static_cast<int>(threadIdx.x); i <= rows; i += block_threads) {
            const Offset row_end = first_row + i < n_rows ? row_ptr[first_row + i + 1] - first : Offset{nonzeros};
            t.row_end[i] = static_cast<int>(min(row_end, Offset{tile + 1}));
        }
#pragma unroll
        for (int i = 0; i < items; ++i) {
            const int k = static_cast<int>(threadIdx.x) + i * block_threads;
            if (k < nonzeros) {
                t.product[k] = load_once(values + first + k) * __ldg(out.x + load_once(col_idx + first + k));
            }
        }
        if (threadIdx.x == 0) t.row_sum[rows] = 0;
        __syncthreads();
        walk_tile(t, rows, nonzeros);
        for (int i = static_cast<int>(threadIdx.x); i < rows; i += block_threads) {
            dot += out.store(first_row + i, t.row_sum[i]);
        }
        if (threadIdx.x == 0) {
            carry_row[number] = last_row;
            carry[number] = static_cast<double>(t.row_sum[rows]);
        }
        __syncthreads();
    }
    out.finish(dot);
}

/// Adds to each row the parts that tiles before its own had gathered; tiles that end in one row stand together.
template <class T>
__global__ void merge_carries_kernel(Index n_rows, Size n_tiles, const double* carry, const Index* carry_row,
                                     RowOutput<T> out) {
    begin_kernel();
    double dot = 0;
    for (Size first = Size{blockIdx.x} * blockDim.x + threadIdx.x; first < n_tiles;
         first += Size{gridDim.x} * blockDim.x) {
        const Index row = carry_row[first];
        if (row >= n_rows || (first > 0 && carry_row[first - 1] == row)) continue;
        double sum = 0;
        for (Size k = first; k < n_tiles && carry_row[k] == row; ++k) sum += carry[k];
        const T value = out.alpha * static_cast<T>(sum);
        out.y[row] += value;
        if (out.dot != nullptr) dot += static_cast<double>(out.x[row]) * static_cast<double>(value);
    }
    if (out.dot == nullptr) return;
    double sums[1] = {dot};
    if (grid_sum(sums, out.scratch)) *out.dot += sums[0];
}

}  // namespace

template <class T>
void csr_merge(Cuda& backend, const DeviceCsr<T>& a, const SpmvArguments<T>& s) {
    const Size n_tiles = (a.n_rows + a.nnz() + tile - 1) / tile;
    const CsrShares& shares = a.shares;
    const RowOutput<T> out(backend, s);
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        launch(backend, csr_merge_kernel<T, Offset>, grid_for(backend, s, n_tiles, 1), block_threads,
               "launching csr_merge", a.n_rows, static_cast<Offset>(a.nnz()), row_ptr, a.col_idx.data(),
               a.values.data(), n_tiles, shares.carry.data(), shares.carry_row.data(), out);
    });
    launch(backend, merge_carries_kernel<T>, grid_for(backend, s, n_tiles, block_threads), block_threads,
           "launching merge_carries", a.n_rows, n_tiles, shares.carry.data(), shares.carry_row.data(), out);
}

template void csr_merge(Cuda&, const DeviceCsr<double>&, const SpmvArguments<double>&);
template void csr_merge(Cuda&, const DeviceCsr<float>&, const SpmvArguments<float>&);

}  // namespace stiefel::cuda
