#pragma once

#include "stiefel/preconditioner/fsai/options.hpp"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <vector>

namespace stiefel::fsai {

/// Rows none of which is longer than Options::longest_row, apart from one another: where a row begins is known before
/// the lengths of others are.
struct RowsView {
    cuda::OffsetsView row_ptr;  ///< of the matrix in whose places they lie, where the stride is 0
    Size stride;
    Index* length;
    Index* cols;
    double* values;

    __device__ Size begin(Index i) const { return stride > 0 ? stride * i : row_ptr[i]; }
};

/// Their memory.
class Rows {
public:
    /// In places of A's rows, whose offsets must outlive this object.
    static Rows in_places_of(Cuda& backend, const DeviceCsr<double>& a) { return {backend, a, a.nnz(), 0}; }

    /// As many as A has, each with room for the longest.
    static Rows with_room(Cuda& backend, const DeviceCsr<double>& a) {
        return {backend, a, Size{a.n_rows} * Options::longest_row, Options::longest_row};
    }

    /// Of their entries, one row behind the other.
    RowOffsets<DeviceMemory> offsets(Cuda& backend) const {
        return cuda::row_offsets_from_counts(backend, length_, cols_.size());
    }

    const DeviceVector<Index>& lengths() const { return length_; }

    RowsView view() { return {row_ptr_, stride_, length_.data(), cols_.data(), values_.data()}; }
    Index n_rows() const { return static_cast<Index>(length_.size()); }

private:
    Rows(Cuda& backend, const DeviceCsr<double>& a, Size places, Size stride)
        : row_ptr_(a.row_ptr),
          stride_(stride),
          length_(backend, a.n_rows),
          cols_(backend, places),
          values_(backend, places) {}

    cuda::OffsetsView row_ptr_;
    Size stride_;
    DeviceVector<Index> length_, cols_;
    DeviceVector<double> values_;
};

/// The rows as a matrix of as many columns, with so many entries in all.
DeviceCsr<double> put_together(Cuda&, Rows&, RowOffsets<DeviceMemory> row_ptr, Size total);

/// What the columns of G are found from: those of its row i are the columns up to i of row i of |left| |right|, or of
/// right where there is no left.
class PatternFactors {
public:
    /// Of S = A scaled to a unit diagonal by these roots, without entries that are not above the threshold: right is
    /// that and left a power of it. Where rows grow, right is what they have grown to. A must outlive this object.
    PatternFactors(Cuda&, const DeviceCsr<double>& a, const DeviceVector<double>& inverse_roots, const Options&,
                   double least_pivot);

    bool has_left() const { return power_ > 1; }
    RowsView left() { return before_last_.empty() ? right_.view() : before_last_.back().view(); }
    RowsView right() { return right_.view(); }

private:
    Size power_;
    Rows right_;
    std::vector<Rows> before_last_;  // one, of powers above 2
};

/// Throws InvalidArgument naming row and entry, if there is such a row (LevelFacts::none).
void refuse_bad_row(Cuda&, const DeviceVector<double>& diagonal, Index first_bad_row);

}  // namespace stiefel::fsai
