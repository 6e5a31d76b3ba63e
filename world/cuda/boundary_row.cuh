#pragma once

#include "stiefel/core/cuda/device_world.cuh"
#include "stiefel/core/cuda/nanoseconds.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/world/cuda/boundary_kernels.hpp"

#include <algorithm>
#include <type_traits>

// What kernels do with boundary rows, whose letters they read. What does not change is read before the kernels ahead
// have ended, and sets off what does at once.

namespace stiefel::cuda {

/// The number-th of those that go to a neighbour whose memory is reached.
template <class T>
__device__ inline void send_letter(const Addresses& to, int neighbour, Size number, T value, unsigned round) {
    post_afar(reinterpret_cast<Letter*>(to.box[neighbour]) + round % 2 * to.of_round[neighbour] + to.place[neighbour] +
                  number,
              Letter::sealed(static_cast<double>(value), round));
}

/// Whose the i-th of the sent rows is.
__device__ inline int receiver(const Addresses& to, Size i) {
    int neighbour = 0;
    while (i >= to.first[neighbour + 1]) ++neighbour;
    return neighbour;
}

/// Where the letters of a round are.
template <class T, class Offset>
__device__ inline const Letter* letters_of_round(const Boundary<T, Offset>& boundary, unsigned round) {
    return reinterpret_cast<const Letter*>(boundary.box) + round % 2 * boundary.of_round;
}

/// What a lane has of a boundary row that several share: every lanes-th entry, with the first of them.
template <class T, int lanes>
struct BoundaryRow {
    Index row = 0;
    Size begin = 0, end = 0;
    Index ghost = 0;
    T value = 0;
    unsigned long long waited = 0;  ///< for the first letter, ns

    template <class Offset>
    __device__ BoundaryRow(const Boundary<T, Offset>& boundary, Size i, int lane) {
        if (i >= boundary.n) return;
        row = boundary.rows[i];
        begin = boundary.row_ptr[i] + lane;
        end = boundary.row_ptr[i + 1];
        if (begin >= end) return;
        ghost = boundary.ghosts[begin];
        value = boundary.values[begin];
    }

    /// With what the letters of a column bring, those of a ghost being k apart from those of the next. All lanes of the
    /// warp call it at once, and all of the row get it.
    template <class Offset>
    __device__ T product(const Boundary<T, Offset>& boundary, const Letter* letters_of_column, Size k, unsigned round) {
        T sum = begin < end ? value * static_cast<T>(await_first(letters_of_column + ghost * k, round)) : T{0};
        // As a rule all letters are here: several are looked for at once.
        constexpr int batch = 4;
        for (Size entry = begin + lanes; entry < end; entry += batch * lanes) {
            const Letter* at[batch];
            Letter letters[batch];
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                at[u] = letters_of_column + boundary.ghosts[min(entry + u * lanes, end - 1)] * k;
            }
#pragma unroll
            for (int u = 0; u < batch; ++u) letters[u] = look_afar(at[u]);
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (entry + u * lanes >= end) continue;
                sum += boundary.values[entry + u * lanes] * static_cast<T>(await_afar(at[u], round, letters[u]));
            }
        }
        return lanes == 1 ? sum : lanes_sum<lanes>(sum);
    }

private:
    __device__ double await_first(const Letter* box, unsigned round) {
        const Letter letter = look_afar(box);
        if (letter.has_seal(round)) return letter.value();
        const unsigned long long begun = nanoseconds();
        const double number = await_afar(box, round, letter);
        waited += nanoseconds() - begun;
        return number;
    }
};

/// Tells the world what the first threads of all blocks have waited, in the mean.
__device__ inline void tell_wait(DeviceWorld* world, unsigned long long waited) {
    if (threadIdx.x == 0 && waited > 0) atomicAdd(&world->waited_for_halos, waited / gridDim.x);
}

/// Elements of boundary rows dealt out to groups of lanes; warps stay together.
template <int lanes>
struct BoundaryPart {
    Size first, step;
    int lane;

    __device__ BoundaryPart()
        : first((Size{blockIdx.x} * blockDim.x + threadIdx.x) / lanes),
          step(Size{gridDim.x} * blockDim.x / lanes),
          lane(static_cast<int>(threadIdx.x) % lanes) {}

    __device__ bool goes_on(Size e, Size n) const { return lanes == 1 ? e < n : __any_sync(all_lanes, e < n) != 0; }
};

/// f(lanes) for as many lanes a row as its entries keep busy: of a grid's plane each row has one, of bricks 9, of their
/// displacements 27.
template <class T, class Offset, class F>
void with_lanes(const Boundary<T, Offset>& boundary, F&& f) {
    const Size mean = boundary.nnz / std::max<Size>(boundary.n, 1);
    if (mean < 4) {
        f(std::integral_constant<int, 1>());
    } else if (mean < 12) {
        f(std::integral_constant<int, 4>());
    } else {
        f(std::integral_constant<int, 8>());
    }
}

}  // namespace stiefel::cuda
