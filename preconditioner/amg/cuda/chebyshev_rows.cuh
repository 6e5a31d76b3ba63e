#pragma once

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/preconditioner/amg/short_values.hpp"
#include "stiefel/preconditioner/amg/slice_diagonals.hpp"
#include "stiefel/spmv/cuda/diagonals.cuh"
#include "stiefel/spmv/cuda/row_kernel.cuh"
#include "stiefel/spmv/device_formats.hpp"

#include <algorithm>
#include <type_traits>

// Products with the rows of a matrix that go on with a row while it is in a register.

namespace stiefel::amg {

/// What a SELL matrix keeps of its slices' diagonals, and whether slices are read where others that hold the same lie.
enum class SliceReading { columns, diagonals, shared_diagonals };

/// A thread for a row, a warp for a slice. Diagonals of the slices that share them are read in place of columns, and
/// values as they are or in 16 bits.
template <class S, SliceReading reading, class Stored>
class SellRows {
public:
    static constexpr bool with_diagonals = reading != SliceReading::columns;
    static constexpr bool shared = reading == SliceReading::shared_diagonals;
    static constexpr bool is_lean = !with_diagonals;
    using Place = unsigned;  // for want of registers

    SellRows(const DeviceSell<S>& a, const Stored* values, const SliceDiagonals<Cuda>& diagonals)
        : n_rows_(a.n_rows),
          n_slots_(a.n_slots()),
          slice_ptr_(a.slice_ptr.data()),
          row_of_slot_(a.row_of_slot.data()),
          col_idx_(a.col_idx.data()),
          values_(values),
          diagonals_(diagonals.numbers.data()),
          begin_(diagonals.begin.data()) {}

    Size threads() const { return n_slots_; }

    /// place: of a thread, which its warp comes with.
    template <class Finish>
    __device__ void run(Place place, const S* v, const Finish& finish, bool descends) const {
        const auto n_slots = static_cast<unsigned>(n_slots_);
        if (place >= n_slots) return;
        const unsigned slice = descends ? n_slots / warp_size - 1 - place / warp_size : place / warp_size;
        const unsigned slot = slice * warp_size + place % warp_size;
        const Size begin = slice_ptr_[slice];
        const auto width = static_cast<Index>(slice_ptr_[slice + 1] - begin) / warp_size;
        const Index row = row_of_slot_ != nullptr ? row_of_slot_[slot]
                                                  : static_cast<Index>(min(slot, static_cast<unsigned>(n_rows_)));
        if (row >= n_rows_) return;
        const auto own = finish.load(row);
        const S sum = product(shared ? begin_[slice] : begin, width, row, v);
        finish.store(row, own, std::is_same_v<Stored, S> ? sum : short_unit * sum);
    }

private:
    /// Of the row, whose slice begins there.
    __device__ S product(Size begin, Index width, Index row, const S* v) const {
        const Size first = begin + threadIdx.x % warp_size;
        if constexpr (with_diagonals) {
            if (row - row % warp_size + warp_size <= n_rows_) {  // else the warp is not whole
                const Index* const diagonals = diagonals_ + begin / warp_size;
                const Index diagonal = cuda::load_of_group(diagonals, 0, width);
                Stored value[cuda::slice_batch];  // not to wait for the diagonals first
                cuda::load_batch<shared>(values_ + first, 0, width, value);
                if (__shfl_sync(all_lanes, diagonal, 0) != no_diagonal) {
                    return cuda::diagonals_product<shared>(values_ + first, value, diagonals, diagonal, v + row, width,
                                                           true);
                }
            }
        }
        return cuda::row_product(values_ + first, col_idx_ + first, v, width,
                                 [](Index j) { return Size{j} * warp_size; });
    }

    Index n_rows_;
    Size n_slots_;
    const Size* slice_ptr_;
    const Index* row_of_slot_;
    const Index* col_idx_;
    const Stored* values_;
    const Index* diagonals_;
    const Size* begin_;
};

/// Lanes that share a row; the offsets have 32 bits.
template <int lanes, class S>
class CsrRows {
public:
    static constexpr bool is_lean = true;
    using Place = Size;

    explicit CsrRows(const DeviceCsr<S>& a) : n_rows_(a.n_rows), col_idx_(a.col_idx.data()), values_(a.values.data()) {
        a.row_ptr.visit([&](const auto* row_ptr) { row_ptr_ = reinterpret_cast<const std::int32_t*>(row_ptr); });
    }

