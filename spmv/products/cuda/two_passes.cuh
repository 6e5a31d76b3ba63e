#pragma once

#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"
#include "stiefel/spmv/products/cuda/long_rows.cuh"
#include "stiefel/spmv/products/cuda/short_rows.cuh"

#include <algorithm>
#include <type_traits>
#include <utility>

// Rows of a sparse matrix as sums of sparse rows, in two passes (Nagasaka, Nukada and Matsuoka 2017): columns are
// counted first, with each row in the kind of table that suits it, and then, when all lengths are known, values are
// added up.
//
// What is multiplied is a Pattern:
//     n_rows, n_cols                 of the result
//     begin(i), end(i)               the entries that make row i
//     terms(i, k)                    what entry k brings: first <= t < last, a Terms
//     about(i, k)                    where terms() is not to be had for nothing: about how many they are
//     col(t)                         the column of a term
//     with_lanes(l, f)               f.operator()<S, L>() for list l: see short_rows.cuh
//     block_lanes                    L for rows that take a block
// and Rows are a Pattern with value_type, what is added up, and
//     factor(i, k)                   what entry k is to its terms: a number, which is of factor_type
//     product(factor, t)             row_i[col(t)] += product(factor(i, k), t)

namespace stiefel::cuda {

template <class Offset>
struct Terms {
    Offset first = 0;
    Offset last = 0;
};

/// What all patterns have: terms of no entry, and in place of the factors of Rows nothing.
template <class Offset>
struct PatternBase {
    using factor_type = int;
    __device__ static Terms<Offset> no_terms() { return {}; }
    __device__ static int factor(Index, Offset) { return 0; }
};

/// The result as kernels write it.
template <class T>
struct RowsOut {
    OffsetsView row_ptr;
    Index* col_idx;
    T* values;
};

/// The list where a row is counted first, from an upper bound for its length. As a rule a third of the bound is there.
template <class Pattern>
__global__ void list_by_bound_kernel(Pattern pattern, RowLists lists, ListLimits limits) {
    constexpr Size most_entries = 512;  // a thread goes through them
    const Size i = thread_number();
    int l = -1;
    if (i < pattern.n_rows) {
        const auto row = static_cast<Index>(i);
        const auto begin = pattern.begin(row), end = pattern.end(row);
        Size bound = 0;
        for (auto k = begin; k < end && k - begin < most_entries; ++k) {
            if constexpr (requires { pattern.about(row, k); }) {
                bound += pattern.about(row, k);
            } else {
                const auto terms = pattern.terms(row, k);
                bound += terms.last - terms.first;
            }
        }
        l = limits.list_for(min(bound, 3 * Size{pattern.n_cols}));
        if (end - begin > most_entries) l = max(l, RowLists::in_block);
    }
    lists.append<long_row_threads>(l, static_cast<Index>(i));
}

static __global__ void list_by_length_kernel(Index n_rows, const Index* length, RowLists lists, ListLimits limits) {
    const Size i = thread_number();
    lists.append<long_row_threads>(i < n_rows ? limits.list_for(length[i]) : -1, static_cast<Index>(i));
}

/// What the host has to know between the passes.
struct Counted {
    unsigned of_list[RowLists::n_lists];
    Size nnz;
};

template <class Rows>
class TwoPasses {
public:
    using T = typename Rows::value_type;
    using Pattern = typename Rows::Pattern;

    TwoPasses(Cuda& backend, const Rows& rows)
        : backend_(backend),
          rows_(rows),
          listed_(backend, Size{RowLists::n_lists} * rows.n_rows),
          length_(backend, rows.n_rows),
          counted_(backend, 2) {}

