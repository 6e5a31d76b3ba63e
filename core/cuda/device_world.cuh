#pragma once

#include "stiefel/core/cuda/letter.cuh"
#include "stiefel/core/cuda/nanoseconds.cuh"

namespace stiefel {

/// The GPUs that hold a problem together, as the kernels of one of them see it, in its memory: made by CudaWorld
/// (world/cuda/cuda_world.hpp). Once the last block of a grid has the grid's sums, it posts them to all GPUs, waits for
/// theirs, and adds all of them in the order of ranks: the same bits in each, by which all decide alike.
///
/// Numbers go by letters, sealed with the number of the exchange, into the memory of the other GPU or, where that is
/// not reached, into memory of the host, which carries them on: kernels do not know. Two rounds of them need room: who
/// posts for round k + 2 has ended round k + 1, for which all had posted, and they had read all of round k before.
struct DeviceWorld {
    static constexpr int most_ranks = 32;  ///< lanes of a warp
    static constexpr int room = 1024;      ///< numbers of an exchange; more take several

    int rank = 0;
    int size = 1;
    unsigned round = 0;                       ///< of the last exchange
    unsigned long long waited_in_sums = 0;    ///< so far, ns: from posting until all have posted
    unsigned long long waited_for_halos = 0;  ///< so far, ns: by kernels that had nothing else left to do
    Letter* to[most_ranks] = {};    ///< where each rank finds what this one posts, two rounds one after the other
    Letter* from[most_ranks] = {};  ///< where this one finds what each posts

    /// The number-th letter of a round.
    __device__ static Letter* place(Letter* box, unsigned in_round, int number) {
        return box + in_round % 2 * room + number;
    }
};

/// What a block knows of the next exchange. Read early: it takes as long as any read of memory.
struct WorldTurn {
    DeviceWorld* world = nullptr;
    int rank = 0;
    int size = 1;
    unsigned round = 0;
    unsigned long long waited = 0;
    Letter *to = nullptr, *from = nullptr;  ///< between this rank and that of the thread's lane

    __device__ explicit WorldTurn(DeviceWorld* of) : world(of) {
        if (of == nullptr) return;
        rank = of->rank;
        size = of->size;
        round = of->round + 1;
        waited = of->waited_in_sums;
        to = of->to[threadIdx.x % DeviceWorld::most_ranks];
        from = of->from[threadIdx.x % DeviceWorld::most_ranks];
    }
};

/// Of sums that all lanes of a warp have, by that warp, lane r between this rank and rank r.
template <int n>
__device__ inline void all_sum(const WorldTurn& turn, double (&sums)[n]) {
    if (turn.world == nullptr) return;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const bool has_peer = lane < turn.size && lane != turn.rank;
    const unsigned long long begin = nanoseconds();
#pragma unroll
    for (int k = 0; k < n; ++k) {
        if (has_peer) post_afar(DeviceWorld::place(turn.to, turn.round, k), Letter::sealed(sums[k], turn.round));
    }
    // All are looked for at once: from a host each look takes a microsecond.
    Letter letters[n];
#pragma unroll
    for (int k = 0; k < n; ++k) {
        if (has_peer) letters[k] = look_afar(DeviceWorld::place(turn.from, turn.round, k));
    }
#pragma unroll
    for (int k = 0; k < n; ++k) {
        double theirs = sums[k];
        if (has_peer) theirs = await_afar(DeviceWorld::place(turn.from, turn.round, k), turn.round, letters[k]);
        __syncwarp();
        sums[k] = 0;
        for (int from = 0; from < turn.size; ++from) sums[k] += __shfl_sync(0xffffffffu, theirs, from);
    }
    if (lane != 0) return;
    turn.world->round = turn.round;
    turn.world->waited_in_sums = turn.waited + (nanoseconds() - begin);
}

/// Of n numbers in memory, number(e) the e-th, by all threads of the one block that has written them: what two(a, b)
/// makes of those of all ranks, from 0 on.
template <class Number, class Two>
__device__ inline void combine(DeviceWorld* world, int n, Number&& number, Two&& two) {
    const auto thread = static_cast<int>(threadIdx.x), n_threads = static_cast<int>(blockDim.x);
    for (int first = 0; first < n; first += DeviceWorld::room) {
        __syncthreads();
        const unsigned round = world->round + 1;
        const unsigned long long begin = nanoseconds();
        const int end = min(n - first, DeviceWorld::room);
        for (int e = thread; e < end; e += n_threads) {
            const Letter letter = Letter::sealed(number(first + e), round);
            for (int to = 0; to < world->size; ++to) post_afar(DeviceWorld::place(world->to[to], round, e), letter);
        }
        for (int e = thread; e < end; e += n_threads) {
            double all = 0;
            for (int from = 0; from < world->size; ++from) {
                all = two(all, await_afar(DeviceWorld::place(world->from[from], round, e), round));
            }
            number(first + e) = all;
        }
        __syncthreads();
        if (thread == 0) {
            world->round = round;
            world->waited_in_sums += nanoseconds() - begin;
        }
    }
}

/// Of a matrix of sums in memory, rows ld apart.
__device__ inline void all_sum(DeviceWorld* world, double* sums, int n_rows, int n_cols, Size ld) {
    if (world == nullptr) return;
    combine(
        world, n_rows * n_cols, [&](int e) -> double& { return sums[e / n_cols * ld + e % n_cols]; },
        [](double a, double b) { return a + b; });
}

/// Of n maxima in memory that are not negative; NaN if any is: their bits are ordered as they are, NaN's above all.
__device__ inline void all_max(DeviceWorld* world, double* maxima, int n) {
    if (world == nullptr) return;
    combine(
        world, n, [&](int e) -> double& { return maxima[e]; },
        [](double a, double b) {
            const auto bits = [](double x) { return static_cast<unsigned long long>(__double_as_longlong(fabs(x))); };
            return bits(a) < bits(b) ? b : a;
        });
}

}  // namespace stiefel
