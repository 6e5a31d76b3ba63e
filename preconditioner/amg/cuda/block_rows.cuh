#pragma once

#include "stiefel/preconditioner/amg/cuda/block_matrix.hpp"
#include "stiefel/preconditioner/amg/cuda/column.cuh"
#include "stiefel/spmv/products/cuda/two_passes.cuh"

#include <memory>
#include <utility>

namespace stiefel::amg {

/// What the patterns of blocks have in common: columns are added up, one a lane, by a warp each row.
struct BlockPattern : cuda::PatternBase<std::int32_t> {
    using Offset = std::int32_t;
    using Terms = cuda::Terms<Offset>;

    Index n_rows;  ///< of blocks
    Index n_cols;  ///< of unknowns

    static constexpr int block_lanes = warp_size;

    BlockPattern(Index rows, Index cols) : n_rows(rows), n_cols(cols) {}

    template <class F>
    void with_lanes(int, F&& f) const {
        f.template operator()<warp_size, warp_size>();
    }
};

/// The numbers of a matrix of columns as a vector of their own.
template <int height>
DeviceVector<double> numbers_of(Cuda& backend, DeviceVector<Column<height>> columns) {
    const Size n = columns.size();
    if (n == 0) return {};
    const auto owner = std::make_shared<DeviceVector<Column<height>>>(std::move(columns));
    return DeviceVector<double>::lent(backend, owner->data()->v, n * height, owner);
}

inline const std::int32_t* offsets_of(const DeviceBlockMatrix& m) {
    return cuda::OffsetsView(m.row_ptr).narrow();
}

template <int height>
const Column<height>* columns_of(const DeviceVector<double>& numbers) {
    return reinterpret_cast<const Column<height>*>(numbers.data());
}

/// The matrix whose rows of columns of `height` numbers are these; its blocks have `width` columns.
template <int height, class Rows>
DeviceBlockMatrix built_of(Cuda& backend, const Rows& rows, Index width) {
    DeviceCsr<Column<height>> columns = cuda::TwoPasses<Rows>(backend, rows).run();
    if (columns.row_ptr.is_wide()) throw TooManyBlocks{};
    return {.n_rows = columns.n_rows,
            .n_cols = columns.n_cols,
            .height = height,
            .width = width,
            .row_ptr = std::move(columns.row_ptr),
            .col_idx = std::move(columns.col_idx),
            .values = numbers_of(backend, std::move(columns.values))};
}

}  // namespace stiefel::amg
