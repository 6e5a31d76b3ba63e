#include "stiefel/preconditioner/amg/cuda/neighbourhoods.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

namespace stiefel::amg {

namespace {

using View = cuda::CsrView<double>;

constexpr int ball_threads = 128;

/// Nodes around a root, found by a block, each once. Room for those of the last step beyond most_nodes, too: what does
/// not fit is not missed.
struct Ball {
    static constexpr int room = 2048;
    static constexpr int places = 4096;

    Index nodes[room];
    Index table[places];
    int size;

    __device__ void clear() {
        for (int p = static_cast<int>(threadIdx.x); p < places; p += ball_threads) table[p] = -1;
        if (threadIdx.x == 0) size = 0;
        __syncthreads();
    }
    __device__ void insert(Index node) {
        if (*static_cast<volatile int*>(&size) >= room) return;
        for (unsigned p = static_cast<unsigned>(node) * 2654435761u;; ++p) {
            const Index before = atomicCAS(&table[p % places], -1, node);
            if (before == node) return;
            if (before >= 0) continue;
            if (const int place = atomicAdd(&size, 1); place < room) nodes[place] = node;
            return;
        }
    }
    /// That does not depend on who came first.
    __device__ int counted() const { return min(size, BallSums::most_nodes); }
};

/// A block for each root, and for each of the two ways to take the third step.
__global__ void balls_kernel(View a, const double* inverse_root, const double* largest, BallSums* sums) {
    __shared__ Ball ball;
    const bool any_in_third = blockIdx.y == 1;
    ball.clear();
    if (threadIdx.x == 0) ball.insert(BallSums::root(static_cast<Index>(blockIdx.x), a.n_rows));
    __syncthreads();
    int begin = 0;
    for (int step = 1; step <= 4; ++step) {
        const int end = ball.size;
        __syncthreads();
        if (end < BallSums::most_nodes) {
            const bool any = any_in_third && step == 3;
            if (any) begin = 0;  // weak couplings lead on from any node
            for (int b = begin + static_cast<int>(threadIdx.x); b < end; b += ball_threads) {
                const Index i = ball.nodes[b];
                for (Size k = a.row_ptr[i]; k < a.row_ptr[Size{i} + 1]; ++k) {
                    const Index j = a.col_idx[k];
                    const double value = a.values[k];
                    const double limit = Strength::theta * max(largest[i], largest[j]);
                    const bool is_strong = abs(value) * (inverse_root[i] * inverse_root[j]) >= limit;
                    if (j != i && value != 0 && (any || is_strong)) ball.insert(j);
                }
            }
            begin = end;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            const auto count = static_cast<unsigned long long>(ball.counted());
            if (!any_in_third && step == 1) atomicAdd(&sums->aggregate, count);
            if (!any_in_third && step == 2) atomicAdd(&sums->near, count);
            if (step == 4) atomicAdd(any_in_third ? &sums->coupled : &sums->far, count);
        }
    }
}

}  // namespace

Neighbourhoods sample_neighbourhoods(Cuda& backend, const DeviceCsr<double>& a, const DeviceMatrix& found) {
    if (a.n_rows == 0) return {};
    DeviceVector<BallSums> sums(backend, 1);
    backend.zero_bytes(sums.data(), sums.bytes());
    const dim3 blocks(static_cast<unsigned>(BallSums::roots(a.n_rows)), 2);
    balls_kernel<<<blocks, ball_threads, 0, backend.stream()>>>(View(a), found.inverse_root.data(),
                                                                found.largest.data(), sums.data());
    check_cuda(cudaGetLastError(), "looking at neighbourhoods");
    return neighbourhoods(load(backend, sums), a.n_rows, a.nnz());
}

}  // namespace stiefel::amg
