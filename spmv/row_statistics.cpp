#include "stiefel/spmv/row_statistics.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiefel {

RowStatistics row_statistics(std::span<const Size> rows_of_length, Index longest_row) {
    if (longest_row < 0) return {};
    Size n = 0, total = 0;
    for (std::size_t length = 0; length < rows_of_length.size(); ++length) {
        n += rows_of_length[length];
        total += rows_of_length[length] * static_cast<Size>(length);
    }
    RowStatistics s{.longest = static_cast<Index>(std::ssize(rows_of_length) - 1),
                    .longest_row = longest_row,
                    .n_empty = static_cast<Index>(rows_of_length[0]),
                    .mean = static_cast<double>(total) / static_cast<double>(n)};
    while (rows_of_length[static_cast<std::size_t>(s.shortest)] == 0) ++s.shortest;
    Size up_to = rows_of_length[0];
    while (up_to <= (n - 1) / 2) up_to += rows_of_length[static_cast<std::size_t>(++s.median)];
    double squares = 0;
    for (std::size_t length = 0; length < rows_of_length.size(); ++length) {
        const double off = static_cast<double>(length) - s.mean;
        squares += static_cast<double>(rows_of_length[length]) * off * off;
    }
    s.deviation = std::sqrt(squares / static_cast<double>(n));
    return s;
}

RowStatistics row_statistics(OpenMP& backend, const RowOffsets<HostMemory>& row_ptr) {
    const Size n = row_ptr.size() - 1;
    if (n <= 0) return {};
    return row_ptr.visit([&](const auto* offsets) {
        const auto length_of = [offsets](Size row) { return static_cast<Size>(offsets[row + 1] - offsets[row]); };
        Size longest = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(max : longest)
        for (Size row = 0; row < n; ++row) longest = std::max(longest, length_of(row));

        // Made here: nothing may throw in a parallel region. Rows take turns at several counters of a length, since the
        // next of one would wait for the one before where rows are alike.
        const Size turns = n / (longest + 1) >= 4 * backend.threads() ? 4 : 1;
        const auto threads = static_cast<int>(std::clamp<Size>(n / (longest + 1), 1, backend.threads()));
        const std::vector<Size> none(static_cast<std::size_t>((longest + 1) * turns));
        std::vector<std::vector<Size>> of_thread(static_cast<std::size_t>(threads), none);
        Size longest_row = n;
#pragma omp parallel num_threads(threads) reduction(min : longest_row)
        {
            std::vector<Size>& counts = of_thread[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
            for (Size row = 0; row < n; ++row) {
                const Size length = length_of(row);
                ++counts[static_cast<std::size_t>(length * turns + row % turns)];
                if (length == longest) longest_row = std::min(longest_row, row);
            }
        }
        std::vector<Size> total(static_cast<std::size_t>(longest) + 1);
        for (const auto& counts : of_thread) {
            for (std::size_t c = 0; c < counts.size(); ++c) total[c / static_cast<std::size_t>(turns)] += counts[c];
        }
        return row_statistics(total, static_cast<Index>(longest_row));
    });
}

}  // namespace stiefel
