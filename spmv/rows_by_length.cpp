#include "stiefel/spmv/rows_by_length.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace stiefel {

namespace {

/// Sorts rows stably, the longest first: by counting, unless lengths reach much further than there are rows.
template <class Length>
void sort_by_length(Index* begin, Index* end, const Length& length, std::vector<Index>& scratch) {
    const auto longer = [&](Index a, Index b) { return length(a) > length(b); };
    const auto longest = static_cast<Size>(length(*std::min_element(begin, end, longer)));
    const Size n = end - begin;
    if (longest > 4 * n) return std::stable_sort(begin, end, longer);
    scratch.assign(static_cast<std::size_t>(longest + 2 + n), 0);
    Index* const place = scratch.data();  // where the rows that are shorter than the longest by k begin
    const auto shorter_by = [&](Index row) { return longest - static_cast<Size>(length(row)); };
    for (const Index* row = begin; row != end; ++row) ++place[shorter_by(*row) + 1];
    std::partial_sum(place, place + longest + 1, place);
    Index* const sorted = place + longest + 2;
    for (const Index* row = begin; row != end; ++row) sorted[place[shorter_by(*row)]++] = *row;
    std::copy_n(sorted, n, begin);
}

}  // namespace

template <class Offset>
HostVector<Index> rows_by_length(OpenMP& backend, const Offset* row_ptr, Index n_rows, Size n_slots, Index sigma) {
    if (sigma == 1) return {};
    const auto length = [row_ptr](Index row) { return row_ptr[row + 1] - row_ptr[row]; };
    HostVector<Index> rows(n_slots);
    const Index n_windows = n_rows / sigma + (n_rows % sigma != 0);
    bool moved = false;
#pragma omp parallel num_threads(backend.threads()) reduction(|| : moved)
    {
        std::vector<Index> scratch;
#pragma omp for schedule(static)
        for (Index window = 0; window < n_windows; ++window) {
            const Index first = window * sigma;
            Index* const begin = rows.data() + first;
            Index* const end = begin + std::min(sigma, n_rows - first);
            std::iota(begin, end, first);
            if (std::is_sorted(begin, end, [&](Index a, Index b) { return length(a) > length(b); })) continue;
            sort_by_length(begin, end, length, scratch);
            moved = true;
        }
    }
    if (!moved) return {};
    std::fill(rows.begin() + n_rows, rows.end(), n_rows);
    return rows;
}

template HostVector<Index> rows_by_length(OpenMP&, const std::int32_t*, Index, Size, Index);
template HostVector<Index> rows_by_length(OpenMP&, const std::int64_t*, Index, Size, Index);

}  // namespace stiefel
