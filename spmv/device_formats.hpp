#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/spmv/convert.hpp"

#include <cstdint>
#include <memory>

namespace stiefel {

/// What the CSR kernels that balance by nonzeros keep beside a matrix: the rows where equal shares of nonzeros begin,
/// and a place for what one block hands to another (so one SpMV with a matrix may run at a time).
struct CsrShares {
    static constexpr Index nonzeros = 128;      ///< in a share, which is a warp's
    static constexpr Index merge_items = 1536;  ///< rows and nonzeros in a tile of the merge path

    Index n_shares = 0;             ///< nnz / nonzeros + 1
    Index longest_row = 0;          ///< its nonzeros
    bool has_split_rows = false;    ///< rows longer than a share are split over blocks
    DeviceVector<Index> first_row;  ///< n_shares + 1: first row that starts in share k or later

    mutable DeviceVector<double> carry;      ///< partial sums of split rows, two a share or one a tile
    mutable DeviceVector<Index> carry_row;   ///< of a tile: the row its partial sum belongs to
    mutable DeviceVector<double> split_dot;  ///< by share: <x, y> of the split row that starts in it, else 0
    mutable DeviceVector<unsigned> arrived;  ///< by share: parts of that row that are done; 0 between kernels
};

/// What the CSR kernel `binned` keeps beside a matrix. Columns are cut into strips with equally many nonzeros, one a
/// multiprocessor, whose part of x fits into its shared memory; nonzeros, in their order, into tiles that are added up
/// at a time. What a strip has in a tile is a bin, filled up to whole units of 32 bytes of x.
template <class T>
struct CsrBins {
    bool fits = false;  ///< otherwise nothing is here
    int blocks = 0;     ///< of the kernel; a step is a tile for each of them
    Index n_strips = 0;
    Index n_tiles = 0;
    Index n_steps = 0;
    Index tile_units = 0;     ///< the most that a tile can have, with its padding
    Index strip_columns = 0;  ///< the most that a strip can have

    DeviceVector<Index> strip_begin;       ///< n_strips + 1: first column
    DeviceVector<Index> step_begin;        ///< by strip, n_steps + 1: first unit of a step among all
    DeviceVector<std::uint16_t> column;    ///< by strip and tile: column in the strip
    DeviceVector<Index> destination;       ///< by unit: where in the step's tiles, in units
    DeviceVector<std::uint16_t> position;  ///< by tile, tile_units units each: place in the tile, in strips' order
    DeviceVector<Index> n_units;           ///< by tile

    // What blocks hand to each other while the kernel runs.
    mutable DeviceVector<T> gathered;         ///< x by tile, for a ring of steps
    mutable DeviceVector<unsigned> counters;  ///< by step: blocks that have written, that have read; 0 between kernels
    mutable DeviceVector<double> carry;       ///< as in CsrShares, by tile
    mutable DeviceVector<double> split_dot;
    mutable DeviceVector<unsigned> arrived;

    Size bytes() const {
        return strip_begin.bytes() + step_begin.bytes() + column.bytes() + destination.bytes() + position.bytes() +
               n_units.bytes() + gathered.bytes();
    }
};

/// CSR on a device.
template <class T>
struct Csr<T, DeviceMemory> {
    using value_type = T;
    using memory = DeviceMemory;

    Index n_rows = 0;
    Index n_cols = 0;
    RowOffsets<DeviceMemory> row_ptr;
    DeviceVector<Index> col_idx;
    DeviceVector<T> values;
    CsrShares shares;
    mutable std::unique_ptr<const CsrBins<T>> bins;  ///< made by the first product of `binned`

    Size nnz() const { return values.size(); }
    Size bytes() const {
        return row_ptr.bytes() + col_idx.bytes() + values.bytes() + (bins != nullptr ? bins->bytes() : 0);
    }
};

template <class T>
using DeviceCsr = Csr<T, DeviceMemory>;
template <class T>
using DeviceEllpack = Ellpack<T, DeviceMemory>;
template <class T>
using DeviceSell = Sell<T, DeviceMemory>;
template <class T>
using DeviceCompressedSell = CompressedSell<T, DeviceMemory>;

/// Copies between host and device.
template <class T>
DeviceCsr<T> to_device(Cuda&, const HostCsr<T>& csr);
template <class T>
DeviceEllpack<T> to_device(Cuda&, const HostEllpack<T>& ellpack);
template <class T>
DeviceSell<T> to_device(Cuda&, const HostSell<T>& sell);
template <class T>
DeviceCompressedSell<T> to_device(Cuda&, const HostCompressedSell<T>& compressed);
template <class T>
HostCsr<T> to_host(Cuda&, const DeviceCsr<T>& csr);
template <class T>
HostEllpack<T> to_host(Cuda&, const DeviceEllpack<T>& ellpack);
template <class T>
HostSell<T> to_host(Cuda&, const DeviceSell<T>& sell);
template <class T>
HostCompressedSell<T> to_host(Cuda&, const DeviceCompressedSell<T>& compressed);

/// Conversions on the device, the same to the last bit as those of the host: linear in the nonzeros (SELL: also
/// O(n_rows * sigma) comparisons from fast memory). They wait once, for the size of what they build.
/// Throw InvalidArgument beyond the padding limit, OutOfMemory beyond the device.

/// From entries in host memory, which are read when it returns: they are brought to the device as they are, expanded,
/// sorted by row and column and added up there. Device memory beside the result: what the entries take, 4 bytes a
/// nonzero and 4 a row; 8 more a nonzero where rows are longer than 4096.
template <class T>
CsrFromCoo<T, DeviceMemory> csr_from_coo(Cuda&, const Coo<T>& coo);
template <class T>
DeviceEllpack<T> ellpack_from_csr(Cuda&, const DeviceCsr<T>& csr, EllpackLayout layout, PaddingLimit limit = {});
template <class T>
DeviceSell<T> sell_from_csr(Cuda&, const DeviceCsr<T>& csr, Index slice_height, Index sigma, PaddingLimit limit = {});
template <class T>
DeviceCompressedSell<T> compressed_sell_from_csr(Cuda&, const DeviceCsr<T>& csr, Index sigma, PaddingLimit limit = {});

/// The entries that this would store, padding included. Waits for the number.
template <class T>
Size sell_entries(Cuda&, const DeviceCsr<T>& csr, Index slice_height, Index sigma);

}  // namespace stiefel
