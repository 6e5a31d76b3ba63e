#include "stiefel/solver/block_cg_kernels.hpp"

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/preconditioner/pointwise.hpp"
#include "stiefel/solver/cuda/gram_tiles.cuh"
#include "stiefel/solver/cuda/panel_tiles.cuh"

#include <algorithm>

namespace stiefel {

namespace cuda {

namespace {

/// Threads of the kernels that sum Gram matrices, one block on each multiprocessor: as many as ask for rows as fast as
/// the memory gives them. More only make the queue longer, and wide panels need the registers.
template <int tiles, class Scale>
constexpr int residual_threads = tiles == 1                         ? 512
                                 : tiles == 4 && Scale::is_identity ? 384
                                                                    : 256;

/// Groups of 8 rows whose loads a warp starts together.
template <int tiles>
constexpr int groups_ahead = tiles == 1   ? 4
                             : tiles == 2 ? 2
                                          : 1;

/// Adds 4 rows to W' D W; scale: D^-1.
template <class T, int tiles, class Scale>
__device__ void add_weighted(GramTiles<tiles>& gram, const Scale& scale, Size row, Size n_rows,
                             const double (&elements)[tiles]) {
    const double weight = row < n_rows ? 1 / static_cast<double>(scale(row, T{1})) : 0;
    double weighted[tiles];
#pragma unroll
    for (int j = 0; j < tiles; ++j) weighted[j] = weight * elements[j];
    gram.add(weighted, elements);
}

/// W = W z - s A S xi with its Gram matrices, W' W first, then W' D W.
template <class T, int tiles, bool pairs, class Scale>
__global__ void __launch_bounds__(residual_threads<tiles, Scale>, 1)
    residual_kernel(DeviceMatrix<const T> as, DeviceMatrix<T> w, BlockCgMatrices small, Scale scale,
                    const CgState* state, ReductionScratch scratch) {
    extern __shared__ double shared[];
    begin_kernel();
    if (state->reason != StopReason::running) return;
    constexpr int ahead = groups_ahead<tiles>;
    constexpr int n_warps = residual_threads<tiles, Scale> / 32;
    constexpr bool weighted = !Scale::is_identity && tiles <= 4;
    const SharedFactor<tiles> z{shared};
    const SharedFactor<tiles> xi{shared + SharedFactor<tiles>::size};
    z.load(small.z, small.k, false, 1);
    xi.load(small.xi, small.k, false, -1);
    __syncthreads();

    const Lane lane;
    GramTiles<tiles> gram[weighted ? 2 : 1];
    const Size warp = Size{blockIdx.x} * n_warps + threadIdx.x / 32;
    const Size n_steps = (w.n_rows + 8 * ahead - 1) / (8 * ahead);
    // From the last rows to the first: the cache still holds the end of A S, and will hold the beginning of W.
    for (Size step = n_steps - 1 - warp; step >= 0; step -= Size{gridDim.x} * n_warps) {
        const Size first = step * 8 * ahead;
        PanelRows<T, tiles, ahead, pairs> w_rows, as_rows;
        w_rows.load(w, first);
        as_rows.load(as, first);
        as_rows.scale_rows(scale, first, w.n_rows);
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            const Size row = first + 8 * u + 2 * lane.t;
            double out[2][tiles];
#pragma unroll
            for (int j = 0; j < tiles; j += 2) {
                double of_w[4] = {}, of_as[4] = {};  // apart: a product need not wait for the one before
#pragma unroll
                for (int s = 0; s < tiles; ++s) {
                    z.multiply_transposed(of_w, j, s, w_rows.pair[u][s]);
                    xi.multiply_transposed(of_as, j, s, as_rows.pair[u][s]);
                }
#pragma unroll
                for (int e = 0; e < 4 && j + e / 2 < tiles; ++e) {
                    const T value = row + e % 2 < w.n_rows ? static_cast<T>(of_w[e] + of_as[e]) : T{0};
                    store_element<tiles>(w, row + e % 2, 8 * (j + e / 2) + lane.g, value);
                    out[e % 2][j + e / 2] = static_cast<double>(value);
                }
            }
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                gram[0].add(out[half], out[half]);
                if constexpr (weighted) add_weighted<T>(gram[1], scale, row + half, w.n_rows, out[half]);
            }
        }
    }
    add_up_grams<residual_threads<tiles, Scale>>(gram, small.k, scratch, small.gram, small.weighted);
}

/// W' D W alone, for panels so wide that there is no room for it beside W' W.
template <class T, int tiles, class Scale>
__global__ void __launch_bounds__(residual_threads<tiles, Scale>, 1)
    weighted_kernel(DeviceMatrix<T> w, BlockCgMatrices small, Scale scale, const CgState* state,
                    ReductionScratch scratch) {
    begin_kernel();
    if (state->reason != StopReason::running) return;
    constexpr int n_warps = residual_threads<tiles, Scale> / 32;
    const Lane lane;
    GramTiles<tiles> gram[1];
    const Size warp = Size{blockIdx.x} * n_warps + threadIdx.x / 32;
    for (Size first = warp * 8; first < w.n_rows; first += Size{gridDim.x} * n_warps * 8) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const Size row = first + 4 * half + lane.t;
            double elements[tiles];
#pragma unroll
            for (int j = 0; j < tiles; ++j) elements[j] = static_cast<double>(load_element<T>(w, row, 8 * j + lane.g));
            add_weighted<T>(gram[0], scale, row, w.n_rows, elements);
        }
    }
    add_up_grams<residual_threads<tiles, Scale>>(gram, small.k, scratch, small.weighted);
}

