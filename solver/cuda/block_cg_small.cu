#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/loop.hpp"
#include "stiefel/dense/cuda/ptx.cuh"
#include "stiefel/dense/small/block_team.cuh"
#include "stiefel/solver/block_cg_decide.hpp"
#include "stiefel/solver/block_cg_kernels.hpp"

#include <limits>
#include <utility>

namespace stiefel {

namespace cuda {

namespace {

constexpr int most_threads = 1024;

/// An element of a k x k matrix for each thread, as far as a block has threads.
int threads_for(Index k) {
    return k <= 8 ? 64 : k <= 16 ? 256 : k <= 32 ? 512 : most_threads;
}

/// The small matrices and the state in shared memory, where the steps of a factorisation, each waiting for the one
/// before, take a tenth of the time. All that a kernel reads is brought at once: none waits for another.
class SharedMatrices {
public:
    static constexpr int n_matrices = 6;  ///< that a kernel may have here: 64 x 64 they just fit

    static int bytes(Index k) {
        return (n_matrices * k * k + k) * static_cast<int>(sizeof(double)) +
               k * static_cast<int>(sizeof(BlockCgColumn)) + static_cast<int>(sizeof(CgState) + sizeof(Index));
    }

    __device__ SharedMatrices(const BlockCgMatrices& global, CgState* global_state, double* shared)
        : global_(global), matrices_(global), global_state_(global_state) {
        const Index k = global.k;
        next_ = shared;
        matrices_.rest = shared + n_matrices * k * k;
        matrices_.columns = reinterpret_cast<BlockCgColumn*>(matrices_.rest + k);
        state_ = reinterpret_cast<CgState*>(matrices_.columns + k);
        matrices_.n_directions = reinterpret_cast<Index*>(state_ + 1);
        copy_words(matrices_.columns, global.columns, k);
        copy_words(state_, global_state, 1);
    }

    using Which = double* BlockCgMatrices::*;

    /// A matrix that the kernel only writes, one that it reads, and one that is read before what has its place here is
    /// written.
    __device__ void make(Which which) {
        matrices_.*which = next_;
        next_ += global_.k * global_.k;
    }
    __device__ void bring(Which which) {
        make(which);
        copy_words(matrices_.*which, global_.*which, global_.k * global_.k);
    }
    __device__ void bring_to_place_of(Which other, Which which) {
        matrices_.*which = matrices_.*other;
        copy_words(matrices_.*which, global_.*which, global_.k * global_.k);
    }

    /// Waits for what was brought.
    __device__ void arrive() const {
        if (threadIdx.x == 0) *matrices_.n_directions = *global_.n_directions;
        wait_copies<0>();
        __syncthreads();
    }

    __device__ const BlockCgMatrices& matrices() const { return matrices_; }
    __device__ CgState* state() const { return state_; }

    __device__ void write(Which which) const { write(global_.*which, matrices_.*which, global_.k * global_.k); }
    __device__ void write_columns() const {
        write(global_.columns, matrices_.columns, global_.k);
        if (threadIdx.x == 0) *global_.n_directions = *matrices_.n_directions;
    }
    __device__ void write_state() const {
        if (threadIdx.x == 0) *global_state_ = *state_;
    }

private:
    template <class Element>
    __device__ static void copy_words(Element* to, const Element* from, Index n) {
        static_assert(sizeof(Element) % 8 == 0);
        auto* const to_word = reinterpret_cast<double*>(to);
        const auto* const from_word = reinterpret_cast<const double*>(from);
        const Index n_words = n * static_cast<Index>(sizeof(Element) / 8);
        for (Index i = static_cast<Index>(threadIdx.x); i < n_words; i += static_cast<Index>(blockDim.x)) {
            copy_word_async(to_word + i, from_word + i);
        }
        commit_copies();
    }
    template <class Element>
    __device__ static void write(Element* to, const Element* from, Index n) {
        for (Index i = static_cast<Index>(threadIdx.x); i < n; i += static_cast<Index>(blockDim.x)) to[i] = from[i];
    }

