#include "stiefel/solver/block_cg_kernels.hpp"

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/dense/small/block_team.cuh"
#include "stiefel/solver/block_cg_decide.hpp"
#include "stiefel/solver/cuda/gram_tiles.cuh"
#include "stiefel/solver/cuda/panel_tiles.cuh"
#include "stiefel/solver/preconditioner/pointwise.hpp"

#include <algorithm>
#include <limits>

namespace stiefel {

namespace cuda {

namespace {

constexpr int small_threads = 256;

template <class Element>
__device__ void copy_together(Element* to, const Element* from, Index n) {
    for (Index i = static_cast<Index>(threadIdx.x); i < n; i += static_cast<Index>(blockDim.x)) to[i] = from[i];
}

/// The small matrices brought into shared memory, where the steps of a factorisation, each waiting for the one before,
/// take a tenth of the time.
class SharedMatrices {
public:
    static constexpr int n_matrices = 6;  ///< that a kernel may have here: 64 x 64 they just fit

    static int bytes(Index k) {
        const auto doubles = n_matrices * k * k + k;
        return doubles * static_cast<int>(sizeof(double)) + k * static_cast<int>(sizeof(BlockCgColumn)) +
               (k + 1) * static_cast<int>(sizeof(Index));
    }

    __device__ SharedMatrices(const BlockCgMatrices& global, double* shared) : global_(global), matrices_(global) {
        const Index k = global.k;
        next_ = shared;
        matrices_.rest = take(k);
        matrices_.columns = reinterpret_cast<BlockCgColumn*>(next_ + n_matrices * k * k);
        matrices_.order = reinterpret_cast<Index*>(matrices_.columns + k);
        matrices_.product = take(k * k);
        matrices_.factor = take(k * k);
        copy_together(matrices_.columns, global.columns, k);
        copy_together(matrices_.order, global.order, k + 1);
    }

    /// A matrix that the kernel reads, or only writes.
    __device__ void bring(double* BlockCgMatrices::*which) {
        make(which);
        copy_together(matrices_.*which, global_.*which, global_.k * global_.k);
    }
    __device__ void make(double* BlockCgMatrices::*which) { matrices_.*which = take(global_.k * global_.k); }

    __device__ const BlockCgMatrices& matrices() const { return matrices_; }

    __device__ void write(double* BlockCgMatrices::*which) const {
        copy_together(global_.*which, matrices_.*which, global_.k * global_.k);
    }
    __device__ void write_columns() const {
        copy_together(global_.columns, matrices_.columns, global_.k);
        copy_together(global_.order, matrices_.order, global_.k + 1);
    }

private:
    __device__ double* take(Index n) {
        double* const taken = next_;
        next_ += n;
        return taken;
    }

