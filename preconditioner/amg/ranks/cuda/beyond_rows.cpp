#include "stiefel/preconditioner/amg/ranks/cuda/beyond_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace stiefel::amg {

namespace {

template <class T>
HostVector<T> in_host_memory(const std::vector<T>& numbers) {
    HostVector<T> copy(static_cast<Size>(numbers.size()));
    std::copy(numbers.begin(), numbers.end(), copy.data());
    return copy;
}

/// The columns of some entries, each once and ascending, and the number of each: a bit for every column from the first
/// to the last says which there are. To sort them takes several times as long.
class ColumnNumbers {
public:
    explicit ColumnNumbers(std::span<const BeyondEntry> entries) {
        Size last = -1;
        first_ = std::numeric_limits<Size>::max();
        for (const BeyondEntry& entry : entries) {
            first_ = std::min(first_, entry.column);
            last = std::max(last, entry.column);
        }
        if (entries.empty()) return;
        words_.resize(static_cast<std::size_t>((last - first_) / bits + 1));
        for (const BeyondEntry& entry : entries) {
            const auto place = static_cast<std::size_t>(entry.column - first_);
            words_[place / bits].of |= std::uint64_t{1} << place % bits;
        }
        Index before = 0;
        for (Word& word : words_) {
            word.before = before;
            before += static_cast<Index>(std::popcount(word.of));
        }
    }

    Index operator()(Size column) const {
        const auto place = static_cast<std::size_t>(column - first_);
        const Word& word = words_[place / bits];
        const std::uint64_t below = (std::uint64_t{1} << place % bits) - 1;
        return word.before + static_cast<Index>(std::popcount(word.of & below));
    }

    std::vector<Size> columns() const {
        std::vector<Size> all;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t left = words_[w].of; left != 0; left &= left - 1) {
                all.push_back(first_ + static_cast<Size>(w) * bits + std::countr_zero(left));
            }
        }
        return all;
    }

private:
    static constexpr int bits = 64;
    struct Word {
        std::uint64_t of = 0;
        Index before = 0;  ///< in words ahead
    };

    Size first_;
    std::vector<Word> words_;
};

}  // namespace

SplitRows<double> beyond_rows(std::span<const BeyondEntry> entries) {
    const auto n = static_cast<Size>(entries.size());
    const ColumnNumbers number(entries);
    SplitRows<double> rows;
    rows.ghosts = number.columns();
    std::vector<Index> boundary;
    std::vector<Size> begins;
    HostVector<Index> columns(n);
    HostVector<double> values(n);
    for (Size k = 0; k < n; ++k) {
        const BeyondEntry& entry = entries[static_cast<std::size_t>(k)];
        if (boundary.empty() || boundary.back() != entry.row) {
            boundary.push_back(entry.row);
            begins.push_back(k);
        }
        columns[k] = number(entry.column);
        values[k] = entry.value;
    }
    begins.push_back(n);
    rows.boundary = in_host_memory(boundary);
    rows.beyond = {.n_rows = static_cast<Index>(boundary.size()),
                   .n_cols = static_cast<Index>(rows.ghosts.size()),
                   .row_ptr = RowOffsets<HostMemory>(in_host_memory(begins)),
                   .col_idx = std::move(columns),
                   .values = std::move(values)};
    return rows;
}

}  // namespace stiefel::amg
