#pragma once

#include "stiefel/solver/cuda/grid_exchange.cuh"

namespace stiefel {

/// GridExchange over the grids of several GPUs that run at once, and end after the same sum. The first block of each
/// has the sums of its grid and posts them to all GPUs, its own among them; every block waits for the letters of all
/// GPUs in the memory of its own, and adds them in the order of ranks: the same bits in every block of every GPU.
struct WorldExchange {
    GridExchange grid;
    DeviceWorld* world;

    // As the kernel goes on; the same in all threads.
    int size;
    unsigned turn;              ///< of the last exchange over all
    unsigned long long waited;  ///< in them, ns: of the first thread
    Letter *to, *from;          ///< between this GPU and that of the thread's lane

    __device__ WorldExchange(const GridExchange& of_grid, DeviceWorld* among)
        : grid(of_grid),
          world(among),
          size(among->size),
          turn(among->round),
          waited(0),
          to(among->to[threadIdx.x % DeviceWorld::most_ranks]),
          from(among->from[threadIdx.x % DeviceWorld::most_ranks]) {}

    /// Over all blocks of all GPUs, as GridExchange::sum(); is_urgent where any of them says so.
    template <bool publish, int n, class Finish>
    __device__ void sum(double (&sums)[n], unsigned round, bool is_urgent, Finish&& finish) {
        const unsigned now = ++turn;
        grid.sum_beyond<publish>(
            sums, round, is_urgent, finish, [](int, int) {},
            [&](int k, bool& some_is_urgent, auto&& of_grid) { return over_world(k, now, some_is_urgent, of_grid); });
    }
    /// Until all blocks of this GPU have come here; they can read what the others have written before.
    __device__ void meet_on_device(unsigned round) const {
        double none[1] = {};
        grid.sum<true>(none, round, false, [](const double(&)[1], bool) {});
    }

    /// By the first thread of the first block, after the last sum: others may exchange sums from here on.
    __device__ void end() const {
        world->round = turn;
        world->waited_in_sums += waited;
    }

private:
    // Seals say in their highest bit whether it is urgent, and the number of the exchange in the others.
    static constexpr unsigned urgent = GridExchange::urgent;

    /// ns. All blocks look into the same boxes, and their looks are in the way of what the first one hears from its
    /// grid and of what comes from other GPUs (two H200, us an iteration without, with 100 and 300: 7-point
    /// 127^3 26.8, 23.6, 23.8; 160^3 56.9, 53.7, 53.9).
    static constexpr unsigned between_looks = 100;

    template <class OfGrid>
    __device__ double over_world(int k, unsigned now, bool& is_urgent, OfGrid&& of_grid) {
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        const bool has_peer = lane < size;
        const unsigned seal = now & ~urgent;
        unsigned long long begin = 0;
        if (blockIdx.x == 0) {
            const double own = __shfl_sync(all_lanes, of_grid(), 0);  // of a grid of one block the first lane has it
            if (threadIdx.x == 0) begin = nanoseconds();
            const bool own_is_urgent = __shfl_sync(all_lanes, is_urgent, 0);
            if (has_peer)
                post_afar(DeviceWorld::place(to, now, k), Letter::sealed(own, own_is_urgent ? seal | urgent : seal));
        }
        const Letter* const box = DeviceWorld::place(from, now, k);
        Letter letter{};
        if (has_peer) {
            for (bool again = false;; again = true) {
                if (again && blockIdx.x != 0) __nanosleep(between_looks);
                letter = look_afar(box);
                if ((letter.low_seal() & ~urgent) == seal && (letter.high_seal() & ~urgent) == seal) break;
            }
        }
        is_urgent = __any_sync(all_lanes, has_peer && (letter.low_seal() & urgent) != 0);
        const double theirs = letter.value();
        double sum = 0;
        for (int rank = 0; rank < size; ++rank) sum += __shfl_sync(all_lanes, theirs, rank);
        if (blockIdx.x == 0 && threadIdx.x == 0) waited += nanoseconds() - begin;
        return sum;
    }
};

}  // namespace stiefel
