#pragma once

#include "stiefel/core/types.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

namespace stiefel {

/// Column number of the places at a row's end that adding up duplicates left over.
inline constexpr Index removed_column = -1;

/// Sorts the entries of rows by column, stably and in time linear in their number; one per thread, for its scratch.
template <class T>
class RowSorter {
public:
    /// Sorts the row and adds up entries of equal column in the order given. Returns how many entries went away; as
    /// many places at the end get removed_column.
    Size sort_and_merge(Index* cols, T* values, Size n) {
        if (strictly_ascending(cols, n)) return 0;
        if (n <= insertion_limit) {
            sort_by_insertion(cols, values, n);
        } else {
            sort_by_digits(cols, values, n);
        }
        return merge(cols, values, n);
    }

private:
    using Entry = std::pair<Index, T>;
    static constexpr Size insertion_limit = 32;
    static constexpr int digit_bits = 8;
    static constexpr Index n_digits = 1 << digit_bits;

    static bool strictly_ascending(const Index* cols, Size n) {
        for (Size k = 1; k < n; ++k) {
            if (cols[k - 1] >= cols[k]) return false;
        }
        return true;
    }

    static void sort_by_insertion(Index* cols, T* values, Size n) {
        for (Size k = 1; k < n; ++k) {
            const Index col = cols[k];
            const T value = values[k];
            Size place = k;
            for (; place > 0 && cols[place - 1] > col; --place) {
                cols[place] = cols[place - 1];
                values[place] = values[place - 1];
            }
            cols[place] = col;
            values[place] = value;
        }
    }

    /// Least significant digit first (Knuth, volume 3, section 5.2.5).
    void sort_by_digits(Index* cols, T* values, Size n) {
        entries_.resize(static_cast<std::size_t>(n));
        sorted_.resize(static_cast<std::size_t>(n));
        for (Size k = 0; k < n; ++k) entries_[static_cast<std::size_t>(k)] = {cols[k], values[k]};
        const Index largest = *std::max_element(cols, cols + n);
        for (int shift = 0; shift < 31 && (largest >> shift) > 0; shift += digit_bits) sort_by_digit(shift);
        for (Size k = 0; k < n; ++k) std::tie(cols[k], values[k]) = entries_[static_cast<std::size_t>(k)];
    }

    void sort_by_digit(int shift) {
        const auto digit = [shift](const Entry& entry) {
            return static_cast<std::size_t>((entry.first >> shift) & (n_digits - 1));
        };
        std::array<std::size_t, n_digits> place{};
        for (const Entry& entry : entries_) ++place[digit(entry)];
        std::size_t before = 0;
        for (std::size_t& count : place) before += std::exchange(count, before);
        for (const Entry& entry : entries_) sorted_[place[digit(entry)]++] = entry;
        entries_.swap(sorted_);
    }

    static Size merge(Index* cols, T* values, Size n) {
        Size last = 0;
        for (Size k = 1; k < n; ++k) {
            if (cols[k] == cols[last]) {
                values[last] += values[k];
            } else {
                ++last;
                cols[last] = cols[k];
                values[last] = values[k];
            }
        }
        std::fill(cols + last + 1, cols + n, removed_column);
        return n - 1 - last;
    }

    std::vector<Entry> entries_;
    std::vector<Entry> sorted_;
};

}  // namespace stiefel
