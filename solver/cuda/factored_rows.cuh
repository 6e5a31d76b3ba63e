#pragma once

#include "stiefel/solver/cuda/resident_plan.cuh"
#include "stiefel/solver/cuda/shared_room.cuh"
#include "stiefel/solver/cuda/strip.cuh"

#include <cstdint>

// Products of a block's rows with vectors in shared memory, as factored_kernel.cuh multiplies with A, L and U.

namespace stiefel::cuda {

/// One of the matrices, as its plan spreads it over the blocks; where M has no U all of that is null or 0.
template <class T>
struct FactoredMatrix {
    const Index* start;
    const Size* base;
    const Index* col;
    const T* value;
    const Index* n_halo;
    const Index* halo;
    Index max_halo, max_entries;
    int log_lanes;   ///< threads of a row, as a power of two: nothing is divided by them
    bool is_shared;  ///< blocks copy their entries into shared memory
};

/// Fewer threads with more in registers are faster than all that a block can have: shuffles and barriers cost by the
/// warp.
inline constexpr int factored_threads = 512;

/// Entries of each matrix that a thread keeps in registers: the first ones of its first row.
inline constexpr int factored_kept = 6;

/// What says where a block's entries of a matrix belong, and the entries where there is room for them.
template <class T>
struct SharedRows {
    Index* start;
    Index* halo;
    T* value = nullptr;
    std::uint16_t* col = nullptr;

    __host__ __device__ SharedRows(SharedRoom& room, const FactoredMatrix<T>& a, Index rows_of_block) {
        start = room.take<Index>(Size{rows_of_block} + 1);
        halo = room.take<Index>(a.max_halo);
        if (!a.is_shared) return;
        value = room.take<T>(a.max_entries);
        col = room.take<std::uint16_t>(a.max_entries);
    }
};
static_assert(resident_rows <= 1 << 16, "columns of a block are numbered in 16 bits");

/// A block's rows of a matrix, as a thread sees them.
template <class T>
class BlockRows {
public:
    /// first_thread: from where on threads have rows.
    __device__ BlockRows(SharedRoom& room, const FactoredMatrix<T>& a, Index rows_of_block, Index n,
                         Index first_thread = 0)
        : shared_(room, a, rows_of_block),
          value_(a.value + a.base[blockIdx.x]),
          col_(a.col + a.base[blockIdx.x]),
          n_(n),
          n_halo_(a.n_halo[blockIdx.x]),
          first_thread_(first_thread),
          log_lanes_(a.log_lanes) {
        const Index* const start = a.start + blockIdx.x * (rows_of_block + 1);
        const Index* const halo = a.halo + Size{blockIdx.x} * resident_rows;
        const auto t = static_cast<Index>(threadIdx.x);
        for (Index k = t; k <= n; k += factored_threads) shared_.start[k] = start[k];
        for (Index k = t; k < n_halo_; k += factored_threads) shared_.halo[k] = halo[k];
        for (Index e = t; a.is_shared && e < start[n]; e += factored_threads) {
            shared_.value[e] = value_[e];
            shared_.col[e] = static_cast<std::uint16_t>(col_[e]);
        }
        const Index row = t >= first_thread ? thread() >> log_lanes_ : n;
        const Index begin = row < n ? start[row] + lane() : 0;
        const Index end = row < n ? start[row + 1] : 0;
#pragma unroll
        for (int j = 0; j < factored_kept; ++j) {
            const Index e = begin + (j << log_lanes_);
            kept_value_[j] = e < end ? value_[e] : T{0};
            kept_col_[j] = e < end ? col_[e] : (row < n ? row : 0);
        }
    }

    __device__ Index n_halo() const {
        return n_halo_;
    }
    /// The row of the system that number k of the halo is.
    __device__ Index halo(Index k) const {
        return shared_.halo[k];
    }

    /// give(k, (A v)_k) for each of the block's rows, by one thread. To be called by all that have rows.
    template <class Give>
    __device__ void multiply(const T* v, Give&& give) const {
        if (shared_.value != nullptr) {
            multiply_with(shared_.value, shared_.col, v, give);
        } else {
            multiply_with(value_, col_, v, give);
        }
    }

private:
    __device__ Index thread() const {  // of those with rows
        return static_cast<Index>(threadIdx.x) - first_thread_;
    }

    __device__ Index lane() const {
        return thread() & ((1 << log_lanes_) - 1);
    }

    template <class Col, class Give>
    __device__ void multiply_with(const T* value, const Col* col, const T* v, Give&& give) const {
        const Index before = thread() % warp_size >> log_lanes_;  // rows of the warp
        Index kept = factored_kept;
        for (Index k = thread() >> log_lanes_; k - before < n_; k += factored_threads - first_thread_ >> log_lanes_) {
            const bool there = k < n_;
            const Index end = there ? shared_.start[k + 1] : 0;
            const Index begin = there ? shared_.start[k] + lane() : 0;
            T sum = 0;
            if (kept > 0) {
#pragma unroll
                for (int j = 0; j < factored_kept; ++j) sum += kept_value_[j] * v[kept_col_[j]];
            }
            sum = add_strip(sum, value, col, v, begin + (kept << log_lanes_), end, 1 << log_lanes_, k);
            for (Index step = 1 << log_lanes_ >> 1; step > 0; step /= 2) {
                sum += __shfl_xor_sync(all_lanes, sum, step);
            }
            if (there && lane() == 0) give(k, sum);
            kept = 0;  // they are of the thread's first row
        }
    }

    SharedRows<T> shared_;
    const T* value_;
    const Index* col_;
    T kept_value_[factored_kept];
    Index kept_col_[factored_kept];
    Index n_, n_halo_, first_thread_;
    int log_lanes_;
};

/// In place of the rows of a matrix that is not there.
struct NoRows {
    template <class... Arguments>
    __device__ explicit NoRows(Arguments&&...) {}
};

}  // namespace stiefel::cuda
