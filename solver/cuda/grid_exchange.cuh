#pragma once

#include "stiefel/core/cuda/letter.cuh"
#include "stiefel/core/cuda/reduce.cuh"

namespace stiefel {

/// Blocks of a grid that runs at once, at most: what one warp can listen to with a few loads a lane.
inline constexpr int max_exchange_blocks = 5 * warp_size;

/// Sums over a grid whose blocks all run at the same time, in one round trip through the second-level cache. Every
/// block posts a letter with each of its sums to a box of its own, and for each a warp of every block waits for the
/// letters of all and adds them in the order of the blocks: the same bits in every block, in every run.
///
/// Letters are sealed with the round. Boxes alternate between two sets, so that a block may post the next round while
/// others still read this one.
struct GridExchange {
    static constexpr int max_sums = 5;
    static constexpr unsigned urgent = 1u << 31;  ///< set in the rounds of block 0's letters: all are to know

    Letter* boxes;  ///< 2 * max_sums * max_exchange_blocks, zero at the start

    static constexpr Size n_boxes = Size{2} * max_sums * max_exchange_blocks;

    /// Sums over the grid of what each block's threads bring; called by all threads, at least a warp for each sum,
    /// `round` counting 1, 2, 3, ... Before any thread returns, the first one calls finish(sums, is_urgent) with the
    /// results, and where there are several sums the first of the second warp calls finish(sums, ...) as well, at the
    /// same time. With publish, what the threads wrote to memory before the call can be read by all blocks after it;
    /// without, only what is sealed itself (posted_elements.cuh). Warps that have no sum to wait for call
    /// meanwhile(thread, n) first, the thread-th of n threads.
    template <bool publish, int n, class Finish, class Meanwhile>
    __device__ void sum(double (&sums)[n], unsigned round, bool is_urgent, Finish&& finish,
                        Meanwhile&& meanwhile) const {
        sum_beyond<publish>(sums, round, is_urgent, finish, meanwhile,
                            [](int, bool&, auto&& of_grid) { return of_grid(); });
    }
    template <bool publish, int n, class Finish>
    __device__ void sum(double (&sums)[n], unsigned round, bool is_urgent, Finish&& finish) const {
        sum<publish>(sums, round, is_urgent, finish, [](int, int) {});
    }

    /// The same of several grids: beyond(k, is_urgent, of_grid), by the k-th warp of every block, returns the k-th sum
    /// over all and says whether any of them is urgent. of_grid() waits for that of this grid, and sets is_urgent; the
    /// first block at least is to call it.
    template <bool publish, int n, class Finish, class Meanwhile, class Beyond>
    __device__ void sum_beyond(double (&sums)[n], unsigned round, bool is_urgent, Finish&& finish,
                               Meanwhile&& meanwhile, Beyond&& beyond) const {
        const double own = bring<publish>(sums, round, is_urgent);
        await<publish>(own, sums, round, is_urgent, finish, meanwhile, beyond);
    }

    /// Its first half, after which there may be other things to do while sums are on their way: posts what the block's
    /// threads bring, and returns what the second half is to be told.
    template <bool publish, int n>
    __device__ double bring(const double (&sums)[n], unsigned round, bool is_urgent) const {
        static_assert(n <= max_sums);
        __shared__ double of_warp[n][warp_size];
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        const int warp = static_cast<int>(threadIdx.x) / warp_size;
        const double of_lane = sums_by_lane(sums);
        if (lane < n) of_warp[lane][warp] = of_lane;
        __syncthreads();
        if (warp >= n) return 0;
        const double sum = sum_of_warps(of_warp[warp], static_cast<int>(blockDim.x) / warp_size);
        if (gridDim.x > 1 && lane == 0) {
            if (publish && warp == 0) order_accesses();
            post(set_of(round, warp) + blockIdx.x, Letter::sealed(sum, is_urgent ? round | urgent : round));
        }
        return sum;
    }