    Size threads() const { return Size{n_rows_} * lanes; }

    template <class Finish>
    __device__ void run(Place place, const S* v, const Finish& finish, bool) const {
        const int lane = static_cast<int>(threadIdx.x) % lanes;
        const Size at = place / lanes;
        const auto row = static_cast<Index>(at);
        const bool is_row = at < n_rows_;
        typename Finish::Own own{};
        S sum = 0;
        if (is_row) {
            if (lane == 0) own = finish.load(row);
            const std::int32_t begin = row_ptr_[at] + lane;
            const std::int32_t count = row_ptr_[at + 1] - begin;
            const Index mine = count > 0 ? (count + lanes - 1) / lanes : 0;
            sum = cuda::row_product(values_, col_idx_, v, mine, [=](Index j) { return begin + j * lanes; });
        }
        sum = lanes_sum<lanes>(sum);  // of whole warps
        if (is_row && lane == 0) finish.store(row, own, sum);
    }

private:
    Index n_rows_;
    const std::int32_t* row_ptr_ = nullptr;
    const Index* col_idx_;
    const S* values_;
};

/// Blocks of a multiprocessor, which wait for memory: as many as there are registers for.
template <class S, class Rows>
inline constexpr int chebyshev_blocks = sizeof(S) == sizeof(double) ? 4
                                        : Rows::is_lean             ? 8
                                                                    : 6;

template <class Rows, class S, class Finish>
__global__ void __launch_bounds__(cuda::block_threads, chebyshev_blocks<S, Rows>)
    chebyshev_rows_kernel(Rows rows, const S* v, Finish finish, bool descends) {
    begin_kernel();
    rows.run(typename Rows::Place{blockIdx.x} * blockDim.x + threadIdx.x, v, finish, descends);
}

/// A Finish that adds up what another's rows leave.
template <class Finish>
struct Summing {
    const Finish& finish;
    double& sum;

    using Own = typename Finish::Own;
    __device__ Own load(Index i) const { return finish.load(i); }
    template <class S>
    __device__ void store(Index i, const Own& own, S product) const {
        sum += finish.store(i, own, product);
    }
};

/// Blocks of a multiprocessor, where their threads keep a sum in double precision as well.
template <class S>
inline constexpr int summing_chebyshev_blocks = sizeof(S) == sizeof(double) ? 4 : 5;

/// The same; *sum becomes that of what `finish` leaves for all rows.
template <class Rows, class S, class Finish>
__global__ void __launch_bounds__(cuda::block_threads, summing_chebyshev_blocks<S>)
    sum_chebyshev_rows_kernel(Rows rows, typename Rows::Place threads, const S* v, Finish finish, bool descends,
                              double* sum, ReductionScratch scratch) {
    begin_kernel();
    double sums[1] = {};
    const unsigned step = gridDim.x * blockDim.x;
    for (typename Rows::Place place = blockIdx.x * blockDim.x + threadIdx.x; place < threads; place += step) {
        rows.run(place, v, Summing<Finish>{finish, sums[0]}, descends);
    }
    if (grid_sum(sums, scratch)) *sum = sums[0];
}

/// finish for every row with its product with v.
template <class Rows, class S, class Finish>
void run_rows_of(Cuda& backend, const Rows& rows, const S* v, const Finish& finish) {
    const Size blocks = (rows.threads() + cuda::block_threads - 1) / cuda::block_threads;
    if (blocks == 0) return;
    launch(backend, chebyshev_rows_kernel<Rows, S, Finish>, static_cast<int>(blocks), cuda::block_threads,
           "launching a Chebyshev step", rows, v, finish, backend.next_sweep_descends());
}

template <class Rows, class S, class Finish>
void sum_rows_of(Cuda& backend, const Rows& rows, const S* v, const Finish& finish, double* sum) {
    const Size whole_warps = (rows.threads() + warp_size - 1) / warp_size * warp_size;
    const Size blocks = (whole_warps + cuda::block_threads - 1) / cuda::block_threads;
    const Size most = Size{summing_chebyshev_blocks<S>} * backend.device().multiprocessors;
    launch(backend, sum_chebyshev_rows_kernel<Rows, S, Finish>, static_cast<int>(std::clamp<Size>(blocks, 1, most)),
           cuda::block_threads, "launching the last Chebyshev step", rows,
           static_cast<typename Rows::Place>(whole_warps), v, finish, backend.next_sweep_descends(), sum,
           backend.reduction());
}

}  // namespace stiefel::amg
