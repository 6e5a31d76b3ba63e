#include "stiefel/spmv/formats.hpp"

#include <algorithm>
#include <functional>

namespace stiefel {

namespace {

constexpr Size index_bytes = sizeof(Index);

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

Index rows_of(const RowOffsets<HostMemory>& row_ptr) {
    return row_ptr.size() > 0 ? static_cast<Index>(row_ptr.size() - 1) : 0;
}

}  // namespace

Index sell_sorting_window(const RowStatistics& rows) {
    const bool even = rows.deviation <= 0.25 * rows.mean;
    return even ? 1 : 8 * sell_slice_height;
}

FormatSize FormatTraits<Csr>::size(OpenMP&, const RowOffsets<HostMemory>& row_ptr, Shape) {
    const Index n_rows = rows_of(row_ptr);
    const Size nnz = n_rows > 0 ? row_ptr.visit([&](const auto* offsets) { return Size{offsets[n_rows]}; }) : 0;
    return {.entries = nnz, .structure_bytes = row_ptr.bytes()};
}

FormatSize FormatTraits<Ellpack>::size(OpenMP& backend, const RowOffsets<HostMemory>& row_ptr, EllpackLayout layout) {
    const Size n_rows = rows_of(row_ptr);
    const Size width = row_statistics(backend, row_ptr).longest;
    const Size stride = layout == EllpackLayout::row_major ? n_rows : ellpack_column_stride(static_cast<Index>(n_rows));
    return {.entries = stride * width, .structure_bytes = n_rows * index_bytes};
}

FormatSize FormatTraits<Sell>::size(OpenMP& backend, const RowOffsets<HostMemory>& row_ptr, SellShape shape) {
    require(shape.slice_height > 0, "the size of SELL: slice_height must be positive");
    require(shape.sigma > 0, "the size of SELL: sigma must be positive");
    const Index n_rows = rows_of(row_ptr);
    const Size n_slices = n_rows / shape.slice_height + (n_rows % shape.slice_height != 0);
    return row_ptr.visit([&](const auto* offsets) {
        const SortedLengths sorted = sorted_lengths(backend, offsets, n_rows, shape.sigma);
        return FormatSize{.entries = sell_entries(backend, sorted.length, shape.slice_height),
                          .structure_bytes = (n_slices + 1) * static_cast<Size>(sizeof(Size)) +
                                             n_slices * shape.slice_height * index_bytes * (sorted.moved ? 2 : 1)};
    });
}

}  // namespace stiefel
