#pragma once

#include "stiefel/solver/cuda/streamed.hpp"
#include "stiefel/solver/cuda/world_exchange.cuh"
#include "stiefel/spmv/cuda/compressed_sell.cuh"
#include "stiefel/world/boundary_slices.hpp"
#include "stiefel/world/cuda/boundary_row.cuh"

// What the streamed loop of CG says to other GPUs, and hears from them.

namespace stiefel::cuda {

/// A GPU by itself.
struct NoOthers {
    static constexpr bool are_there = false;
};

/// What this GPU's rows have to do with those of others: letters of the elements that they need, BoundarySlices for
/// what they send.
template <class T>
struct OtherGpus {
    static constexpr bool are_there = true;

    LetterWays ways;
    const Index* slice;
    const Index* first_outer;
    const Index* outer;
    const Index* first_group;
    const Index* ghost;
    const T* values;
};

/// What columns of others have in a slice.
struct BoundaryGroups {
    Index begin = 0, end = 0;
};

/// What a thread of the loop knows of its block's slices, and of others.
template <class T, class Others>
struct StreamedTalk {
    const GridExchange& exchange;
    Index n_slices = 0;  ///< of the block

    /// By all threads; slice_of is memory for the numbers of the block's slices.
    __device__ StreamedTalk(const Others&, const GridExchange& of_grid, Index n_slices_of_all, const StreamedRoom& room,
                            Index*)
        : exchange(of_grid),
          first_(static_cast<Index>(blockIdx.x) * room.slices_of_run),
          to_next_run_((static_cast<Index>(gridDim.x) - 1) * room.slices_of_run),
          over_run_(room.over_run) {
        for (Index place = 0; place < room.slices_of_block; place += room.slices_of_run) {
            n_slices += max(0, min(room.slices_of_run, n_slices_of_all - slice(place)));
        }
    }

    /// The number over all blocks of one of the block's slices; ascending.
    __device__ Index slice(Index place) const {
        const auto run = static_cast<Index>(__umulhi(static_cast<unsigned>(place), over_run_));
        return first_ + place + run * to_next_run_;
    }
    __device__ void send(const T*) const {}
    __device__ BoundaryGroups groups(Index) const { return {}; }
    __device__ void meet_on_device(unsigned round) const {
        double none[1] = {};
        exchange.sum<true>(none, round, false, [](const double(&)[1], bool) {});
    }
    __device__ void tell_waits() const {}
    __device__ void end() const {}

private:
    Index first_, to_next_run_;
    unsigned over_run_;
};

template <class T>
struct StreamedTalk<T, OtherGpus<T>> {
    const OtherGpus<T>& others;
    WorldExchange exchange;
    Index n_slices = 0;

    __device__ StreamedTalk(const OtherGpus<T>& of, const GridExchange& of_grid, Index, const StreamedRoom& room,
                            Index* slice_of)
        : others(of),
          exchange(of_grid, of.ways.world),
          slice_of_(slice_of),
          first_outer_(of.first_outer[blockIdx.x]),
          outer_(of.outer[blockIdx.x]),
          n_outer_(of.outer[blockIdx.x + 1] - outer_),
          product_(*of.ways.round),
          row_sent_(letter() < n_letters() ? of.ways.sent[letter()] : 0) {
        const Index of_block = room.slices_of_block;
        const Index* const slices = of.slice + Size{blockIdx.x} * of_block;
        for (auto i = static_cast<Index>(threadIdx.x); i < of_block; i += static_cast<Index>(blockDim.x)) {
            slice_of[i] = slices[i];
        }
        while (n_slices < of_block && slices[n_slices] >= 0) ++n_slices;
        __syncthreads();
    }

    __device__ Index slice(Index place) const { return slice_of_[place]; }

    /// The elements of p that others need, as letters of the next product; each warp of the grid its part.
    __device__ void send(const T* p) {
        ++product_;
        const LetterWays& ways = others.ways;
        for (Size i = letter(); i < n_letters(); i += Size{gridDim.x} * blockDim.x) {
            const Index row = i == letter() ? row_sent_ : ways.sent[i];
            const int neighbour = receiver(ways.to, i);
            send_letter(ways.to, neighbour, i - ways.to.first[neighbour], p[row], product_);
        }
    }

    /// Of a slice of the block.
    __device__ BoundaryGroups groups(Index place) const {
        const Index k = place - first_outer_;
        if (k < 0 || k >= n_outer_) return {};
        return {others.first_group[outer_ + k], others.first_group[outer_ + k + 1]};
    }

    /// What they add to the rows of that slice, by its warp, a lane a row; so many groups are looked at together.
    template <int batch>
    __device__ T boundary_product(const BoundaryGroups& groups) {
        const Index lane = static_cast<Index>(threadIdx.x) % warp_size;
        const Letter* const box =
            reinterpret_cast<const Letter*>(others.ways.box) + product_ % 2 * others.ways.of_round;
        T sum = 0;
        for (Index group = groups.begin; group < groups.end; group += batch) {
            Index ghost[batch];
            T value[batch];
            Letter letter[batch];
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                const Size at = Size{min(group + u, groups.end - 1)} * warp_size + lane;
                ghost[u] = group + u < groups.end ? others.ghost[at] : -1;
                value[u] = others.values[at];
            }
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (ghost[u] >= 0) letter[u] = look_afar(box + ghost[u]);
            }
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (ghost[u] >= 0) sum += value[u] * static_cast<T>(awaited(box + ghost[u], letter[u]));
            }
        }
        return sum;
    }

    __device__ void meet_on_device(unsigned round) const {
        exchange.meet_on_device(round);
    }

    /// By all threads, once: what those that are the first of their blocks have waited for letters.
    __device__ void tell_waits() const {
        tell_wait(others.ways.world, waited_);
    }

    /// By the first thread of the first block, after the last sum.
    __device__ void end() const {
        *others.ways.round = product_;
        exchange.end();
    }

private:
    /// The first that this thread sends: a warp sends letters side by side, and all blocks some.
    __device__ static Size letter() {
        const Size warp = threadIdx.x / warp_size * Size{gridDim.x} + blockIdx.x;
        return warp * warp_size + threadIdx.x % warp_size;
    }
    __device__ Size n_letters() const {
        return others.ways.to.first[others.ways.to.n];
    }

    __device__ double awaited(const Letter* box, const Letter& letter) {
        if (letter.has_seal(product_)) return letter.value();
        const unsigned long long begun = nanoseconds();
        const double number = await_afar(box, product_, letter);
        waited_ += nanoseconds() - begun;
        return number;
    }

    const Index* slice_of_;
    Index first_outer_, outer_, n_outer_;  // of the block
    unsigned product_;                     // of the letters, the last
    Index row_sent_;                       // by this thread first
    unsigned long long waited_ = 0;        // for letters, ns
};

}  // namespace stiefel::cuda
