#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"

#include <cstdint>
#include <vector>

namespace stiefel {

/// Cuts 0, 1, ..., size - 1 into cells of nearly the same length, and tells the cell of each without a division.
class RasterAxis {
public:
    RasterAxis() = default;
    /// min(size, most) cells; `most` from 1 to most_cells.
    RasterAxis(Index size, Index most);

    Index cells() const { return cells_; }
    Index cell_of(Index at) const { return static_cast<Index>((static_cast<std::uint64_t>(at) * scale_) >> shift); }
    /// The first of a cell; of cells(), the size.
    Index first_of(Index cell) const;
    Index length_of(Index cell) const { return first_of(cell + 1) - first_of(cell); }

    static constexpr Index most_cells = 4096;

private:
    static constexpr int shift = 48;  // so that a cell's number, shifted, fits into 64 bits

    Index size_ = 0;
    Index cells_ = 0;
    std::uint64_t scale_ = 0;  ///< cells / size in units of 2^-shift, rounded down
};

/// Where the stored entries of a matrix lie, in coarse: how many in each cell of a grid.
struct PatternRaster {
    RasterAxis rows = {};
    RasterAxis columns = {};
    std::vector<Size> counts = {};  ///< cell by cell of the first row of cells, and so on; the sum is nnz

    Size count(Index row, Index column) const {
        return counts[static_cast<std::size_t>(Size{row} * columns.cells() + column)];
    }
    /// The share of a cell's places that hold an entry, from 0 to 1.
    double density(Index row, Index column) const;
};

/// One pass over the columns' numbers, in parallel, of at most `most` x `most` cells; the same on any number of
/// threads. Cost: about one SpMV's.
template <class T>
PatternRaster pattern_raster(OpenMP&, const HostCsr<T>& a, Index most = 96);

}  // namespace stiefel
