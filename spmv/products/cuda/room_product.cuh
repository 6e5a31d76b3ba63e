#pragma once

#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"
#include "stiefel/spmv/products/cuda/short_rows.cuh"

// Products in one pass: as nothing is counted before, every row has the same room, of which it fills a part. For rows
// of few columns: a warp takes a row, a lane a term, and lanes of one column find each other without a table.

namespace stiefel::cuda {

/// A matrix whose row i has length[i] entries from width * i on.
template <class T, int columns>
struct RoomyRows {
    static constexpr int width = columns;

    RoomyRows(Cuda& backend, Index n)
        : length(backend, n), col_idx(backend, Size{width} * n), values(backend, Size{width} * n) {}

    DeviceVector<Index> length;
    DeviceVector<Index> col_idx;
    DeviceVector<T> values;
};

/// The same as kernels write it.
template <class T, int columns>
struct RoomyRowsOut {
    static constexpr int width = columns;

    RoomyRowsOut(RoomyRows<T, columns>& rows, unsigned* flag)
        : length(rows.length.data()), col_idx(rows.col_idx.data()), values(rows.values.data()), is_too_long(flag) {}

    __device__ void close_row(Size i, int n) const {
        length[i] = min(n, width);
        if (n > width) *is_too_long = 1;
    }

    Index* length;
    Index* col_idx;
    T* values;
    unsigned* is_too_long;  ///< set where a row had more columns than room
};

/// A lane's term of a row.
template <class T>
struct LaneTerm {
    Index col = no_column;  ///< that of no term
    T value{};
};

/// As many entries of a row of A as a warp has lanes, or what is left of them, and where their terms stand.
template <class T>
struct RowEntries {
    std::int32_t first = 0;  ///< term of this lane's entry
    int place = 0;           ///< of it among those of all lanes
    T factor{};
    unsigned with_terms = 0;  ///< lanes
    int terms = 0;            ///< of all lanes

    __device__ RowEntries(const CsrView<T>& a, const CsrView<T>& b, std::int32_t begin, std::int32_t end, int lane) {
        int count = 0;
        if (begin + lane < end) {
            const Index j = a.col_idx[begin + lane];
            first = b.row_ptr.narrow()[j];
            count = b.row_ptr.narrow()[j + 1] - first;
            factor = a.values[begin + lane];
        }
        place = count;
#pragma unroll
        for (int step = 1; step < warp_size; step *= 2) {
            const int below = __shfl_up_sync(all_lanes, place, step);
            if (lane >= step) place += below;
        }
        terms = __shfl_sync(all_lanes, place, warp_size - 1);
        place -= count;
        with_terms = __ballot_sync(all_lanes, count > 0);
    }

    /// Term number from + lane, in the order of A's entries. It finds its entry by the places where entries begin, of
    /// which there is a bit each.
    __device__ LaneTerm<T> term(const CsrView<T>& b, int from, int lane) const {
        const bool begins_here = (with_terms >> lane & 1) != 0 && place >= from && place < from + warp_size;
        const unsigned begins = __reduce_or_sync(all_lanes, begins_here ? 1u << (place - from) : 0u);
        const unsigned before = __ballot_sync(all_lanes, (with_terms >> lane & 1) != 0 && place < from);
        int entry = __popc(before) + __popc(begins & (all_lanes >> (warp_size - 1 - lane))) - 1;
        if ((with_terms & (with_terms + 1)) != 0) {  // rows of B without entries lie between
            entry = static_cast<int>(__fns(with_terms, 0, max(entry, 0) + 1));
        }
        entry = entry & (warp_size - 1);
        const std::int32_t t =
            __shfl_sync(all_lanes, first, entry) + from + lane - __shfl_sync(all_lanes, place, entry);
        const T of_entry = __shfl_sync(all_lanes, factor, entry);
        LaneTerm<T> own;
        if (from + lane < terms) {
            own.col = b.col_idx[t];
            own.value = of_entry * b.values[t];
        }
        return own;
    }
};

/// Adds up what lanes of one column have; of each the first lane has the sum. In twos, fours and so on, by the lane
/// that comes next: the same order in every run.
template <class T>
__device__ T sum_of_peers(unsigned peers, T value, int lane) {
    const unsigned above = peers & (0xfffffffeu << lane);
    int next = above != 0 ? __ffs(static_cast<int>(above)) - 1 : -1;
    while (__any_sync(all_lanes, next >= 0)) {
        const int from = next >= 0 ? next : lane;
        const T other = __shfl_sync(all_lanes, value, from);
        const int beyond = __shfl_sync(all_lanes, next, from);
        if (next >= 0) value += other;
        next = next >= 0 ? beyond : -1;
    }
    return value;
}

/// The columns of a row that has more terms than a warp has lanes: a lane has one of them, and its sum.
template <class T>
struct FoundColumns {
    Index col = no_column;
    T sum{};
    int n = 0;