    const BlockCgMatrices& global_;
    BlockCgMatrices matrices_;
    CgState* global_state_;
    CgState* state_;
    double* next_;
};

__global__ void __launch_bounds__(most_threads)
    step_kernel(BlockCgMatrices small, double eps, CgState* state, CudaLoop loop) {
    extern __shared__ double shared[];
    begin_kernel();
    SharedMatrices near(small, state, shared);
    near.bring(&BlockCgMatrices::curvature);
    near.bring(&BlockCgMatrices::sigma);
    near.make(&BlockCgMatrices::product);
    near.make(&BlockCgMatrices::factor);
    near.make(&BlockCgMatrices::xi);
    near.make(&BlockCgMatrices::step);
    near.arrive();
    if (near.state()->reason != StopReason::running) return;
    block_cg_solve_step(BlockTeam{}, near.matrices(), eps, near.state());
    near.write(&BlockCgMatrices::xi);
    near.write(&BlockCgMatrices::step);
    if (near.state()->reason == StopReason::running) return;
    near.write_state();
    if (threadIdx.x == 0) loop_continue(loop, near.state()->iteration, false);
}

__global__ void __launch_bounds__(most_threads)
    basis_kernel(BlockCgMatrices small, double eps, bool start, CgState* state, CudaLoop loop) {
    extern __shared__ double shared[];
    begin_kernel();
    SharedMatrices near(small, state, shared);
    near.bring(&BlockCgMatrices::gram);
    near.bring(&BlockCgMatrices::sigma);
    near.make(&BlockCgMatrices::product);
    near.make(&BlockCgMatrices::factor);
    near.make(&BlockCgMatrices::zeta);
    near.make(&BlockCgMatrices::z);
    near.bring_to_place_of(&BlockCgMatrices::zeta, &BlockCgMatrices::weighted);
    near.arrive();
    if (near.state()->reason != StopReason::running) return;
    block_cg_orthonormalise(BlockTeam{}, near.matrices(), eps, start, near.state());
    near.write(&BlockCgMatrices::sigma);
    near.write(&BlockCgMatrices::zeta);
    near.write(&BlockCgMatrices::z);
    near.write_columns();
    if (threadIdx.x != 0) return;
    CgState& now = *near.state();
    if (start) {
        if (now.reason != StopReason::running) near.write_state();
        return;
    }
    loop_report(loop, now.iteration, now.residual2);
    cg_end_asked(now, loop_end_asked(loop));
    near.write_state();
    loop_continue(loop, now.iteration, now.reason == StopReason::running);
}

/// One block of as many threads as the matrices deserve.
template <class... Parameters, class... Arguments>
void launch_small(Cuda& backend, void (*kernel)(BlockCgMatrices, Parameters...), const BlockCgMatrices& small,
                  const char* doing, Arguments&&... arguments) {
    const int bytes = SharedMatrices::bytes(small.k);
    allow_shared(backend, kernel, bytes, doing);
    launch_shared(backend, kernel, 1, threads_for(small.k), bytes, doing, small, std::forward<Arguments>(arguments)...);
}

}  // namespace

}  // namespace cuda

template <class T>
void block_cg_step(Cuda& backend, const BlockCgMatrices& small, CgState* state) {
    cuda::launch_small(backend, cuda::step_kernel, small, "launching block_cg_step",
                       static_cast<double>(std::numeric_limits<T>::epsilon()), state, backend.loop());
}

template <class T>
void block_cg_basis(Cuda& backend, const BlockCgMatrices& small, bool start, CgState* state) {
    cuda::launch_small(backend, cuda::basis_kernel, small, "launching block_cg_basis",
                       static_cast<double>(std::numeric_limits<T>::epsilon()), start, state, backend.loop());
}

template void block_cg_step<double>(Cuda&, const BlockCgMatrices&, CgState*);
template void block_cg_step<float>(Cuda&, const BlockCgMatrices&, CgState*);
template void block_cg_basis<double>(Cuda&, const BlockCgMatrices&, bool, CgState*);
template void block_cg_basis<float>(Cuda&, const BlockCgMatrices&, bool, CgState*);

}  // namespace stiefel