    const BlockCgMatrices& global_;
    BlockCgMatrices matrices_;
    double* next_;
};

__global__ void __launch_bounds__(small_threads)
    step_kernel(BlockCgMatrices small, double eps, CgState* state, CudaLoop loop) {
    extern __shared__ double shared[];
    begin_kernel();
    if (state->reason != StopReason::running) return;
    SharedMatrices near(small, shared);
    near.bring(&BlockCgMatrices::curvature);
    near.bring(&BlockCgMatrices::sigma);
    near.make(&BlockCgMatrices::xi);
    near.make(&BlockCgMatrices::step);
    block_cg_solve_step(BlockTeam{}, near.matrices(), eps, state);
    near.write(&BlockCgMatrices::xi);
    near.write(&BlockCgMatrices::step);
    if (threadIdx.x == 0 && state->reason != StopReason::running) loop_continue(loop, state->iteration, false);
}

__global__ void __launch_bounds__(small_threads)
    basis_kernel(BlockCgMatrices small, double eps, bool start, CgState* state, CudaLoop loop) {
    extern __shared__ double shared[];
    begin_kernel();
    if (state->reason != StopReason::running) return;
    SharedMatrices near(small, shared);
    near.bring(&BlockCgMatrices::gram);
    near.bring(&BlockCgMatrices::sigma);
    near.make(&BlockCgMatrices::zeta);
    near.make(&BlockCgMatrices::z);
    block_cg_orthonormalise(BlockTeam{}, near.matrices(), eps, start, state);
    near.write(&BlockCgMatrices::sigma);
    near.write(&BlockCgMatrices::zeta);
    near.write(&BlockCgMatrices::z);
    near.write_columns();
    if (start || threadIdx.x != 0) return;
    loop_report(loop, state->iteration, state->residual2);
    if (state->reason == StopReason::running && loop_interrupted(loop)) cg_stop(*state, StopReason::interrupted);
    loop_continue(loop, state->iteration, state->reason == StopReason::running);
}

/// Threads of the kernels that sum Gram matrices, one block on each multiprocessor: wide panels need the registers.
template <int tiles>
constexpr int residual_threads = tiles <= 2 ? 512 : 256;

/// Groups of 8 rows whose loads a warp starts together.
template <int tiles>
constexpr int groups_ahead = tiles == 1   ? 4
                             : tiles == 2 ? 2
                                          : 1;

/// W = W z - s A S xi with its Gram matrices, W' W first, then W' D W.
template <class T, int tiles, bool pairs, class Scale>
__global__ void __launch_bounds__(residual_threads<tiles>, 1)
    residual_kernel(DeviceMatrix<const T> as, DeviceMatrix<T> w, BlockCgMatrices small, Scale scale,
                    const CgState* state, ReductionScratch scratch) {
    extern __shared__ double shared[];
    begin_kernel();
    if (state->reason != StopReason::running) return;
    constexpr int ahead = groups_ahead<tiles>;
    constexpr int n_warps = residual_threads<tiles> / 32;
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
        Pair<T> w_row[ahead][tiles], as_row[ahead][tiles];
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            const Size row = first + 8 * u + lane.g;
#pragma unroll
            for (int s = 0; s < tiles; ++s) {
                w_row[u][s] = load_row_pair<pairs, T>(w, row, 8 * s + 2 * lane.t);
                as_row[u][s] = load_row_pair<pairs, T>(as, row, 8 * s + 2 * lane.t);
            }
        }
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            if constexpr (!Scale::is_identity) {
                const Size row = first + 8 * u + lane.g;
                const T factor = row < w.n_rows ? static_cast<T>(sqrt(scale(row, T{1}))) : T{0};
#pragma unroll
                for (int s = 0; s < tiles; ++s) {
                    as_row[u][s].first *= factor;
                    as_row[u][s].second *= factor;
                }
            }
            const Size row = first + 8 * u + 2 * lane.t;
            double out[tiles][2];
#pragma unroll
            for (int j = 0; j < tiles; ++j) {
                // Sums of their own: a product need not wait for the one before.
                double of_w[2] = {0, 0}, of_as[2] = {0, 0};
#pragma unroll
                for (int s = 0; s < tiles; ++s) {
                    z.multiply(of_w, j, s, w_row[u][s]);
                    xi.multiply(of_as, j, s, as_row[u][s]);
                }
                const T upper = static_cast<T>(of_w[0] + of_as[0]);
                const T lower = static_cast<T>(of_w[1] + of_as[1]);
                store_element(w, row, 8 * j + lane.g, upper);
                store_element(w, row + 1, 8 * j + lane.g, lower);
                out[j][0] = static_cast<double>(upper);
                out[j][1] = static_cast<double>(lower);
            }
            gram[0].add(out, 1, 1);
            if constexpr (weighted) {
                gram[1].add(out, row < w.n_rows ? 1 / static_cast<double>(scale(row, T{1})) : 0,
                            row + 1 < w.n_rows ? 1 / static_cast<double>(scale(row + 1, T{1})) : 0);
            }
        }
    }
    add_up_grams<residual_threads<tiles>>(gram, small.k, scratch, small.gram, small.weighted);
}

