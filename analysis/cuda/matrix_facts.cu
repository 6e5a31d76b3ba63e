#include "stiefel/analysis/matrix_facts.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/cuda/early/every_solve.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/spmv/cuda/row_lengths.cuh"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stiefel {

namespace {

using Word = unsigned long long;

/// Found by whoever comes first or last, in words that are zero at first: a row by how far from the end it is, and bits
/// of numbers that are not negative, which ascend as they do; those of NaN come above all.
struct FoundInRows {
    struct Tally {
        Word count, first_from_end;

        RowTally of_rows(Index n) const {
            return {.count = static_cast<Size>(count),
                    .first = count > 0 ? n - static_cast<Index>(first_from_end) : -1};
        }
    };

    Tally missing, zero, negative;
    Word max_abs, min_abs_complement;  ///< of the diagonal
    Word largest_sum;

    DiagonalEntries diagonal(Index n) const {
        return {.missing = missing.of_rows(n),
                .zero = zero.of_rows(n),
                .negative = negative.of_rows(n),
                .min_abs = std::bit_cast<double>(~min_abs_complement),
                .max_abs = std::bit_cast<double>(max_abs)};
    }
};

__device__ Word bits_of(double value) {
    return static_cast<Word>(__double_as_longlong(value));
}

__device__ void add(FoundInRows::Tally& tally, const RowTally& own, Index n_rows) {
    if (own.count == 0) return;
    atomicAdd(&tally.count, static_cast<Word>(own.count));
    atomicMax(&tally.first_from_end, static_cast<Word>(n_rows - own.first));
}

/// roots: a_ii^-1/2 where they are wanted.
template <int lanes, class T, class Offset>
__global__ void __launch_bounds__(row_threads)
    rows_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values, RowLengthCounts lengths,
                FoundInRows* found, double* roots) {
    __shared__ RowLengthCounts::Near near;
    lengths.begin(near);
    PartialDiagonal diagonal;
    Word largest_sum = 0;
    Index first_longest = n_rows;
    for_each_row<lanes>(n_rows, [&](Size row, int lane) {
        double sum = 0, entry = 0;
        int is_stored = 0;
        Offset begin = 0, end = 0;
        if (row < n_rows) {
            begin = row_ptr[row];
            end = row_ptr[row + 1];
        }
        for (Offset k = begin + static_cast<Offset>(lane); k < end; k += lanes) {
            const auto value = static_cast<double>(values[k]);
            sum += fabs(value);
            if (col_idx[k] == row) {
                entry = value;
                is_stored = 1;
            }
        }
        sum = lanes_sum<lanes>(sum);
        entry = lanes_sum<lanes>(entry);  // all others are 0
        is_stored = lanes_max<lanes>(is_stored);
        if (row >= n_rows || lane != 0) return;
        largest_sum = max(largest_sum, bits_of(sum));
        diagonal.add(static_cast<Index>(row), is_stored != 0, entry);
        const auto length = static_cast<Index>(end - begin);
        lengths.add(near, length);
        if (lengths.is_longest(length)) first_longest = min(first_longest, static_cast<Index>(row));
        if (roots != nullptr) roots[row] = rsqrt(entry);
    });
    lengths.end(near, first_longest);
    raise_bits(&found->largest_sum, largest_sum);
    raise_bits(&found->max_abs, diagonal.empty ? 0 : bits_of(diagonal.max_abs));
    raise_bits(&found->min_abs_complement, diagonal.empty ? 0 : ~bits_of(diagonal.min_abs));
    add(found->missing, diagonal.missing, n_rows);
    add(found->zero, diagonal.zero, n_rows);
    add(found->negative, diagonal.negative, n_rows);
}

