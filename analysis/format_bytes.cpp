#include "stiefel/analysis/format_bytes.hpp"

#include "stiefel/spmv/row_statistics.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace stiefel {

namespace {

/// Row lengths in the order of the slots of SELL-C-sigma: descending within windows of sigma rows.
struct SortedLengths {
    HostVector<Index> length;
    bool moved = false;  ///< whether any row changed its place
};

template <class Offset>
SortedLengths sorted_lengths(OpenMP& backend, const Offset* row_ptr, Index n_rows, Index sigma) {
    SortedLengths sorted{.length = HostVector<Index>(n_rows)};
    const Index n_windows = n_rows / sigma + (n_rows % sigma != 0);
    bool moved = false;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(|| : moved)
    for (Index window = 0; window < n_windows; ++window) {
        const Index first = window * sigma;
        const Index last = first + std::min(sigma, n_rows - first);
        for (Index i = first; i < last; ++i) sorted.length[i] = static_cast<Index>(row_ptr[i + 1] - row_ptr[i]);
        Index* const begin = sorted.length.data() + first;
        Index* const end = sorted.length.data() + last;
        if (std::is_sorted(begin, end, std::greater<>())) continue;
        std::sort(begin, end, std::greater<>());
        moved = true;
    }
    sorted.moved = moved;
    return sorted;
}

Size sell_entries(OpenMP& backend, const HostVector<Index>& length, Index slice_height) {
    const Size n_slices = (length.size() + slice_height - 1) / slice_height;
    Size total_width = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(+ : total_width)
    for (Size slice = 0; slice < n_slices; ++slice) {
        const Index* const begin = length.begin() + slice * slice_height;
        const Index* const end = length.begin() + std::min<Size>(length.size(), (slice + 1) * slice_height);
        total_width += *std::max_element(begin, end);
    }
    return total_width * slice_height;
}

}  // namespace

template <class T>
FormatBytes bytes_in_formats(OpenMP& backend, const HostCsr<T>& a, Index slice_height, Index sigma) {
    require(slice_height > 0, "bytes_in_formats: slice_height must be positive");
    require(sigma > 0, "bytes_in_formats: sigma must be positive");
    constexpr Size index_bytes = sizeof(Index);
    constexpr Size entry_bytes = sizeof(T) + index_bytes;
    return a.row_ptr.visit([&](const auto* row_ptr) {
        const SortedLengths sorted = sorted_lengths(backend, row_ptr, a.n_rows, sigma);
        const Size n_slices = (Size{a.n_rows} + slice_height - 1) / slice_height;
        const Size n_slots = n_slices * slice_height;
        const Size width = row_statistics(backend, a).longest;
        return FormatBytes{.csr = a.bytes(),
                           .ellpack = a.n_rows * (index_bytes + width * entry_bytes),
                           .sell = (n_slices + 1) * static_cast<Size>(sizeof(Size)) +
                                   n_slots * index_bytes * (sorted.moved ? 2 : 1) +
                                   sell_entries(backend, sorted.length, slice_height) * entry_bytes};
    });
}

template FormatBytes bytes_in_formats(OpenMP&, const HostCsr<float>&, Index, Index);
template FormatBytes bytes_in_formats(OpenMP&, const HostCsr<double>&, Index, Index);

}  // namespace stiefel
