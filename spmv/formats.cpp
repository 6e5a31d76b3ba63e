#include "stiefel/spmv/formats.hpp"

#include "stiefel/spmv/equal_slices.hpp"
#include "stiefel/spmv/rows_by_length.hpp"
#include "stiefel/spmv/slice_plan.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

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

FormatSize ellpack_size(OpenMP& backend, const RowOffsets<HostMemory>& row_ptr, EllpackLayout layout) {
    const Size n_rows = rows_of(row_ptr);
    const Size width = row_statistics(backend, row_ptr).longest;
    const Size stride = layout == EllpackLayout::row_major ? n_rows : ellpack_column_stride(static_cast<Index>(n_rows));
    return {.entries = stride * width, .structure_bytes = (stride * width + n_rows) * index_bytes};
}

FormatSize sell_size(OpenMP& backend, const RowOffsets<HostMemory>& row_ptr, const SellShape& shape) {
    require(shape.slice_height > 0, "the size of SELL: slice_height must be positive");
    require(shape.sigma > 0, "the size of SELL: sigma must be positive");
    const Index n_rows = rows_of(row_ptr);
    const Size n_slices = n_rows / shape.slice_height + (n_rows % shape.slice_height != 0);
    return row_ptr.visit([&](const auto* offsets) {
        const SortedLengths sorted = sorted_lengths(backend, offsets, n_rows, shape.sigma);
        const Size entries = sell_entries(backend, sorted.length, shape.slice_height);
        const Size indices = entries + n_slices * shape.slice_height * (sorted.moved ? 2 : 1);
        return FormatSize{.entries = entries,
                          .structure_bytes = (n_slices + 1) * static_cast<Size>(sizeof(Size)) + indices * index_bytes};
    });
}

template <class T>
FormatSize compressed_sell_size(OpenMP& backend, const HostCsr<T>& a, Index sigma, Index every) {
    require(sigma > 0, "the size of compressed SELL: sigma must be positive");
    const HostCompressedSell<T> like{.n_rows = a.n_rows};
    return a.row_ptr.visit([&](const auto* row_ptr) {
        const HostVector<Index> row_of_slot = rows_by_length(backend, row_ptr, a.n_rows, like.n_slots(), sigma);
        std::vector<Index> equal;
        if (every == 1) equal = EqualSlices(backend, Unscaled<T>{a}, row_ptr, row_of_slot).find();
        const HostVector<CompressedSlice> slices =
            planned_slices(backend, a, row_ptr, row_of_slot, sizeof(T), every, std::move(equal)).slices;
        const Size samples = slices.size() - 1, n = like.n_slices();
        const auto of_all = [&](Size of_samples) { return samples > 0 ? of_samples * n / samples : 0; };
        const Size groups = of_all(slices[samples].group), distances = of_all(slices[samples].distance);
        return FormatSize{.entries = groups * like.slice_height,
                          .structure_bytes = (n + 1) * static_cast<Size>(sizeof(CompressedSlice)) +
                                             row_of_slot.bytes() + groups * index_bytes +
                                             distances * static_cast<Size>(sizeof(std::uint16_t))};
    });
}

template FormatSize compressed_sell_size(OpenMP&, const HostCsr<double>&, Index, Index);
template FormatSize compressed_sell_size(OpenMP&, const HostCsr<float>&, Index, Index);

}  // namespace stiefel
