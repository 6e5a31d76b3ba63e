#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/scan.hpp"
#include "stiefel/spmv/sort_row.hpp"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace stiefel {

/// Adds up the rows of a sparse matrix one after another. The place of a column in the row at hand is found by the
/// sparse set of Briggs and Torczon (1993), which never needs to be cleared.
template <class T>
class RowAccumulator {
public:
    explicit RowAccumulator(Index n_cols) : place_(static_cast<std::size_t>(n_cols)) {}

    void add(Index col, T value) {
        Index& place = place_[static_cast<std::size_t>(col)];
        if (place < length_ && cols_[first_ + static_cast<std::size_t>(place)] == col) {
            values_[first_ + static_cast<std::size_t>(place)] += value;
            return;
        }
        place = length_;
        const std::size_t end = first_ + static_cast<std::size_t>(length_);
        if (end == cols_.size()) grow();
        cols_[end] = col;
        values_[end] = value;
        ++length_;
    }

    /// Ends the row, columns ascending, and begins the next. Returns its length.
    Index end_row() {
        sorter_.sort_and_merge(cols_.data() + first_, values_.data() + first_, length_);
        first_ += static_cast<std::size_t>(length_);
        return std::exchange(length_, 0);
    }

    /// What all rows since the last clear() hold.
    Size size() const { return static_cast<Size>(first_); }
    const Index* cols() const { return cols_.data(); }
    const T* values() const { return values_.data(); }
    void clear() { first_ = 0; }

private:
    void grow() {
        const std::size_t size = std::max<std::size_t>(2 * cols_.size(), 1 << 12);
        cols_.resize(size);
        values_.resize(size);
    }

    std::vector<Index> place_;
    std::vector<Index> cols_;
    std::vector<T> values_;
    std::size_t first_ = 0;  // of the row at hand
    Index length_ = 0;
    RowSorter<T> sorter_;
};

/// A matrix whose rows are found one by one, their lengths with them: row(i, accumulator) adds up row i. Chunks of rows
/// are built side by side and put together afterwards, so that a row is computed once and not once to be counted.
template <class T, class Row>
class RowBuilder {
public:
    RowBuilder(OpenMP& backend, Index n_rows, Index n_cols, Row& row)
        : backend_(backend), n_rows_(n_rows), n_cols_(n_cols), row_(row), chunks_(n_chunks()) {}

    HostCsr<T> build() {
        HostVector<Size> ends(Size{n_rows_} + 1);
        ends[0] = 0;
        std::exception_ptr failure;
#pragma omp parallel num_threads(backend_.threads()) if (chunks_.size() > 1)
        try {
            build_chunks(ends);
        } catch (...) {
#pragma omp critical(stiefel_row_builder)
            failure = std::current_exception();
        }
        if (failure) std::rethrow_exception(failure);
        inclusive_scan(backend_, ends.data(), ends.size());
        return put_together(ends);
    }

private:
    static constexpr Index rows_per_chunk = 4096;
    struct Chunk {
        HostVector<Index> cols;
        HostVector<T> values;
    };

    std::size_t n_chunks() const {
        return static_cast<std::size_t>((Size{n_rows_} + rows_per_chunk - 1) / rows_per_chunk);
    }
    Index begin_of(std::size_t chunk) const {
        return static_cast<Index>(std::min<Size>(static_cast<Size>(chunk) * rows_per_chunk, n_rows_));
    }

    /// Takes chunks until none is left (no worksharing construct: an exception may leave it).
    void build_chunks(HostVector<Size>& ends) {
        RowAccumulator<T> accumulator(n_cols_);
        for (;;) {
            std::size_t c = 0;
#pragma omp atomic capture
            c = next_++;
            if (c >= chunks_.size()) return;
            for (Index i = begin_of(c); i < begin_of(c + 1); ++i) {
                row_(i, accumulator);
                ends[Size{i} + 1] = accumulator.end_row();
            }
            Chunk chunk{HostVector<Index>(accumulator.size()), HostVector<T>(accumulator.size())};
            std::copy_n(accumulator.cols(), accumulator.size(), chunk.cols.data());
            std::copy_n(accumulator.values(), accumulator.size(), chunk.values.data());
            chunks_[c] = std::move(chunk);
            accumulator.clear();
        }
    }

    HostCsr<T> put_together(const HostVector<Size>& ends) {
        const Size nnz = ends[n_rows_];
        HostCsr<T> matrix{
            .n_rows = n_rows_, .n_cols = n_cols_, .col_idx = HostVector<Index>(nnz), .values = HostVector<T>(nnz)};
#pragma omp parallel for num_threads(backend_.threads()) schedule(static)
        for (std::size_t c = 0; c < chunks_.size(); ++c) {
            std::copy_n(chunks_[c].cols.data(), chunks_[c].cols.size(), matrix.col_idx.data() + ends[begin_of(c)]);
            std::copy_n(chunks_[c].values.data(), chunks_[c].values.size(), matrix.values.data() + ends[begin_of(c)]);
            chunks_[c] = {};
        }
        matrix.row_ptr = row_offsets(backend_, ends);
        return matrix;
    }

    OpenMP& backend_;
    Index n_rows_;
    Index n_cols_;
    Row& row_;
    std::vector<Chunk> chunks_;
    std::size_t next_ = 0;
};

template <class T, class Row>
HostCsr<T> build_rows(OpenMP& backend, Index n_rows, Index n_cols, Row&& row) {
    return RowBuilder<T, Row>(backend, n_rows, n_cols, row).build();
}

}  // namespace stiefel
