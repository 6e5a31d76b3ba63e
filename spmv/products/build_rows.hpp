#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/products/row_accumulator.hpp"
#include "stiefel/spmv/products/row_offsets.hpp"
#include "stiefel/spmv/scan.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>
#include <vector>

namespace stiefel {

/// A matrix whose rows are found one by one, and their lengths with them. Chunks of rows are built side by side and put
/// together afterwards, so that no row is computed twice, to be counted and to be written.
template <class T, class Row>
class RowsBuilder {
public:
    RowsBuilder(OpenMP& backend, Index n_rows, Index n_cols, Row& row)
        : backend_(backend), n_rows_(n_rows), n_cols_(n_cols), row_(row), ends_(Size{n_rows} + 1) {
        const Size n_chunks = (Size{n_rows} + rows_per_chunk - 1) / rows_per_chunk;
        chunks_.resize(static_cast<std::size_t>(n_chunks));
    }

    HostCsr<T> build() {
        ends_[0] = 0;
#pragma omp parallel num_threads(backend_.threads()) if (chunks_.size() > 1)
        build_chunks();
        if (failure_) std::rethrow_exception(failure_);
        inclusive_scan(backend_, ends_.data(), ends_.size());
        return put_together();
    }

private:
    static constexpr Index rows_per_chunk = 4096;
    struct Chunk {
        HostVector<Index> cols;
        HostVector<T> values;
    };

    Index begin_of(std::size_t chunk) const {
        return static_cast<Index>(std::min<Size>(static_cast<Size>(chunk) * rows_per_chunk, n_rows_));
    }

    /// Takes one chunk after another until none is left. No exception may leave a parallel region.
    void build_chunks() {
        try {
            RowAccumulator<T> accumulator(n_cols_);
            for (std::size_t c = next_++; c < chunks_.size(); c = next_++) build_chunk(c, accumulator);
        } catch (...) {
#pragma omp critical(stiefel_build_rows)
            failure_ = std::current_exception();
            next_ = chunks_.size();
        }
    }

    void build_chunk(std::size_t c, RowAccumulator<T>& accumulator) {
        for (Index i = begin_of(c); i < begin_of(c + 1); ++i) {
            row_(i, accumulator);
            ends_[Size{i} + 1] = accumulator.end_row();
        }
        Chunk& chunk = chunks_[c];
        chunk.cols = HostVector<Index>(accumulator.size());
        chunk.values = HostVector<T>(accumulator.size());
        std::copy_n(accumulator.cols(), accumulator.size(), chunk.cols.data());
        std::copy_n(accumulator.values(), accumulator.size(), chunk.values.data());
        accumulator.clear();
    }

    HostCsr<T> put_together() {
        const Size nnz = ends_[n_rows_];
        HostCsr<T> matrix{.n_rows = n_rows_,
                          .n_cols = n_cols_,
                          .row_ptr = row_offsets(backend_, std::move(ends_)),
                          .col_idx = HostVector<Index>(nnz),
                          .values = HostVector<T>(nnz)};
        matrix.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend_.threads()) schedule(static) if (chunks_.size() > 1)
            for (std::size_t c = 0; c < chunks_.size(); ++c) {
                const Chunk chunk = std::move(chunks_[c]);
                std::copy_n(chunk.cols.data(), chunk.cols.size(), matrix.col_idx.data() + row_ptr[begin_of(c)]);
                std::copy_n(chunk.values.data(), chunk.values.size(), matrix.values.data() + row_ptr[begin_of(c)]);
            }
        });
        return matrix;
    }

    OpenMP& backend_;
    Index n_rows_;
    Index n_cols_;
    Row& row_;
    HostVector<Size> ends_;
    std::vector<Chunk> chunks_;
    std::atomic<std::size_t> next_ = 0;
    std::exception_ptr failure_;
};

/// n_rows x n_cols, where row(i, accumulator) adds up row i, from several threads.
template <class T, class Row>
HostCsr<T> build_rows(OpenMP& backend, Index n_rows, Index n_cols, Row&& row) {
    return RowsBuilder<T, Row>(backend, n_rows, n_cols, row).build();
}

}  // namespace stiefel
