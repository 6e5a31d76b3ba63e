#include "stiefel/preconditioner/ssor/cuda/colouring.hpp"

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/preconditioner/ssor/colouring.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <algorithm>
#include <cstddef>

namespace stiefel::ssor {

namespace {

constexpr int threads = 128;
constexpr int lanes = 8;             ///< of a row
constexpr Index turns_at_once = 64;  ///< before the host looks whether rows are left
constexpr Index most_turns = 4096;

/// So many take as long as a core of the host for all rows: 2.6 us each, and 2.7 ns an entry (H200 and its host).
Index turns_worthwhile(Size nnz) {
    return static_cast<Index>(std::clamp(nnz / 960, Size{turns_at_once}, Size{most_turns}));
}

struct Graph {
    Index n;
    cuda::OffsetsView row_ptr;
    const Index* col_idx;
};

/// Rows by turns, those of even and of odd ones in the same place.
struct Queues {
    Index* waits_for;  ///< so many coupled rows before it, of each row
    Index* rows[2];
    Index* n_rows;  ///< of each turn

    __device__ void push(Index turn, Index row) const { rows[turn % 2][atomicAdd(n_rows + turn, 1)] = row; }
};

__global__ void __launch_bounds__(threads) count_kernel(Graph a, Queues queues) {
    begin_kernel();
    const Size row = (Size{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    if (row >= a.n) return;
    const auto i = static_cast<Index>(row);
    const unsigned group = ((1u << lanes) - 1) << (threadIdx.x % warp_size / lanes * lanes);
    Index before = 0;
    for (Size e = a.row_ptr[i] + lane; e < a.row_ptr[row + 1] && a.col_idx[e] < i; e += lanes) ++before;
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) before += __shfl_xor_sync(group, before, step);
    if (lane != 0) return;
    queues.waits_for[i] = before;
    if (before == 0) queues.push(0, i);
}

/// The first colour of none of the row's neighbours before it.
__device__ Index free_colour(const Graph& a, Index i, int lane, unsigned group, const Index* colour) {
    constexpr Index at_once = 64;
    for (Index base = 0;; base += at_once) {
        unsigned long long seen = 0;
        for (Size e = a.row_ptr[i] + lane; e < a.row_ptr[Size{i} + 1] && a.col_idx[e] < i; e += lanes) {
            const Index other = colour[a.col_idx[e]] - base;
            if (other >= 0 && other < at_once) seen |= 1ull << other;
        }
#pragma unroll
        for (int step = lanes / 2; step > 0; step /= 2) seen |= __shfl_xor_sync(group, seen, step);
        if (seen != ~0ull) return base + __ffsll(static_cast<long long>(~seen)) - 1;
    }
}

__global__ void __launch_bounds__(threads)
    colour_kernel(Graph a, Queues queues, Index turn, Index* colour, Index* n_colours) {
    begin_kernel();
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const unsigned group = ((1u << lanes) - 1) << (threadIdx.x % warp_size / lanes * lanes);
    const Index n = queues.n_rows[turn];
    const Index stride = static_cast<Index>(gridDim.x * blockDim.x) / lanes;
    for (Index k = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x) / lanes; k < n; k += stride) {
        const Index i = queues.rows[turn % 2][k];
        const Index own = free_colour(a, i, lane, group, colour);
        for (Size e = a.row_ptr[i] + lane; e < a.row_ptr[Size{i} + 1]; e += lanes) {
            const Index j = a.col_idx[e];
            if (j > i && atomicSub(queues.waits_for + j, 1) == 1) queues.push(turn + 1, j);
        }
        if (lane != 0) continue;
        colour[i] = own;
        if (own >= *static_cast<volatile Index*>(n_colours)) atomicMax(n_colours, own + 1);
    }
}

/// What the host waits for.
struct Outcome {
    Index n_colours;
    Index is_incomplete;  ///< a row has not been told by as many as it waited for, as couplings are not mutual
};

__global__ void __launch_bounds__(threads) check_kernel(Index n, const Index* waits_for, Outcome* outcome) {
    begin_kernel();
    const Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n && waits_for[i] != 0) outcome->is_incomplete = 1;
}

template <class T>
DeviceColouring by_a_core(Cuda& backend, const DeviceCsr<T>& a) {
    const Colouring found = greedy_colouring(to_host(backend, a));
    DeviceColouring there{found.n_colours, DeviceVector<Index>(backend, a.n_rows)};
    upload(backend, found.colour, there.colour);
    return there;
}

}  // namespace

template <class T>
DeviceColouring greedy_colouring(Cuda& backend, const DeviceCsr<T>& a) {
    const Index n = a.n_rows;
    DeviceColouring found{0, DeviceVector<Index>(backend, n)};
    if (n == 0) return found;
    DeviceVector<Index> waits_for(backend, n), even(backend, n), odd(backend, n), of_turn(backend, most_turns + 1);
    DeviceVector<Outcome> outcome(backend, 1);
    backend.zero_bytes(of_turn.data(), of_turn.bytes());
    backend.zero_bytes(outcome.data(), outcome.bytes());
    check_cuda(
        cudaMemsetAsync(found.colour.data(), 0xff, static_cast<std::size_t>(found.colour.bytes()), backend.stream()),
        "clearing colours");
    const Graph graph{n, cuda::OffsetsView(a.row_ptr), a.col_idx.data()};
    const Queues queues{waits_for.data(), {even.data(), odd.data()}, of_turn.data()};
    const Size all = (Size{n} * lanes + threads - 1) / threads;
    launch(backend, count_kernel, static_cast<int>(all), threads, "counting rows to wait for", graph, queues);
    const auto blocks = static_cast<int>(std::min<Size>(all, Size{8} * backend.device().multiprocessors));
    const Index most = turns_worthwhile(a.nnz());
    for (Index turn = 0; turn < most;) {
        for (const Index end = turn + turns_at_once; turn < end; ++turn) {
            launch(backend, colour_kernel, blocks, threads, "colouring rows", graph, queues, turn, found.colour.data(),
                   &outcome.data()->n_colours);
        }
        if (load(backend, of_turn.data() + turn) > 0) continue;
        launch(backend, check_kernel, (n + threads - 1) / threads, threads, "checking colours", n,
               static_cast<const Index*>(waits_for.data()), outcome.data());
        const Outcome facts = load(backend, outcome);
        if (facts.is_incomplete != 0) break;
        found.n_colours = facts.n_colours;
        return found;
    }
    return by_a_core(backend, a);
}

template DeviceColouring greedy_colouring(Cuda&, const DeviceCsr<double>&);
template DeviceColouring greedy_colouring(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel::ssor
