#pragma once

#include "stiefel/spmv/device_formats.hpp"

namespace stiefel::cuda {

/// Row offsets of either width, told apart where they are read: so kernels of several matrices need not be compiled for
/// every combination of widths.
class OffsetsView {
public:
    explicit OffsetsView(const RowOffsets<DeviceMemory>& offsets)
        : narrow_(offsets.is_wide() ? nullptr : pointer<std::int32_t>(offsets)),
          wide_(offsets.is_wide() ? pointer<std::int64_t>(offsets) : nullptr) {}

    __device__ Size operator[](Size i) const { return wide_ != nullptr ? wide_[i] : Size{narrow_[i]}; }

    /// The array, if it is of 32 bits.
    constexpr const std::int32_t* narrow() const { return narrow_; }

private:
    template <class Offset>
    static const Offset* pointer(const RowOffsets<DeviceMemory>& offsets) {
        return offsets.visit([](const auto* p) { return reinterpret_cast<const Offset*>(p); });
    }

    const std::int32_t* narrow_;
    const std::int64_t* wide_;
};

/// A matrix as kernels read it.
template <class T>
struct CsrView {
    explicit CsrView(const DeviceCsr<T>& a)
        : n_rows(a.n_rows),
          n_cols(a.n_cols),
          nnz(a.nnz()),
          row_ptr(a.row_ptr),
          col_idx(a.col_idx.data()),
          values(a.values.data()) {}

    /// Whether 32 bits are enough for every number of an entry, and a little beyond the last.
    bool is_narrow() const { return row_ptr.narrow() != nullptr && nnz < (Size{1} << 31) - 4096; }

    double mean_row() const { return n_rows > 0 ? static_cast<double>(nnz) / n_rows : 0; }

    Index n_rows;
    Index n_cols;
    Size nnz;
    OffsetsView row_ptr;
    const Index* col_idx;
    const T* values;
};

}  // namespace stiefel::cuda