    __device__ void add(const LaneTerm<T>& terms, int lane) {
        for (int from = 0; from < warp_size; ++from) {
            const Index of_term = __shfl_sync(all_lanes, terms.col, from);
            const T value = __shfl_sync(all_lanes, terms.value, from);
            if (of_term == no_column) return;  // the last ones
            const bool is_new = __ballot_sync(all_lanes, col == of_term) == 0;
            if (is_new && lane == n) col = of_term;
            n += is_new;
            if (col == of_term) sum += value;
        }
    }
};

inline constexpr int room_product_threads = 128;

/// C = A B, columns in the order in which they first came.
template <class T, int width>
__global__ void __launch_bounds__(room_product_threads)
    room_product_kernel(CsrView<T> a, CsrView<T> b, RoomyRowsOut<T, width> out) {
    constexpr int in_block = room_product_threads / warp_size;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const std::int32_t* const a_ptr = a.row_ptr.narrow();
    for (Size i = Size{blockIdx.x} * in_block + threadIdx.x / warp_size; i < a.n_rows;
         i += Size{gridDim.x} * in_block) {
        const std::int32_t begin = a_ptr[i], end = a_ptr[i + 1];
        const RowEntries<T> entries(a, b, begin, end, lane);
        LaneTerm<T> own;
        bool is_column;
        if (end - begin <= warp_size && entries.terms <= warp_size) {
            own = entries.term(b, 0, lane);
            const unsigned peers = __match_any_sync(all_lanes, own.col);
            own.value = sum_of_peers(peers, own.value, lane);
            is_column = own.col != no_column && __ffs(static_cast<int>(peers)) - 1 == lane;
        } else {
            FoundColumns<T> found;
            for (std::int32_t k = begin; k < end; k += warp_size) {
                const RowEntries<T> some(a, b, k, end, lane);
                for (int from = 0; from < some.terms; from += warp_size) found.add(some.term(b, from, lane), lane);
            }
            own = {found.col, found.sum};
            is_column = found.n <= width && lane < found.n;
            if (found.n > width && lane == 0) *out.is_too_long = 1;
        }
        const unsigned columns = __ballot_sync(all_lanes, is_column);
        const int place = __popc(columns & ((1u << lane) - 1));
        if (is_column && place < width) {
            out.col_idx[width * i + place] = own.col;
            out.values[width * i + place] = own.value;
        }
        if (lane == 0) out.close_row(i, __popc(columns));
    }
}

/// Rows of any kind (see two_passes.cuh), columns ascending, by teams of S lanes and in tables of so many places. What
/// follows the first column that has no room is left out.
template <int S, int table_size, class Rows, class T, int width>
__global__ void __launch_bounds__(short_row_threads) room_rows_kernel(Rows rows, RoomyRowsOut<T, width> out) {
    static_assert(width <= ShortRow<T>::most(table_size));
    extern __shared__ int4 room_of_block[];
    const Team<S> team;
    const ShortRow<T> row(reinterpret_cast<char*>(room_of_block) + team.number * ShortRow<T>::bytes(table_size),
                          table_size);
    const int of_warp = team.number % Team<S>::in_warp;
    for (Size first = Size{blockIdx.x} * Team<S>::in_block + team.number - of_warp; first < rows.n_rows;
         first += Size{gridDim.x} * Team<S>::in_block) {
        const bool is_row = first + of_warp < rows.n_rows;
        const auto i = static_cast<Index>(is_row ? first + of_warp : 0);
        row.places.clear(team.lane, S);
        __syncwarp();
        int n = 0;
        for_entries<S, S>(team, rows, i, is_row, [&](const auto& terms, auto factor) {
            auto t = terms.first + team.lane;
            do {
                const bool adds = t < terms.last && n <= width;
                bool is_new = false;
                const Index col = adds ? rows.col(t) : no_column;
                const T value = adds ? rows.product(factor, t) : T{};
                const int place = adds ? row.places.find(col, is_new) : -1;
                const unsigned new_ones = team.ballot(is_new);
                const int e = n + __popc(new_ones & ((1u << team.lane) - 1));
                if (is_new && e < width) {
                    row.cols[e] = col;
                    row.place_of[e] = static_cast<unsigned short>(place);
                }
                n += __popc(new_ones);
                if (place >= 0) row.sums[place] = is_new ? value : row.sums[place] + value;
                __syncwarp();
                t += S;
            } while (__any_sync(all_lanes, t < terms.last));
        });
        const int kept = min(n, width);
        if (is_row) {
            if (team.lane == 0) out.close_row(i, n);
        }
        row.write(team, is_row ? kept : 0, out, Size{width} * i);
    }
}

/// Closes the gaps.
template <class T, int width>
__global__ void close_up_kernel(Index n_rows, RoomyRowsOut<T, width> rows, OffsetsView row_ptr, Index* col_idx,
                                T* values) {
    constexpr int lanes = 8;
    const Size i = thread_number() / lanes;
    if (i >= n_rows) return;
    const Size to = row_ptr[i];
    for (int e = static_cast<int>(threadIdx.x) % lanes; e < rows.length[i]; e += lanes) {
        col_idx[to + e] = rows.col_idx[width * i + e];
        values[to + e] = rows.values[width * i + e];
    }
}

}  // namespace stiefel::cuda
