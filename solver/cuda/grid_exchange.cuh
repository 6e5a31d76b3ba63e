#pragma once

#include "stiefel/core/cuda/letter.cuh"
#include "stiefel/core/cuda/reduce.cuh"

namespace stiefel {

/// Blocks of a grid that runs at once, at most: what one warp can listen to with a few loads a lane.
inline constexpr int max_exchange_blocks = 5 * warp_size;

/// Sums over a grid whose blocks all run at the same time, in one round trip through the second-level cache. Every
/// block posts a letter with its sum to a box of its own, and one warp of every block waits for the letters of all and
/// adds them in the order of the blocks: the same bits in every block, in every run.
///
/// Letters are sealed with the round. Boxes alternate between two sets, so that a block may post the next round while
/// others still read this one.
struct GridExchange {
    static constexpr int max_sums = 2;
    static constexpr unsigned urgent = 1u << 31;  ///< set in the rounds of block 0's letters: all are to know

    Letter* boxes;  ///< 2 * max_sums * max_exchange_blocks, zero at the start

    static constexpr Size n_boxes = Size{2} * max_sums * max_exchange_blocks;

    /// Sums over the grid of what each block's threads bring; called by all threads, `round` counting 1, 2, 3, ...
    /// Thread 0 calls finish(sums, is_urgent) with the results before any thread returns. With publish, what the
    /// threads wrote to memory before the call can be read by all blocks after it; without, only what is sealed itself
    /// (posted_elements.cuh).
    template <bool publish, int n, class Finish>
    __device__ void sum(double (&sums)[n], unsigned round, bool is_urgent, Finish&& finish) const {
        __shared__ double of_warp[n][warp_size];
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        const int warp = static_cast<int>(threadIdx.x) / warp_size;
        const int n_warps = static_cast<int>(blockDim.x) / warp_size;
#pragma unroll
        for (int k = 0; k < n; ++k) {
            sums[k] = lanes_sum(sums[k]);
            if (lane == 0) of_warp[k][warp] = sums[k];
        }
        __syncthreads();
        if (warp == 0) {
#pragma unroll
            for (int k = 0; k < n; ++k) sums[k] = sum_of_warps(of_warp[k], n_warps);
            if (gridDim.x > 1) {
                Letter* const set = boxes + (round % 2) * max_sums * max_exchange_blocks;
                if (lane == 0) {
                    if constexpr (publish) order_accesses();
                    const unsigned seal = round | (is_urgent ? urgent : 0u);
                    for (int k = 0; k < n; ++k) {
                        post(set + k * max_exchange_blocks + blockIdx.x, Letter::sealed(sums[k], seal));
                    }
                }
#pragma unroll
                for (int k = 0; k < n; ++k) sums[k] = collect(set + k * max_exchange_blocks, round, is_urgent);
                if constexpr (publish) order_accesses();
            }
            if (lane == 0) finish(sums, is_urgent);
        }
        __syncthreads();
    }

private:
    /// What came before is seen by others before what comes after; cheaper than __threadfence(), which orders the
    /// accesses of all threads in one sequence.
    __device__ static void order_accesses() {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }

    /// The warps' sums added up by the first lanes, in lane 0.
    __device__ static double sum_of_warps(const double (&of_warp)[warp_size], int n_warps) {
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        double sum = lane < n_warps ? of_warp[lane] : 0.0;
        for (int step = n_warps / 2; step > 0; step /= 2) sum += __shfl_down_sync(all_lanes, sum, step);
        return sum;
    }

    /// Waits for a letter from every block; the sum in all lanes of the warp.
    __device__ static double collect(const Letter* set, unsigned round, bool& is_urgent) {
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        constexpr int per_lane = max_exchange_blocks / warp_size;
        Letter letter[per_lane];
        bool waiting = true;
        while (__any_sync(all_lanes, waiting)) {
            waiting = false;
#pragma unroll
            for (int i = 0; i < per_lane; ++i) {
                if (lane + i * warp_size < static_cast<int>(gridDim.x)) {
                    letter[i] = look_into(set + lane + i * warp_size);
                }
            }
#pragma unroll
            for (int i = 0; i < per_lane; ++i) {
                if (lane + i * warp_size < static_cast<int>(gridDim.x)) {
                    waiting |= (letter[i].low_seal() & ~urgent) != round || (letter[i].high_seal() & ~urgent) != round;
                }
            }
        }
        double sum = 0;
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
            if (lane + i * warp_size < static_cast<int>(gridDim.x)) {
                sum += letter[i].value();
            }
        }
        is_urgent = (__shfl_sync(all_lanes, letter[0].low_seal(), 0) & urgent) != 0;
        return lanes_sum(sum);
    }
};

}  // namespace stiefel