    /// Without its CsrShares. Waits for the device once.
    DeviceCsr<T> run() {
        const Index n = rows_.n_rows;
        DeviceCsr<T> c;
        c.n_rows = n;
        c.n_cols = rows_.n_cols;
        if (n == 0) {
            c.row_ptr = zero_offsets();
            return c;
        }
        backend_.zero_bytes(counted_.data(), counted_.bytes());
        count(lists(0));
        list_by_length_kernel<<<row_blocks(), long_row_threads, 0, backend_.stream()>>>(n, length_.data(), lists(1),
                                                                                        filling_limits);
        const Offsets<Index> offsets(backend_, length_);
        backend_.copy_bytes(&counted_.data()[1].nnz, offsets.total(), sizeof(Size));
        const Counted found = load_second();
        c.row_ptr = offsets.row_offsets(backend_, found.nnz);
        c.col_idx = DeviceVector<Index>(backend_, found.nnz);
        c.values = DeviceVector<T>(backend_, found.nnz);
        fill(lists(1), found, {OffsetsView(c.row_ptr), c.col_idx.data(), c.values.data()});
        return c;
    }

private:
    static constexpr ListLimits counting_limits{{3 * 32, 3 * 128, 3 * 512, 3 * 2048, 3 * counting_table}};
    /// Sums of many bytes go on to larger tables sooner: four of 512 places would take more than a block can have.
    static constexpr ListLimits filling_limits{{12, 48, 192, sizeof(T) <= 32 ? 384 : 192, 3 * filling_table<T> / 4}};
    // The smallest tables of numbers are twice what others are to their limits: three quarters full they took longer.
    static constexpr int counting_size(int l) { return l == 0 ? 64 : 32 << 2 * l; }
    static constexpr int filling_size(int l) { return l == 0 && sizeof(T) <= 8 ? 32 : std::min(16 << 2 * l, 512); }
    static constexpr Size most_scratch_bytes = Size{1} << 30;

    unsigned row_blocks() const { return static_cast<unsigned>((Size{rows_.n_rows} - 1) / long_row_threads + 1); }

    RowLists lists(int pass) {
        return {.n_rows = rows_.n_rows, .rows = listed_.data(), .count = counted_.data()[pass].of_list};
    }

    /// Blocks for so many rows with S lanes each; more take turns.
    unsigned short_blocks(Size n, int lanes) const {
        const Size enough = Size{16} * backend_.device().multiprocessors;
        return static_cast<unsigned>(std::clamp<Size>((n * lanes - 1) / short_row_threads + 1, 1, enough));
    }

    int long_blocks(Size n, Size bytes_each) const {
        const Size room = std::max<Size>(most_scratch_bytes / std::max<Size>(bytes_each, 1), 1);
        return static_cast<int>(std::min({n, room, Size{2} * backend_.device().multiprocessors}));
    }

    void count(const RowLists& lists) {
        const Pattern& pattern = rows_;
        const cudaStream_t stream = backend_.stream();
        list_by_bound_kernel<<<row_blocks(), long_row_threads, 0, stream>>>(pattern, lists, counting_limits);
        for (int l = 0; l < RowLists::in_block; ++l) {
            pattern.with_lanes(l, [&]<int S, int L>() {
                constexpr int teams = Team<S>::in_block;
                count_short_rows_kernel<S, L>
                    <<<short_blocks(rows_.n_rows, S), short_row_threads, teams * counting_size(l) * sizeof(Index),
                       stream>>>(pattern, lists, l, counting_size(l), length_.data());
            });
        }
        constexpr int L = Pattern::block_lanes;
        constexpr int bytes = counting_table * static_cast<int>(sizeof(Index));
        allow_shared(backend_, count_rows_in_block_kernel<L, Pattern>, bytes, "preparing to count long rows");
        count_rows_in_block_kernel<L, Pattern>
            <<<static_cast<unsigned>(long_blocks(rows_.n_rows, 1)), long_row_threads, bytes, stream>>>(pattern, lists,
                                                                                                       length_.data());
        if (rows_.n_cols > counting_table) {
            const Size words = DensePlaces{nullptr, rows_.n_cols}.n_words();
            const int blocks = long_blocks(rows_.n_rows, 16 * words * Size{sizeof(unsigned)});
            DeviceVector<unsigned> bits(backend_, blocks * words);
            count_rows_in_memory_kernel<L, Pattern><<<static_cast<unsigned>(blocks), long_row_threads, 0, stream>>>(
                pattern, lists, LongRowRoom<double>{.bits = bits.data(), .n_cols = rows_.n_cols}, length_.data());
        }
        check_cuda(cudaGetLastError(), "counting the columns of a product");
    }