/// W' D W alone, for panels so wide that there is no room for it beside W' W.
template <class T, int tiles, class Scale>
__global__ void __launch_bounds__(residual_threads<tiles>, 1)
    weighted_kernel(DeviceMatrix<T> w, BlockCgMatrices small, Scale scale, const CgState* state,
                    ReductionScratch scratch) {
    begin_kernel();
    if (state->reason != StopReason::running) return;
    constexpr int n_warps = residual_threads<tiles> / 32;
    const Lane lane;
    GramTiles<tiles> gram[1];
    const Size warp = Size{blockIdx.x} * n_warps + threadIdx.x / 32;
    for (Size first = warp * 8; first < w.n_rows; first += Size{gridDim.x} * n_warps * 8) {
        const Size row = first + 2 * lane.t;
        double out[tiles][2];
#pragma unroll
        for (int j = 0; j < tiles; ++j) {
            out[j][0] = static_cast<double>(load_element<T>(w, row, 8 * j + lane.g));
            out[j][1] = static_cast<double>(load_element<T>(w, row + 1, 8 * j + lane.g));
        }
        gram[0].add(out, row < w.n_rows ? 1 / static_cast<double>(scale(row, T{1})) : 0,
                    row + 1 < w.n_rows ? 1 / static_cast<double>(scale(row + 1, T{1})) : 0);
    }
    add_up_grams<residual_threads<tiles>>(gram, small.k, scratch, small.weighted);
}

constexpr int direction_threads = 256;

