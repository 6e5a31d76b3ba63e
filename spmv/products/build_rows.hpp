#pragma once

#include "stiefel/core/openmp.hpp"
#include "stiefel/spmv/csr.hpp"
#include "stiefel/spmv/products/found_rows.hpp"
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
    RowsBuilder(OpenMP& backend, Index n_rows, Index n_cols, RowOrder order, Row& row)
        : backend_(backend), n_rows_(n_rows), n_cols_(n_cols), order_(order), row_(row), ends_(Size{n_rows} + 1) {}

    HostCsr<T> build() {
        find();
        inclusive_scan(backend_, ends_.data(), ends_.size());
        return put_together();
    }

    /// Left where they were found, in the order in which they were.
    FoundRows<T> found() {
        find();
        return FoundRows<T>(backend_, std::move(stores_), std::move(ends_));
    }

private:
    static constexpr Index rows_per_chunk = 4096;

    void find() {
        ends_[0] = 0;
#pragma omp parallel num_threads(backend_.threads()) if (n_rows_ > rows_per_chunk)
        build_chunks();
        if (failure_) std::rethrow_exception(failure_);
    }

    /// Takes one chunk after another until none is left. No exception may leave a parallel region.
    void build_chunks() {
        try {
            RowAccumulator<T> accumulator(n_cols_, order_);
            for (Size begin = next_ += rows_per_chunk; (begin -= rows_per_chunk) < n_rows_;
                 begin = next_ += rows_per_chunk) {
                build_chunk(static_cast<Index>(begin), accumulator);
            }
#pragma omp critical(stiefel_build_rows)
            stores_.push_back(std::move(accumulator).take_store());
        } catch (...) {
#pragma omp critical(stiefel_build_rows)
            failure_ = std::current_exception();
            next_ = n_rows_;
        }
    }

    void build_chunk(Index begin, RowAccumulator<T>& accumulator) {
        const Index end = std::min(n_rows_ - begin, rows_per_chunk) + begin;
        for (Index i = begin; i < end; ++i) {
            ends_[Size{i} + 1] = accumulator.add_row(i, [&](RowSum<T>& row) { row_(i, row); });
        }
    }

    HostCsr<T> put_together() {
        const Size nnz = ends_[n_rows_];
        HostCsr<T> matrix{.n_rows = n_rows_,
                          .n_cols = n_cols_,
                          .row_ptr = row_offsets(backend_, std::move(ends_)),
                          .col_idx = HostVector<Index>(nnz),
                          .values = HostVector<T>(nnz)};
        const auto pieces = pieces_of(stores_);
        matrix.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend_.threads()) schedule(dynamic) if (pieces.size() > 1)
            for (std::size_t p = 0; p < pieces.size(); ++p) {
                const auto& piece = pieces[p];
                std::copy_n(piece.cols, piece.size, matrix.col_idx.data() + row_ptr[piece.first_row]);
                std::copy_n(piece.values, piece.size, matrix.values.data() + row_ptr[piece.first_row]);
            }
        });
        return matrix;
    }

    OpenMP& backend_;
    Index n_rows_;
    Index n_cols_;
    RowOrder order_;
    Row& row_;
    HostVector<Size> ends_;
    std::vector<RowStore<T>> stores_;  // of the threads, when they are done
    std::atomic<Size> next_ = 0;
    std::exception_ptr failure_;
};

/// n_rows x n_cols, where row(i, sum) adds up row i in a RowSum, from several threads.
template <class T, class Row>
HostCsr<T> build_rows(OpenMP& backend, Index n_rows, Index n_cols, Row&& row, RowOrder order = RowOrder::ascending) {
    return RowsBuilder<T, Row>(backend, n_rows, n_cols, order, row).build();
}

/// The same, rows and their entries left as they are found.
template <class T, class Row>
FoundRows<T> find_rows(OpenMP& backend, Index n_rows, Index n_cols, Row&& row) {
    return RowsBuilder<T, Row>(backend, n_rows, n_cols, RowOrder::as_found, row).found();
}

}  // namespace stiefel