    Counted load_second() const { return load(backend_, static_cast<const Counted*>(counted_.data()) + 1); }

    void fill(const RowLists& lists, const Counted& found, const RowsOut<T>& out) {
        for (int l = 0; l < RowLists::in_block; ++l) {
            if (found.of_list[l] == 0) continue;
            rows_.with_lanes(l, [&]<int S, int L>() {
                const int bytes = Team<S>::in_block * ShortRow<T>::bytes(filling_size(l));
                constexpr auto kernel = fill_short_rows_kernel<S, L, Rows, RowsOut<T>>;
                prefer_shared(kernel, bytes);
                kernel<<<short_blocks(found.of_list[l], S), short_row_threads, static_cast<std::size_t>(bytes),
                         backend_.stream()>>>(rows_, lists, l, filling_size(l), out);
            });
        }
        if (found.of_list[RowLists::in_block] > 0) fill_in_block(lists, found.of_list[RowLists::in_block], out);
        if (found.of_list[RowLists::in_memory] > 0) fill_in_memory(lists, found.of_list[RowLists::in_memory], out);
        check_cuda(cudaGetLastError(), "adding up a product");
    }

    /// Room in shared memory for as many blocks as registers allow; what the driver takes by itself is for two thirds.
    template <class Kernel>
    void prefer_shared(Kernel* kernel, int bytes) const {
        constexpr int blocks = 12, of_block = 1024, kibibytes = 228, always_there = 48 * 1024;
        if (bytes > always_there) allow_shared(backend_, kernel, bytes, "preparing to add up rows");
        const int percent = std::min(blocks * (bytes + of_block) / (kibibytes * 1024 / 100) + 1, 100);
        check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent),
                   "preparing to add up rows");
    }

    void fill_in_block(const RowLists& lists, unsigned n, const RowsOut<T>& out) {
        constexpr auto kernel = fill_rows_in_block_kernel<Pattern::block_lanes, Rows, RowsOut<T>>;
        allow_shared(backend_, kernel, block_fill_bytes<T>, "preparing to add up long rows");
        kernel<<<static_cast<unsigned>(long_blocks(n, 1)), long_row_threads, block_fill_bytes<T>, backend_.stream()>>>(
            rows_, lists, out);
    }

    void fill_in_memory(const RowLists& lists, unsigned n, const RowsOut<T>& out) {
        const Size words = DensePlaces{nullptr, rows_.n_cols}.n_words();
        const int blocks = long_blocks(n, Size{rows_.n_cols} * Size{sizeof(T)});
        DeviceVector<unsigned> bits(backend_, blocks * words);
        DeviceVector<T> sums(backend_, Size{blocks} * rows_.n_cols);
        fill_rows_in_memory_kernel<Pattern::block_lanes>
            <<<static_cast<unsigned>(blocks), long_row_threads, 0, backend_.stream()>>>(
                rows_, lists, LongRowRoom<T>{.bits = bits.data(), .values = sums.data(), .n_cols = rows_.n_cols}, out);
    }

    RowOffsets<DeviceMemory> zero_offsets() {
        DeviceVector<std::int32_t> zero(backend_, 1);
        backend_.zero_bytes(zero.data(), zero.bytes());
        return RowOffsets<DeviceMemory>(std::move(zero));
    }

    Cuda& backend_;
    const Rows& rows_;
    DeviceVector<Index> listed_;
    DeviceVector<Index> length_;
    DeviceVector<Counted> counted_;  // of either pass
};

}  // namespace stiefel::cuda
