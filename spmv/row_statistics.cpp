#include "stiefel/spmv/row_statistics.hpp"

#include "stiefel/core/blocks.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel {

namespace {

HostVector<Index> row_lengths(OpenMP& backend, const RowOffsets<HostMemory>& row_ptr) {
    HostVector<Index> length(row_ptr.size() - 1);
    row_ptr.visit([&](const auto* offsets) {
        for_each_block(backend, length.size(), row_ptr.bytes(), [&](Size begin, Size end) {
            for (Size i = begin; i < end; ++i) length[i] = static_cast<Index>(offsets[i + 1] - offsets[i]);
        });
    });
    return length;
}

}  // namespace

RowStatistics row_statistics(OpenMP& backend, const RowOffsets<HostMemory>& row_ptr) {
    if (row_ptr.size() <= 1) return {};
    HostVector<Index> length = row_lengths(backend, row_ptr);
    const Size n = length.size();

    Index shortest = length[0];
    Index longest = length[0];
    Index n_empty = 0;
    Size total = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(min : shortest) \
    reduction(max : longest) reduction(+ : n_empty, total)
    for (Size i = 0; i < n; ++i) {
        shortest = std::min(shortest, length[i]);
        longest = std::max(longest, length[i]);
        n_empty += length[i] == 0;
        total += length[i];
    }
    const double mean = static_cast<double>(total) / static_cast<double>(n);
    const double squares = sum_over_blocks<1>(backend, n, length.bytes(), [&](Size begin, Size end) {
        double sum = 0;
        for (Size i = begin; i < end; ++i) sum += (length[i] - mean) * (length[i] - mean);
        return std::array{sum};
    })[0];
    const auto longest_row = static_cast<Index>(std::find(length.begin(), length.end(), longest) - length.begin());
    Index* const middle = length.begin() + (n - 1) / 2;
    std::nth_element(length.begin(), middle, length.end());
    return {.shortest = shortest,
            .longest = longest,
            .longest_row = longest_row,
            .n_empty = n_empty,
            .median = *middle,
            .mean = mean,
            .deviation = std::sqrt(squares / static_cast<double>(n))};
}

}  // namespace stiefel