constexpr int direction_threads = 128;

/// Groups of 8 rows that a warp of block_cg_direction has at a time, two for each product.
template <int tiles>
constexpr int direction_groups = tiles == 1 ? 4 : 2;

/// X += S step, S = s W z + S zeta'.
template <class T, int tiles, bool pairs, class Scale>
__global__ void __launch_bounds__(direction_threads)
    direction_kernel(DeviceMatrix<const T> w, DeviceMatrix<T> s, DeviceMatrix<T> x, BlockCgMatrices small, Scale scale,
                     const CgState* state) {
    extern __shared__ double shared[];
    begin_kernel();
    if (state->reason != StopReason::running) return;
    constexpr int groups = direction_groups<tiles>;
    constexpr int n_warps = direction_threads / 32;
    constexpr bool x_by_tiles = tiles > 4;  // or there are not enough registers
    const SharedFactor<tiles> step{shared};
    const SharedFactor<tiles> z{shared + SharedFactor<tiles>::size};
    const SharedFactor<tiles> zeta{shared + 2 * SharedFactor<tiles>::size};
    step.load(small.step, small.k, false, 1);
    z.load(small.z, small.k, false, 1);
    zeta.load(small.zeta, small.k, true, 1);
    __syncthreads();

    using Rows = PanelRows<T, tiles, groups, pairs>;
    const Size warp = Size{blockIdx.x} * n_warps + threadIdx.x / 32;
    const Size stride = Size{gridDim.x} * n_warps * 8 * groups;
    for (Size first = warp * 8 * groups; first < w.n_rows; first += stride) {
        Rows w_rows, s_rows, x_rows;
        w_rows.load(w, first);
        s_rows.load(s, first);
        if constexpr (!x_by_tiles) x_rows.load(x, first);
        w_rows.scale_rows(scale, first, w.n_rows);
#pragma unroll
        for (int u = 0; u < groups; u += 2) {
#pragma unroll
            for (int j = 0; j < tiles; ++j) {
                if constexpr (x_by_tiles) {
                    x_rows.load(x, first, u, j);
                    x_rows.load(x, first, u + 1, j);
                }
                const Pair<T> x_upper = x_rows.pair[u][j], x_lower = x_rows.pair[u + 1][j];
                double x_sums[4] = {static_cast<double>(x_upper.first), static_cast<double>(x_upper.second),
                                    static_cast<double>(x_lower.first), static_cast<double>(x_lower.second)};
                double of_w[4] = {}, of_s[4] = {};  // apart: a product need not wait for the one before
#pragma unroll
                for (int i = 0; i < tiles; ++i) {
                    step.multiply(x_sums, j, i, s_rows.pair[u][i], s_rows.pair[u + 1][i]);
                    z.multiply(of_w, j, i, w_rows.pair[u][i], w_rows.pair[u + 1][i]);
                    zeta.multiply(of_s, j, i, s_rows.pair[u][i], s_rows.pair[u + 1][i]);
                }
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    Rows::store(x, first, u + half, j,
                                {static_cast<T>(x_sums[2 * half]), static_cast<T>(x_sums[2 * half + 1])});
                    Rows::store(s, first, u + half, j,
                                {static_cast<T>(of_w[2 * half] + of_s[2 * half]),
                                 static_cast<T>(of_w[2 * half + 1] + of_s[2 * half + 1])});
                }
            }
        }
    }
}

/// The tiles of 8 columns of a panel, as a constant.
template <class F>
void with_tiles(Index k, F&& f) {
    if (k <= 8) return f(std::integral_constant<int, 1>{});
    if (k <= 16) return f(std::integral_constant<int, 2>{});
    if (k <= 32) return f(std::integral_constant<int, 4>{});
    f(std::integral_constant<int, 8>{});
}

template <class F>
void with_pairs(bool pairs, F&& f) {
    if (pairs) return f(std::true_type{});
    f(std::false_type{});
}

/// Blocks for groups of 8 rows, at most `most`.
int blocks_for(Size n_rows, int rows_of_block, Size most) {
    return static_cast<int>(std::clamp<Size>((n_rows + rows_of_block - 1) / rows_of_block, 1, most));
}

