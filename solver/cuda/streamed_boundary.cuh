#pragma once

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
    const Index* n_inner;
    const Index* first_group;
    const Index* place;
    const Index* ghost;
    const T* values;
};

/// What a thread of the loop knows of its block's slices, and of others.
template <class T, class Others>
struct StreamedTalk {
    const GridExchange& exchange;
    Index first_slice;
    Index n_slices;  ///< of the block,
    Index n_inner;   ///< of which the first so many have no columns of others

    /// By all threads; slice_of is memory for the numbers of the block's slices.
    __device__ StreamedTalk(const Others&, const GridExchange& of_grid, Index n_slices_of_all, Index of_block, Index*)
        : exchange(of_grid),
          first_slice(static_cast<Index>(blockIdx.x) * of_block),
          n_slices(max(0, min(of_block, n_slices_of_all - first_slice))),
          n_inner(n_slices) {}

    /// The number over all blocks of one of the block's slices.
    __device__ Index slice(Index place) const { return first_slice + place; }
    __device__ void send(const T*) const {}
    template <class Add>
    __device__ void add_boundary(const CompressedView<T>&, const T*, T*, Add&&) const {}
    __device__ void meet_on_device(unsigned round) const {
        double none[1] = {};
        exchange.sum<true>(none, round, false, [](const double(&)[1], bool) {});
    }
    __device__ void tell_waits() const {}
    __device__ void end() const {}
};

template <class T>
struct StreamedTalk<T, OtherGpus<T>> {
    const OtherGpus<T>& others;
    WorldExchange exchange;
    Index n_slices = 0;
    Index n_inner;

    __device__ StreamedTalk(const OtherGpus<T>& of, const GridExchange& of_grid, Index, Index of_block, Index* slice_of)
        : others(of),
          exchange(of_grid, of.ways.world),
          n_inner(of.n_inner[blockIdx.x]),
          slice_of_(slice_of),
          product_(*of.ways.round),
          row_sent_(letter() < n_letters() ? of.ways.sent[letter()] : 0) {
        const Index* const slices = of.slice + Size{blockIdx.x} * of_block;
        for (auto i = static_cast<Index>(threadIdx.x); i < of_block; i += static_cast<Index>(blockDim.x)) {
            slice_of[i] = slices[i];
        }
        while (n_slices < of_block && slices[n_slices] >= 0) ++n_slices;
        const auto warp = static_cast<Index>((blockIdx.x * blockDim.x + threadIdx.x) / warp_size);
        begin_ = of.first_group[warp];
        end_ = of.first_group[warp + 1];
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

    /// Adds to q what columns of others have in this warp's slices, and calls add(i, row, p, q) for their rows.
    template <class Add>
    __device__ void add_boundary(const CompressedView<T>& a, const T* p, T* q, Add&& add) {
        constexpr int batch = 4;  // looked at together
        const Index lane = static_cast<Index>(threadIdx.x) % warp_size;
        const Letter* const box =
            reinterpret_cast<const Letter*>(others.ways.box) + product_ % 2 * others.ways.of_round;
        for (Index group = begin_; group < end_; group += batch) {
            Index place[batch], ghost[batch];
            T value[batch];
            Letter letter[batch];
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                const Index at = min(group + u, end_ - 1);
                place[u] = others.place[at];
                ghost[u] = others.ghost[Size{at} * warp_size + lane];
                value[u] = others.values[Size{at} * warp_size + lane];
            }
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (ghost[u] >= 0) letter[u] = look_afar(box + ghost[u]);
            }
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (group + u >= end_) break;
                const bool is_last = place[u] < 0;
                const Index of_block = is_last ? ~place[u] : place[u];
                const Index i = of_block * warp_size + lane;
                if (ghost[u] >= 0) q[i] += value[u] * static_cast<T>(awaited(box + ghost[u], letter[u]));
                if (!is_last) continue;
                const Index row = a.row(Size{slice(of_block)} * warp_size + lane);
                if (row < a.n_rows) add(i, row, p[row], q[i]);
            }
        }
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
    unsigned product_;               // of the letters, the last
    Index row_sent_;                 // by this thread first
    Index begin_, end_;              // of the groups of this warp
    unsigned long long waited_ = 0;  // for letters, ns
};

}  // namespace stiefel::cuda
