#pragma once

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/cuda/kernels.hpp"

namespace stiefel::cuda {

/// Threads of a block of the row kernels.
inline constexpr int block_threads = 256;

/// Blocks for `work` items, so many to a block; kernels stride over what exceeds the grid. A sum over the grid costs
/// each block a trip to memory that nothing hides, so then there are no more blocks than run at a time.
template <class T>
int grid_for(const Cuda& backend, const SpmvArguments<T>& s, Size work, int per_block) {
    const Size blocks = (work + per_block - 1) / per_block;
    const Size most = s.dot != nullptr ? Size{8} * backend.device().multiprocessors : ReductionScratch::max_blocks;
    return static_cast<int>(std::clamp<Size>(blocks, 1, most));
}

/// Entries of a matrix are read once: they must not push x out of the caches.
template <class T>
__device__ T load_once(const T* p) {
    return __ldcs(p);
}

/// The end of every kernel: y = alpha sum + beta y row by row, and <x, y> over the grid.
template <class T>
struct RowOutput {
    const T* x;
    T* y;
    T alpha;
    T beta;
    double* dot;
    ReductionScratch scratch;
    bool descends;  ///< where a kernel can: begin with the last rows

    RowOutput(Cuda& backend, const SpmvArguments<T>& s)
        : x(s.x),
          y(s.y),
          alpha(s.alpha),
          beta(s.beta),
          dot(s.dot),
          scratch(backend.reduction()),
          descends(backend.next_sweep_descends()) {}

    /// The number of the thread among all.
    __device__ Size thread() const { return Size{blockIdx.x} * blockDim.x + threadIdx.x; }

    /// Stores one row; returns what it adds to <x, y>.
    __device__ double store(Index row, T sum) const {
        T value = alpha * sum;
        if (beta != T{0}) value += beta * y[row];
        y[row] = value;
        return dot != nullptr ? static_cast<double>(x[row]) * static_cast<double>(value) : 0.0;
    }

    /// Called once by every thread of the grid with what its rows added; `more` as in grid_sum.
    __device__ void finish(double dot_of_thread, const double* more = nullptr, Size n_more = 0) const {
        if (dot == nullptr) return;
        double sums[1] = {dot_of_thread};
        if (grid_sum(sums, scratch, more, n_more)) *dot = sums[0];
    }
};

/// Where the entries of ELLPACK lie, in either layout.
struct EllpackSteps {
    Size row_step;
    Size entry_step;

    EllpackSteps(EllpackLayout layout, Size stride)
        : row_step(layout == EllpackLayout::row_major ? stride : 1),
          entry_step(layout == EllpackLayout::row_major ? 1 : stride) {}
    __device__ Size position(Size row, Index j) const { return row * row_step + j * entry_step; }
};

/// Sum over entries k(0), k(1), ... k(n - 1) of values[k] x[col_idx[k]], n the same for all threads of a warp or not.
/// Eight entries are loaded before any is used, so that a thread waits for memory once in eight entries; past the end
/// nothing is loaded.
template <class Stored, class T, class Position>
__device__ T row_product(const Stored* values, const Index* col_idx, const T* x, Index n, Position&& position) {
    constexpr int batch = 8;
    T sum = 0;
    for (Index j = 0; j < n; j += batch) {
        Index col[batch];
        Stored value[batch];
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const bool inside = j + u < n;
            col[u] = inside ? load_once(col_idx + position(j + u)) : 0;
            value[u] = inside ? load_once(values + position(j + u)) : Stored{0};
        }
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            if (j + u < n) sum += static_cast<T>(value[u]) * __ldg(x + col[u]);
        }
    }
    return sum;
}

}  // namespace stiefel::cuda
