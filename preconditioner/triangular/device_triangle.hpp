#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/preconditioner/triangular/expansion.hpp"

namespace stiefel::triangular {

/// Rows of one level that the lanes of a warp take together. They are about as long as each other.
struct Slice {
    static constexpr Index warp = 32;

    Index first = 0;   ///< place of the first one
    Index n_rows = 0;  ///< at most warp / lanes
    Index lanes = 1;   ///< that share a row: a power of two
    Index gate = -1;   ///< a place of an earlier level that is filled well before these rows can be computed; -1: none
};

/// A triangle of LevelTriangles on a device. Rows have places: the order of levels, and within a level that of slices.
template <class T>
struct DeviceTriangle {
    HostVector<Index> level_start = {};  ///< places, and one more: for what starts a kernel for each level
    DeviceVector<Index> level = {};      ///< of the row at a place
    DeviceVector<Index> source = {};     ///< where its right-hand side lies
    DeviceVector<Index> row = {};        ///< which row it is; empty where `source` says so
    DeviceVector<Size> start = {};       ///< of its entries in cols and values, and one more
    DeviceVector<Index> cols = {};       ///< places
    DeviceVector<T> values = {};         ///< l_ij / l_ii beside the diagonal: no product is left for the end of a row
    DeviceVector<T> inverse = {};        ///< 1 / l_ii
    DeviceVector<Slice> slices = {};
    Index longest_row = 0;

    // Of an expansion (expansion.hpp): what of the right-hand side makes that of a place; empty where that is its own
    // alone.
    DeviceVector<Size> early_start = {};
    DeviceVector<Index> early_cols = {};  ///< where right-hand sides lie, as in `source`
    DeviceVector<T> early_values = {};

    Index n_rows() const { return static_cast<Index>(source.size()); }
    Index n_levels() const { return static_cast<Index>(level_start.size()) - 1; }
    Size bytes() const {
        return level.bytes() + source.bytes() + row.bytes() + start.bytes() + cols.bytes() + values.bytes() +
               inverse.bytes() + slices.bytes() + early_start.bytes() + early_cols.bytes() + early_values.bytes();
    }
};

/// L and L'. Right-hand sides of L are found by rows, those of L' by the places of L, where it leaves its results.
template <class T>
struct DeviceTriangles {
    DeviceTriangle<T> lower = {}, upper = {};

    Size bytes() const { return lower.bytes() + upper.bytes(); }
};

/// Throws OutOfMemory before anything is copied where the device has no room.
template <class T>
DeviceTriangles<T> to_device(Cuda& backend, const LevelTriangles<T>& triangles, const Expansion& expansion = {});

}  // namespace stiefel::triangular
