#include "stiefel/preconditioner/amg/cuda/coarse_cycle.hpp"

#include "stiefel/core/cuda/cluster.cuh"
#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/launch.cuh"

#include <utility>

namespace stiefel::amg {

namespace {

constexpr int threads = 1024;
constexpr int warp_size = 32;
constexpr int batch = coarse_batch;
constexpr unsigned all_lanes = 0xffffffffu;

/// The threads of the cluster, as those of one large block.
struct Cluster {
    Index thread, n_threads;

    __device__ Cluster()
        : thread(static_cast<Index>(BlockCluster::rank()) * threads + static_cast<Index>(threadIdx.x)),
          n_threads(static_cast<Index>(BlockCluster::size()) * threads) {}
};

template <class S>
struct SlotEntries {
    Size first;
    Index step;
    Index count;
    Index row;
};

template <class S>
__device__ SlotEntries<S> entries_of(const CoarseMatrix<S>& m, Index slot) {
    if (m.row_ptr != nullptr) {
        const std::int32_t first = m.row_ptr[slot];
        return {first, 1, m.row_ptr[slot + 1] - first, slot};
    }
    const Index slice = slot / m.slice_height;
    const Size first = m.slice_ptr[slice];
    const auto width = static_cast<Index>((m.slice_ptr[slice + 1] - first) / m.slice_height);
    const Index row = m.row_of_slot != nullptr ? m.row_of_slot[slot] : slot;
    return {first + slot % m.slice_height, m.slice_height, width, row};
}

/// What a lane adds to a product. A batch is loaded before any of it is used: there are too few threads to hide the
/// latency of the cache otherwise. v changes while the kernel runs, so it is read as memory that does.
template <class S>
__device__ S part_of_row(const CoarseMatrix<S>& m, const SlotEntries<S>& at, Index lane, const S* v) {
    S sum = 0;
    for (Index begin = lane; begin < at.count; begin += batch * m.lanes) {
        Index col[batch];
        S value[batch];
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const Index j = begin + u * m.lanes;
            const Size k = at.first + Size{j} * at.step;
            col[u] = j < at.count ? __ldg(m.col_idx + k) : -1;
            value[u] = j < at.count ? __ldg(m.values + k) : S{0};
        }
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            if (col[u] >= 0) sum += value[u] * v[col[u]];
        }
    }
    return sum;
}

/// use(i, (A v)_i) for every row i, by one thread each.
template <class S, class Use>
__device__ void for_products(const Cluster& cluster, const CoarseMatrix<S>& m, const S* v, Use&& use) {
    const int lanes = m.lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const Index rows_at_once = cluster.n_threads / lanes;
    const Index of_warp = cluster.thread / warp_size * (warp_size / lanes);  // its first row
    // Whole warps stay in the loop: their lanes shuffle together.
    for (Index base = of_warp; base < m.n_slots; base += rows_at_once) {
        const Index slot = base + static_cast<Index>(threadIdx.x) % warp_size / lanes;
        S sum = 0;
        Index row = m.n_rows;
        if (slot < m.n_slots) {
            const SlotEntries<S> at = entries_of(m, slot);
            row = at.row;
            sum = part_of_row(m, at, lane, v);
        }
        for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
        if (lane == 0 && row < m.n_rows) use(row, sum);
    }
}

/// The smoother's steps after the first, whose d is there and in x. Returns the last d, from which r is one product
/// behind; it and the one before take turns in level.d and level.e.
template <class S>
__device__ const S* further_steps(const Cluster& cluster, const CoarseLevel<S>& level, int n_steps) {
    S* d = level.d;
    S* other = level.e;
    for (int k = 1; k < n_steps; ++k) {
        for_products(cluster, level.a, d, [&](Index i, S product) {
            const S r = level.r[i] - product;
            const S step = level.rho[k] * d[i] + level.sigma[k] * r;
            level.r[i] = r;
            other[i] = step;
            level.x[i] += step;
        });
        BlockCluster::synchronize();
        S* const done = d;
        d = other;
        other = done;
    }
    return d;
}

/// From r, d = sigma_0 r and x = d of this level to r of the next, and its d and x unless it is the last.
template <class S>
__device__ void descend(const Cluster& cluster, const CoarseLevel<S>& level, int n_steps, const CoarseLevel<S>& next,
                        bool next_is_last) {
    const S* const d = further_steps(cluster, level, n_steps);
    for_products(cluster, level.a, d, [&](Index i, S product) { level.r[i] -= product; });
    BlockCluster::synchronize();
    for_products(cluster, level.restrict_, level.r, [&](Index i, S sum) {
        next.r[i] = sum;
        if (next_is_last) return;
        next.d[i] = next.sigma[0] * sum;
        next.x[i] = next.sigma[0] * sum;
    });
    BlockCluster::synchronize();
}

/// From x of the next level to x of this one.
template <class S>
__device__ void ascend(const Cluster& cluster, const CoarseLevel<S>& level, int n_steps, const CoarseLevel<S>& next) {
    for_products(cluster, level.prolong, next.x, [&](Index i, S sum) { level.e[i] = sum; });
    BlockCluster::synchronize();
    for_products(cluster, level.a, level.e, [&](Index i, S product) {
        const S r = level.r[i] - product;
        const S step = level.sigma[0] * r;
        level.r[i] = r;
        level.d[i] = step;
        level.x[i] += level.e[i] + step;
    });
    BlockCluster::synchronize();
    further_steps(cluster, level, n_steps);
}

template <class S>
__global__ void __launch_bounds__(threads) coarse_cycle_kernel(const __grid_constant__ CoarseLevels<S> all) {
    begin_kernel();
    const Cluster cluster;
    const int last = all.n_levels - 1;
    const CoarseLevel<S>& first = all.levels[0];
    for (Index i = cluster.thread; i < first.a.n_rows; i += cluster.n_threads) {
        const S step = first.sigma[0] * first.r[i];
        first.d[i] = step;
        first.x[i] = step;
    }
    BlockCluster::synchronize();
    for (int l = 0; l < last; ++l) descend(cluster, all.levels[l], all.n_steps, all.levels[l + 1], l + 1 == last);
    S* const x = all.levels[last].x;
    for_products(cluster, all.inverse, all.levels[last].r, [&](Index i, S sum) { x[i] = sum; });
    BlockCluster::synchronize();
    for (int l = last - 1; l >= 0; --l) ascend(cluster, all.levels[l], all.n_steps, all.levels[l + 1]);
}

}  // namespace

template <class S>
void run_coarse_cycle(Cuda& backend, const CoarseLevels<S>& levels) {
    constexpr int portable_cluster = 8;
    const int blocks = backend.device().major >= 9 ? portable_cluster : 1;
    launch_as(backend, coarse_cycle_kernel<S>, {.blocks = blocks, .threads = threads, .cluster = blocks},
              "launching coarse_cycle", levels);
}

template void run_coarse_cycle(Cuda&, const CoarseLevels<float>&);
template void run_coarse_cycle(Cuda&, const CoarseLevels<double>&);

}  // namespace stiefel::amg