template <int lanes, class T, class Offset>
__global__ void __launch_bounds__(row_threads)
    couplings_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values, const double* roots,
                     PartialCouplings* of_block) {
    __shared__ double strongest_of_warp[row_threads / warp_size];
    double strongest = 0;
    double sums[3] = {0, 0, 0};  // of entries, of the diagonal, of each row's strongest
    for_each_row<lanes>(n_rows, [&](Size row, int lane) {
        double of_row = 0;
        if (row < n_rows) {
            const double root = roots[row];
            for (Offset k = row_ptr[row] + static_cast<Offset>(lane); k < row_ptr[row + 1]; k += lanes) {
                const auto value = static_cast<double>(values[k]);
                const Index col = col_idx[k];
                sums[0] += value;
                if (col == row) {
                    sums[1] += value;
                } else {
                    of_row = fmax(of_row, fabs(value) * root * roots[col]);
                }
            }
        }
        of_row = lanes_max<lanes>(of_row);
        if (lane == 0) sums[2] += of_row;
        strongest = fmax(strongest, of_row);
    });
    strongest = lanes_max(strongest);
    if (threadIdx.x % warp_size == 0) strongest_of_warp[threadIdx.x / warp_size] = strongest;
    block_sum(sums);  // ends with the block's threads together
    if (threadIdx.x != 0) return;
    for (const double one : strongest_of_warp) strongest = fmax(strongest, one);
    of_block[blockIdx.x] = {strongest, sums[2], sums[0], sums[1]};
}

constexpr Size words_of(std::size_t bytes) {
    return static_cast<Size>(bytes / sizeof(Word));
}

/// Some words as what they are.
template <class V>
V taken(const Word* words) {
    V value;
    std::memcpy(static_cast<void*>(&value), words, sizeof(V));
    return value;
}

}  // namespace

template <class T>
MatrixFacts matrix_facts(Cuda& backend, const DeviceCsr<T>& a, bool with_couplings) {
    require(a.n_rows == a.n_cols, "matrix_facts: A must be square");
    MatrixFacts facts;
    if (with_couplings) facts.couplings.emplace();
    const Index n = a.n_rows, longest = a.shares.longest_row;
    if (n == 0) return facts;

    // All that the host reads, one behind the other.
    const double mean_row = static_cast<double>(a.nnz()) / n;
    const auto multiprocessors = static_cast<unsigned>(backend.device().multiprocessors);
    unsigned blocks = 0;
    with_row_lanes(mean_row, [&](auto lanes) { blocks = RowLanes<lanes()>::blocks(n); });
    const Size coupling_blocks = with_couplings ? std::min(blocks, 4 * multiprocessors) : 0;
    constexpr Size words_of_partial = words_of(sizeof(PartialCouplings));
    const Size at_lengths = words_of(sizeof(FoundInRows)), at_couplings = at_lengths + RowLengthCounts::words(longest);
    DeviceVector<Word> words(backend, at_couplings + coupling_blocks * words_of_partial);
    DeviceVector<double> roots(backend, with_couplings ? n : 0);
    backend.zero_bytes(words.data(), at_couplings * static_cast<Size>(sizeof(Word)));

    a.row_ptr.visit([&](const auto* row_ptr) {
        with_row_lanes(mean_row, [&](auto lanes) {
            rows_kernel<lanes()><<<std::min(blocks, 8 * multiprocessors), row_threads, 0, backend.stream()>>>(
                n, row_ptr, a.col_idx.data(), a.values.data(), RowLengthCounts(n, longest, words.data() + at_lengths),
                reinterpret_cast<FoundInRows*>(words.data()), roots.data());
            if (!with_couplings) return;
            couplings_kernel<lanes()><<<static_cast<unsigned>(coupling_blocks), row_threads, 0, backend.stream()>>>(
                n, row_ptr, a.col_idx.data(), a.values.data(), roots.data(),
                reinterpret_cast<PartialCouplings*>(words.data() + at_couplings));
        });
    });
    check_cuda(cudaGetLastError(), "looking at the entries of a matrix");
    HostVector<Word> there(words.size());
    download(backend, words, there);

    const auto found = taken<FoundInRows>(there.data());
    facts.rows = RowLengthCounts::statistics(n, longest, there.data() + at_lengths);
    facts.diagonal = found.diagonal(n);
    facts.norm = std::bit_cast<double>(found.largest_sum);
    if (!with_couplings) return facts;
    facts.couplings.reset();
    if (!facts.diagonal.is_positive()) return facts;
    PartialCouplings total;
    for (Size block = 0; block < coupling_blocks; ++block) {
        total.merge(taken<PartialCouplings>(there.data() + at_couplings + block * words_of_partial));
    }
    facts.couplings = total.of_rows(n);
    return facts;
}

template MatrixFacts matrix_facts(Cuda&, const DeviceCsr<double>&, bool);
template MatrixFacts matrix_facts(Cuda&, const DeviceCsr<float>&, bool);

}  // namespace stiefel