template <int tiles, class T, class Scale>
void launch_residual(Cuda& backend, DeviceMatrix<const T> as, DeviceMatrix<T> w, const BlockCgMatrices& small,
                     Scale scale, const CgState* state) {
    constexpr int threads = residual_threads<tiles, Scale>;
    constexpr int bytes = 2 * SharedFactor<tiles>::size * static_cast<int>(sizeof(double));
    constexpr Size most =
        ReductionScratch::size / ((Scale::is_identity || tiles > 4 ? 1 : 2) * GramTiles<tiles>::elements);
    const int blocks =
        blocks_for(w.n_rows, threads / 4 * groups_ahead<tiles>, std::min<Size>(most, backend.device().multiprocessors));
    with_pairs(in_pairs(w) && in_pairs(as), [&](auto pairs) {
        const auto kernel = residual_kernel<T, tiles, pairs, Scale>;
        allow_shared(backend, kernel, bytes, "launching block_cg_residual");
        launch_shared(backend, kernel, blocks, threads, bytes, "launching block_cg_residual", as, w, small, scale,
                      state, backend.reduction());
    });
    if constexpr (!Scale::is_identity && tiles > 4) {
        launch(backend, weighted_kernel<T, tiles, Scale>, blocks, threads, "launching block_cg_residual", w, small,
               scale, state, backend.reduction());
    }
}

template <int tiles, class T, class Scale>
void launch_direction(Cuda& backend, DeviceMatrix<const T> w, DeviceMatrix<T> s, DeviceMatrix<T> x,
                      const BlockCgMatrices& small, Scale scale, const CgState* state) {
    constexpr int bytes = 3 * SharedFactor<tiles>::size * static_cast<int>(sizeof(double));
    with_pairs(in_pairs(w) && in_pairs(s) && in_pairs(x), [&](auto pairs) {
        const auto kernel = direction_kernel<T, tiles, pairs, Scale>;
        allow_shared(backend, kernel, bytes, "launching block_cg_direction");
        const int on_multiprocessor =
            blocks_at_once(backend, kernel, direction_threads, bytes, "asking for the occupancy of block_cg_direction");
        const int blocks = blocks_for(w.n_rows, direction_threads / 4 * direction_groups<tiles>,
                                      Size{backend.device().multiprocessors} * on_multiprocessor);
        launch_shared(backend, kernel, blocks, direction_threads, bytes, "launching block_cg_direction", w, s, x, small,
                      scale, state);
    });
}

}  // namespace

}  // namespace cuda

template <class M, class T>
void block_cg_residual(Cuda& backend, const M& m, DeviceMatrix<const T> as, DeviceMatrix<T> w,
                       const BlockCgMatrices& small, const CgState* state) {
    cuda::with_tiles(small.k,
                     [&](auto tiles) { cuda::launch_residual<tiles>(backend, as, w, small, pointwise<T>(m), state); });
}

template <class M, class T>
void block_cg_direction(Cuda& backend, const M& m, DeviceMatrix<const T> w, DeviceMatrix<T> s, DeviceMatrix<T> x,
                        const BlockCgMatrices& small, const CgState* state) {
    cuda::with_tiles(
        small.k, [&](auto tiles) { cuda::launch_direction<tiles>(backend, w, s, x, small, pointwise<T>(m), state); });
}

template void block_cg_residual(Cuda&, const Identity&, DeviceMatrix<const double>, DeviceMatrix<double>,
                                const BlockCgMatrices&, const CgState*);
template void block_cg_residual(Cuda&, const Identity&, DeviceMatrix<const float>, DeviceMatrix<float>,
                                const BlockCgMatrices&, const CgState*);
template void block_cg_residual(Cuda&, const DeviceJacobi<double>&, DeviceMatrix<const double>, DeviceMatrix<double>,
                                const BlockCgMatrices&, const CgState*);
template void block_cg_residual(Cuda&, const DeviceJacobi<float>&, DeviceMatrix<const float>, DeviceMatrix<float>,
                                const BlockCgMatrices&, const CgState*);
template void block_cg_direction(Cuda&, const Identity&, DeviceMatrix<const double>, DeviceMatrix<double>,
                                 DeviceMatrix<double>, const BlockCgMatrices&, const CgState*);
template void block_cg_direction(Cuda&, const Identity&, DeviceMatrix<const float>, DeviceMatrix<float>,
                                 DeviceMatrix<float>, const BlockCgMatrices&, const CgState*);
template void block_cg_direction(Cuda&, const DeviceJacobi<double>&, DeviceMatrix<const double>, DeviceMatrix<double>,
                                 DeviceMatrix<double>, const BlockCgMatrices&, const CgState*);
template void block_cg_direction(Cuda&, const DeviceJacobi<float>&, DeviceMatrix<const float>, DeviceMatrix<float>,
                                 DeviceMatrix<float>, const BlockCgMatrices&, const CgState*);

}  // namespace stiefel
