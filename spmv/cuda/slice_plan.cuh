#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/compressed_sell.hpp"

namespace stiefel::cuda {

/// A CSR matrix without its values, its rows by slot.
template <class Offset>
struct SlotRows {
    Index n_rows;
    Index n_cols;
    const Offset* row_ptr;
    const Index* col_idx;
    const Index* row_of_slot;  ///< or null, where no row moved
};

/// The rows of one slice of CompressedSell, a lane of a warp for each, as SlicePlan of a host looks at them. Whole
/// warps call each function together.
class WarpSlice {
public:
    template <class Offset>
    __device__ WarpSlice(const SlotRows<Offset>& a, Size slice)
        : slot_(slice * warp_size + threadIdx.x % warp_size), col_idx_(a.col_idx) {
        const Size row = a.row_of_slot != nullptr ? a.row_of_slot[slot_] : slot_;
        if (row < a.n_rows) {
            first_ = a.row_ptr[row];
            length_ = static_cast<Index>(a.row_ptr[row + 1] - a.row_ptr[row]);
        }
        in_order_ = __all_sync(all_lanes, row == slot_ && row < a.n_rows);
        width_ = __reduce_max_sync(all_lanes, length_);
    }

    /// Whether these are 32 rows that follow each other.
    __device__ bool in_order() const { return in_order_; }
    __device__ Index width() const { return width_; }
    __device__ Index length() const { return length_; }
    __device__ Size n_entries() const {
        Size sum = length_;
        for (int step = warp_size / 2; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
        return sum;
    }

    /// Entry j of the lane's row among all entries.
    __device__ Size entry(Index j) const { return first_ + j; }

    /// f(n, diagonal, j) for the diagonals that rows have entries on, ascending: that of number n is entry j of this
    /// lane's row, or none of its entries where j is negative. f says whether to go on.
    template <class F>
    __device__ void for_diagonals(F&& f) const {
        constexpr Index none = 0x7fffffff;
        Index j = 0;
        Index own = diagonal(0, none);
        for (Index n = 0;; ++n) {
            const Index least = __reduce_min_sync(all_lanes, own);
            if (least == none || !f(n, least, own == least ? j : -1)) return;
            if (own == least) own = diagonal(++j, none);
        }
    }

    /// The least column of the entries j, and the greatest.
    struct Columns {
        Index least, greatest;
    };
    __device__ Columns columns(Index j) const {
        const bool has = j < length_;
        const Index column = has ? col_idx_[first_ + j] : 0;
        return {__reduce_min_sync(all_lanes, has ? column : 0x7fffffff),
                __reduce_max_sync(all_lanes, has ? column : 0)};
    }

private:
    __device__ Index diagonal(Index j, Index none) const {
        return j < length_ ? col_idx_[first_ + j] - static_cast<Index>(slot_) : none;
    }

    Size slot_;
    const Index* col_idx_;
    Size first_ = 0;
    Index length_ = 0;
    Index width_ = 0;
    bool in_order_ = false;
};

/// What a slice takes: groups, and distances of 16 bits.
struct SliceSizes {
    Size groups, distances;
    SliceColumns columns;
    bool padded;
};

/// As SlicePlan::look_at() decides.
template <class Offset>
__device__ SliceSizes planned(const SlotRows<Offset>& a, const WarpSlice& rows, Size slice, Size value_bytes) {
    const Size n_entries = rows.n_entries();
    if (rows.in_order() && rows.width() > 0) {
        const Size most = Size{rows.width()} * (value_bytes + 2) / value_bytes;
        Size n = 0;
        Index front = 0, back = 0;
        rows.for_diagonals([&](Index number, Index diagonal, Index) {
            if (number == 0) front = diagonal;
            back = diagonal;
            n = Size{number} + 1;
            return n <= most;
        });
        const Size first_row = slice * warp_size;
        if (n <= most && first_row >= -Size{front} && first_row + warp_size - 1 + back < a.n_cols) {
            return {n, 0, SliceColumns::diagonals, n_entries != n * warp_size};
        }
    }
    bool are_near = true;
    for (Index j = 0; j < rows.width(); ++j) {
        const auto [least, greatest] = rows.columns(j);
        are_near &= greatest - least <= 0xffff;
    }
    const Size n = rows.width();
    return {n, n * warp_size * (are_near ? 1 : 2), are_near ? SliceColumns::near : SliceColumns::far,
            n_entries != n * warp_size};
}

}  // namespace stiefel::cuda
