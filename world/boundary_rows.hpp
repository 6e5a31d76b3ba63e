#pragma once

#include "stiefel/core/blocks.hpp"
#include "stiefel/world/halo.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <array>
#include <utility>

namespace stiefel {

/// What columns of other ranks contribute to the rows of this one: the rows that have such columns, those columns, and
/// the exchange that brings what belongs to them. A product begins, goes on with what the rank has, and finishes. Rows
/// and columns may be those of different vectors: `blocks` say who holds the columns. For GPUs there is another of the
/// same use (world/cuda/boundary_rows.hpp).
template <class B, class T>
class BoundaryRows {
public:
    /// All ranks make theirs at once.
    BoundaryRows(B&, Ranks& ranks, const RowBlocks& blocks, SplitRows<T> split)
        : beyond_(std::move(split.beyond)), boundary_(std::move(split.boundary)), halo_(ranks, blocks, split.ghosts) {}

    Size nnz() const { return beyond_.nnz(); }
    Size bytes() const { return beyond_.bytes(); }
    Size n_rows() const { return boundary_.size(); }
    const Halo& halo() const { return halo_; }

    /// Sends what others need of the panel x, which stays as it is until finish().
    void begin(B& backend, HostMatrix<const T> x) const {
        const Size n = Size{halo_.n_ghosts()} * x.n_cols;
        if (ghosts_.size() < n) ghosts_ = HostVector<T>(n);
        halo_.begin(backend, x, ghosts_.data());
    }

    /// y += alpha A_beyond x_beyond, once that is here.
    void finish(B& backend, HostMatrix<const T> x, HostMatrix<T> y, T alpha) const { add<false>(backend, x, y, alpha); }

    /// The same with one column; *dot, <x, y> of this rank before, becomes that of all ranks.
    void finish(B& backend, HostMatrix<const T> x, HostMatrix<T> y, double* dot) const {
        *dot += add<true>(backend, x, y, T{1});
        *dot = all_sum(backend, *dot);
    }

private:
    /// Returns <x, what was added>, of the first column, which is asked for where rows and columns are the same.
    template <bool with_dot>
    double add(B& backend, HostMatrix<const T> x, HostMatrix<T> y, T alpha) const {
        halo_.end();
        return beyond_.row_ptr.visit([&](const auto* row_ptr) {
            const auto add = [&](Size begin, Size end) {
                std::array<double, 1> dot{};
                for (Size i = begin; i < end; ++i)
                    dot[0] += add_row<with_dot>(row_ptr[i], row_ptr[i + 1], boundary_[i], x, y, alpha);
                return dot;
            };
            return sum_of_rows(backend, boundary_.size(), beyond_.bytes(), add);
        });
    }

    template <bool with_dot>
    double add_row(Size begin, Size end, Index row, HostMatrix<const T> x, HostMatrix<T> y, T alpha) const {
        double dot = 0;
        for (Index j = 0; j < x.n_cols; ++j) {
            T sum = 0;
            for (Size k = begin; k < end; ++k)
                sum += beyond_.values[k] * ghosts_[beyond_.col_idx[k] * Size{x.n_cols} + j];
            y.data[row * y.ld + j] += alpha * sum;
            if (with_dot && j == 0) dot = static_cast<double>(x.data[row * x.ld]) * static_cast<double>(alpha * sum);
        }
        return dot;
    }

    template <class F>
    static double sum_of_rows(Serial&, Size n, Size, F&& f) {
        return f(0, n)[0];
    }
    template <class F>
    static double sum_of_rows(OpenMP& backend, Size n, Size bytes, F&& f) {
        return sum_over_blocks<1>(backend, n, bytes, f)[0];
    }

    HostCsr<T> beyond_;
    HostVector<Index> boundary_;
    mutable HostVector<T> ghosts_;
    mutable Halo halo_;  // goes before ghosts_, which it may still fill
};

}  // namespace stiefel