    /// The second: waits for all blocks.
    template <bool publish, int n, class Finish, class Meanwhile, class Beyond>
    __device__ void await(double own, double (&sums)[n], unsigned round, bool is_urgent, Finish&& finish,
                          Meanwhile&& meanwhile, Beyond&& beyond) const {
        __shared__ double of_grid[n];
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        const int warp = static_cast<int>(threadIdx.x) / warp_size;
        if (warp < n) {
            double sum = own;
            if (gridDim.x > 1) {
                sum = beyond(warp, is_urgent, [&] { return collect(set_of(round, warp), round, is_urgent); });
                if (publish && warp == 0) order_accesses();
            } else {
                sum = beyond(warp, is_urgent, [&] { return own; });
            }
            if (lane == 0) of_grid[warp] = sum;
            constexpr int told_warps = n > 1 ? 2 : 1;
            if constexpr (told_warps > 1) __barrier_sync_count(barrier_of_sums, n * warp_size);
            if (warp < told_warps && lane == 0) {
                for (int k = 0; k < n; ++k) sums[k] = of_grid[k];
                finish(sums, is_urgent);
            }
        } else {
            meanwhile(static_cast<int>(threadIdx.x) - n * warp_size, static_cast<int>(blockDim.x) - n * warp_size);
        }
        __syncthreads();
    }
    template <bool publish, int n, class Finish, class Meanwhile>
    __device__ void await(double own, double (&sums)[n], unsigned round, bool is_urgent, Finish&& finish,
                          Meanwhile&& meanwhile) const {
        await<publish>(own, sums, round, is_urgent, finish, meanwhile,
                       [](int, bool&, auto&& of_grid) { return of_grid(); });
    }

private:
    static constexpr int barrier_of_sums = 1;  // of the block's barriers, for the warps that have sums to wait for

    /// Where the blocks' letters with that sum are.
    __device__ Letter* set_of(unsigned round, int number) const {
        return boxes + (round % 2 * max_sums + number) * max_exchange_blocks;
    }

    /// What came before is seen by others before what comes after; cheaper than __threadfence(), which orders the
    /// accesses of all threads in one sequence.
    __device__ static void order_accesses() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

    /// The warp's sums, the k-th in lane k: at each step lanes of a pair go on with half of the sums each, as long as
    /// there are several.
    template <int n>
    __device__ static double sums_by_lane(const double (&sums)[n]) {
        constexpr int width = n == 1 ? 1 : n == 2 ? 2 : n <= 4 ? 4 : 8;
        static_assert(n <= width);
        double left[width] = {};
#pragma unroll
        for (int k = 0; k < n; ++k) left[k] = sums[k];
#pragma unroll
        for (int step = 1; step < width; step *= 2) {
            const bool is_upper = (threadIdx.x & step) != 0;
#pragma unroll
            for (int k = 0; k < width / (2 * step); ++k) {
                const double own = is_upper ? left[2 * k + 1] : left[2 * k];
                const double other = is_upper ? left[2 * k] : left[2 * k + 1];
                left[k] = own + __shfl_xor_sync(all_lanes, other, step);
            }
        }
#pragma unroll
        for (int step = width; step < warp_size; step *= 2) left[0] += __shfl_xor_sync(all_lanes, left[0], step);
        return left[0];
    }

    /// The warps' sums added up by the first lanes, in lane 0.
    __device__ static double sum_of_warps(const double (&of_warp)[warp_size], int n_warps) {
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        double sum = lane < n_warps ? of_warp[lane] : 0.0;
        for (int step = n_warps / 2; step > 0; step /= 2) sum += __shfl_down_sync(all_lanes, sum, step);
        return sum;
    }

    /// Waits for a letter from every block; the sum in all lanes of the warp. What is here is not looked at again: all
    /// blocks look for the letters of all, and the looks of those that wait are in the way of the letters that are on
    /// their way (with 132 blocks a quarter of an iteration of CG, H200).
    __device__ static double collect(const Letter* set, unsigned round, bool& is_urgent) {
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        constexpr int per_lane = max_exchange_blocks / warp_size;
        Letter letter[per_lane] = {};
        unsigned missing = 0;  // a bit for each of the lane's
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
            if (lane + i * warp_size < static_cast<int>(gridDim.x)) missing |= 1u << i;
        }
        while (__any_sync(all_lanes, missing != 0)) {
#pragma unroll
            for (int i = 0; i < per_lane; ++i) {
                if ((missing & 1u << i) != 0) letter[i] = look_into(set + lane + i * warp_size);
            }
#pragma unroll
            for (int i = 0; i < per_lane; ++i) {
                const bool is_here =
                    (letter[i].low_seal() & ~urgent) == round && (letter[i].high_seal() & ~urgent) == round;
                if (is_here) missing &= ~(1u << i);
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