/// X += S step, S = s W z + S zeta'.
template <class T, int tiles, bool pairs, class Scale>
__global__ void __launch_bounds__(direction_threads)
    direction_kernel(DeviceMatrix<const T> w, DeviceMatrix<T> s, DeviceMatrix<T> x, BlockCgMatrices small, Scale scale,
                     const CgState* state) {
    extern __shared__ double shared[];
    begin_kernel();
    if (state->reason != StopReason::running) return;
    constexpr int ahead = groups_ahead<tiles>;
    constexpr int n_warps = direction_threads / 32;
    const SharedFactor<tiles> step{shared};
    const SharedFactor<tiles> z{shared + SharedFactor<tiles>::size};
    const SharedFactor<tiles> zeta{shared + 2 * SharedFactor<tiles>::size};
    step.load(small.step, small.k, false, 1);
    z.load(small.z, small.k, false, 1);
    zeta.load(small.zeta, small.k, true, 1);
    __syncthreads();

    const Lane lane;
    const Size warp = Size{blockIdx.x} * n_warps + threadIdx.x / 32;
    const Size stride = Size{gridDim.x} * n_warps * 8 * ahead;
    for (Size first = warp * 8 * ahead; first < w.n_rows; first += stride) {
        Pair<T> w_row[ahead][tiles], s_row[ahead][tiles];
        T x_upper[ahead][tiles], x_lower[ahead][tiles];
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            const Size row = first + 8 * u + lane.g;
            const Size x_row = first + 8 * u + 2 * lane.t;
#pragma unroll
            for (int i = 0; i < tiles; ++i) {
                w_row[u][i] = load_row_pair<pairs, T>(w, row, 8 * i + 2 * lane.t);
                s_row[u][i] = load_row_pair<pairs, T>(s, row, 8 * i + 2 * lane.t);
                x_upper[u][i] = load_element<T>(x, x_row, 8 * i + lane.g);
                x_lower[u][i] = load_element<T>(x, x_row + 1, 8 * i + lane.g);
            }
        }
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            if constexpr (!Scale::is_identity) {
                const Size row = first + 8 * u + lane.g;
                const T factor = row < w.n_rows ? static_cast<T>(sqrt(scale(row, T{1}))) : T{0};
#pragma unroll
                for (int i = 0; i < tiles; ++i) {
                    w_row[u][i].first *= factor;
                    w_row[u][i].second *= factor;
                }
            }
            const Size row = first + 8 * u + 2 * lane.t;
#pragma unroll
            for (int j = 0; j < tiles; ++j) {
                const int col = 8 * j + lane.g;
                double x_sums[2] = {static_cast<double>(x_upper[u][j]), static_cast<double>(x_lower[u][j])};
                double of_w[2] = {0, 0}, of_s[2] = {0, 0};
#pragma unroll
                for (int i = 0; i < tiles; ++i) {
                    step.multiply(x_sums, j, i, s_row[u][i]);
                    z.multiply(of_w, j, i, w_row[u][i]);
                    zeta.multiply(of_s, j, i, s_row[u][i]);
                }
                store_element(x, row, col, static_cast<T>(x_sums[0]));
                store_element(x, row + 1, col, static_cast<T>(x_sums[1]));
                store_element(s, row, col, static_cast<T>(of_w[0] + of_s[0]));
                store_element(s, row + 1, col, static_cast<T>(of_w[1] + of_s[1]));
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

template <class Kernel>
void allow_shared(Kernel kernel, int bytes) {
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
               "asking for shared memory of block CG");
}

template <int tiles, class T, class Scale>
void launch_residual(Cuda& backend, DeviceMatrix<const T> as, DeviceMatrix<T> w, const BlockCgMatrices& small,
                     Scale scale, const CgState* state) {
    constexpr int threads = residual_threads<tiles>;
    constexpr int bytes = 2 * SharedFactor<tiles>::size * static_cast<int>(sizeof(double));
    constexpr Size most =
        ReductionScratch::size / ((Scale::is_identity || tiles > 4 ? 1 : 2) * GramTiles<tiles>::elements);
    const int blocks =
        blocks_for(w.n_rows, threads / 4 * groups_ahead<tiles>, std::min<Size>(most, backend.device().multiprocessors));
    with_pairs(in_pairs(w) && in_pairs(as), [&](auto pairs) {
        const auto kernel = residual_kernel<T, tiles, pairs, Scale>;
        allow_shared(kernel, bytes);
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
    with_pairs(in_pairs(w) && in_pairs(s), [&](auto pairs) {
        const auto kernel = direction_kernel<T, tiles, pairs, Scale>;
        allow_shared(kernel, bytes);
        int on_multiprocessor = 0;
        check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_multiprocessor, kernel, direction_threads,
                                                                 static_cast<std::size_t>(bytes)),
                   "asking for the occupancy of block_cg_direction");
        const int blocks = blocks_for(w.n_rows, direction_threads / 4 * groups_ahead<tiles>,
                                      Size{backend.device().multiprocessors} * on_multiprocessor);
        launch_shared(backend, kernel, blocks, direction_threads, bytes, "launching block_cg_direction", w, s, x, small,
                      scale, state);
    });
}

}  // namespace

}  // namespace cuda

template <class T>
void block_cg_step(Cuda& backend, const BlockCgMatrices& small, CgState* state) {
    const int bytes = cuda::SharedMatrices::bytes(small.k);
    cuda::allow_shared(cuda::step_kernel, bytes);
    launch_shared(backend, cuda::step_kernel, 1, cuda::small_threads, bytes, "launching block_cg_step", small,
                  static_cast<double>(std::numeric_limits<T>::epsilon()), state, backend.loop());
}

template <class T>
void block_cg_basis(Cuda& backend, const BlockCgMatrices& small, bool start, CgState* state) {
    const int bytes = cuda::SharedMatrices::bytes(small.k);
    cuda::allow_shared(cuda::basis_kernel, bytes);
    launch_shared(backend, cuda::basis_kernel, 1, cuda::small_threads, bytes, "launching block_cg_basis", small,
                  static_cast<double>(std::numeric_limits<T>::epsilon()), start, state, backend.loop());
}

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

template void block_cg_step<double>(Cuda&, const BlockCgMatrices&, CgState*);
template void block_cg_step<float>(Cuda&, const BlockCgMatrices&, CgState*);
template void block_cg_basis<double>(Cuda&, const BlockCgMatrices&, bool, CgState*);
template void block_cg_basis<float>(Cuda&, const BlockCgMatrices&, bool, CgState*);
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
