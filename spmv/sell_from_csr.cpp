#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/padding.hpp"
#include "stiefel/spmv/scan.hpp"

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

/// The rows, longest first within each window of sigma; rows of a length stay in order. Empty if no row moved.
template <class Offset>
HostVector<Index> sorted_rows(OpenMP& backend, const Offset* row_ptr, Index n_rows, Size n_slots, Index sigma) {
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

}  // namespace

template <class T>
HostSell<T> sell_from_csr(OpenMP& backend, const HostCsr<T>& csr, Index slice_height, Index sigma, PaddingLimit limit) {
    require(slice_height > 0, "sell_from_csr: slice_height must be positive");
    require(sigma > 0, "sell_from_csr: sigma must be positive");
    HostSell<T> a{.n_rows = csr.n_rows,
                  .n_cols = csr.n_cols,
                  .n_nonzeros = csr.nnz(),
                  .slice_height = slice_height,
                  .sigma = sigma};
    csr.row_ptr.visit([&](const auto* row_ptr) {
        const Index n_slices = a.n_slices();
        a.row_of_slot = sorted_rows(backend, row_ptr, csr.n_rows, a.n_slots(), sigma);
        a.row_length = HostVector<Index>(a.n_slots());
        a.slice_ptr = HostVector<Size>(Size{n_slices} + 1);
        a.slice_ptr[0] = 0;
        Index longest = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(max : longest)
        for (Index slice = 0; slice < n_slices; ++slice) {
            Index width = 0;
            for (Size slot = Size{slice} * slice_height; slot < (Size{slice} + 1) * slice_height; ++slot) {
                const Index row = a.row(slot);
                a.row_length[slot] = row < csr.n_rows ? static_cast<Index>(row_ptr[row + 1] - row_ptr[row]) : 0;
                width = std::max(width, a.row_length[slot]);
            }
            a.slice_ptr[slice + 1] = Size{width} * slice_height;
            longest = std::max(longest, width);
        }
        inclusive_scan(backend, a.slice_ptr.data(), a.slice_ptr.size());
        const Size n_stored = a.slice_ptr[n_slices];
        check_padding(limit, "sell", longest, n_stored, csr.nnz(), sizeof(T) + sizeof(Index));
        a.col_idx = HostVector<Index>(n_stored);
        a.values = HostVector<T>(n_stored);
#pragma omp parallel for num_threads(backend.threads()) schedule(static)
        for (Index slice = 0; slice < n_slices; ++slice) {
            const Size width = (a.slice_ptr[slice + 1] - a.slice_ptr[slice]) / slice_height;
            for (Index lane = 0; lane < slice_height; ++lane) {
                const Size slot = Size{slice} * slice_height + lane;
                const Index length = a.row_length[slot];
                const Size first = length > 0 ? row_ptr[a.row(slot)] : 0;
                const Index last_col = length > 0 ? csr.col_idx[first + length - 1] : 0;
                Size k = a.slice_ptr[slice] + lane;
                for (Size j = 0; j < width; ++j, k += slice_height) {
                    a.col_idx[k] = j < length ? csr.col_idx[first + j] : last_col;
                    a.values[k] = j < length ? csr.values[first + j] : T{0};
                }
            }
        }
    });
    return a;
}

template HostSell<double> sell_from_csr(OpenMP&, const HostCsr<double>&, Index, Index, PaddingLimit);
template HostSell<float> sell_from_csr(OpenMP&, const HostCsr<float>&, Index, Index, PaddingLimit);

}  // namespace stiefel
