#include "stiefel/analysis/row_length_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace stiefel {

namespace {

constexpr Index most_bins = 32;

int octave(Index length) {
    return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(length)));
}

/// The last length of an octave: 0, 1, 3, 7, ...
Index octave_end(int octave) {
    return static_cast<Index>((Size{1} << octave) - 1);
}

template <class F>
void count_rows(const RowOffsets<HostMemory>& row_ptr, RowLengthHistogram& histogram, const F& bin_of) {
    row_ptr.visit([&](const auto* offsets) {
        for (Size row = 0; row + 1 < row_ptr.size(); ++row) {
            ++histogram.bins[static_cast<std::size_t>(bin_of(static_cast<Index>(offsets[row + 1] - offsets[row])))]
                  .rows;
        }
    });
}

}  // namespace

RowLengthHistogram row_length_histogram(const RowOffsets<HostMemory>& row_ptr, const RowStatistics& rows) {
    RowLengthHistogram histogram;
    if (rows.longest_row < 0) return histogram;
    const Index spread = rows.longest - rows.shortest;
    histogram.is_logarithmic = spread >= most_bins && rows.longest > 8 * Size{std::max(1, rows.shortest)};
    if (histogram.is_logarithmic) {
        const int from = octave(rows.shortest);
        for (int o = from; o <= octave(rows.longest); ++o) {
            histogram.bins.push_back({o == 0 ? 0 : octave_end(o - 1) + 1, octave_end(o), 0});
        }
        count_rows(row_ptr, histogram, [&](Index length) { return octave(length) - from; });
    } else {
        const Index width = spread / most_bins + 1;
        for (Size first = rows.shortest; first <= rows.longest; first += width) {
            histogram.bins.push_back({static_cast<Index>(first), static_cast<Index>(first) + width - 1, 0});
        }
        count_rows(row_ptr, histogram, [&](Index length) { return (length - rows.shortest) / width; });
    }
    return histogram;
}

}  // namespace stiefel
