#include "stiefel/analysis/pattern_raster.hpp"

#include <algorithm>

namespace stiefel {

RasterAxis::RasterAxis(Index size, Index most) : size_(size), cells_(std::min(size, most)) {
    require(most >= 1 && most <= most_cells, "RasterAxis: from 1 to 4096 cells");
    if (cells_ > 0) scale_ = (static_cast<std::uint64_t>(cells_) << shift) / static_cast<std::uint64_t>(size);
}

Index RasterAxis::first_of(Index cell) const {
    if (cell >= cells_) return size_;
    const std::uint64_t scaled = static_cast<std::uint64_t>(cell) << shift;
    return static_cast<Index>((scaled + scale_ - 1) / scale_);
}

double PatternRaster::density(Index row, Index column) const {
    const double places = static_cast<double>(rows.length_of(row)) * columns.length_of(column);
    return static_cast<double>(count(row, column)) / places;
}

template <class T>
PatternRaster pattern_raster(OpenMP& backend, const HostCsr<T>& a, Index most) {
    PatternRaster raster{.rows = {a.n_rows, most}, .columns = {a.n_cols, most}};
    raster.counts.resize(static_cast<std::size_t>(Size{raster.rows.cells()} * raster.columns.cells()));
    const RasterAxis columns = raster.columns;
    a.row_ptr.visit([&](const auto* row_ptr) {
    // A row of cells belongs to one thread. It may hold most of the entries, so threads take what is next.
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic)
        for (Index strip = 0; strip < raster.rows.cells(); ++strip) {
            Size* const counts = raster.counts.data() + Size{strip} * columns.cells();
            const auto begin = row_ptr[raster.rows.first_of(strip)], end = row_ptr[raster.rows.first_of(strip + 1)];
            for (auto k = begin; k < end; ++k) ++counts[columns.cell_of(a.col_idx[k])];
        }
    });
    return raster;
}

template PatternRaster pattern_raster(OpenMP&, const HostCsr<float>&, Index);
template PatternRaster pattern_raster(OpenMP&, const HostCsr<double>&, Index);

}  // namespace stiefel
