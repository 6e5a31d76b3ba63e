#pragma once

#include "bench/operands.hpp"

#include "stiefel/core/serial.hpp"
#include "stiefel/spmv/spmm.hpp"

#include <cmath>

namespace stiefel::bench {

/// A panel X for a matrix, what A X must be by the serial kernel, and how far another result is from that.
template <class T>
class SpmmResult {
public:
    SpmmResult(OpenMP& backend, const HostCsr<T>& a, Index k)
        : k_(k), x_(random_vector<T>(backend, Size{a.n_cols} * k, 7)), expected_(Size{a.n_rows} * k) {
        Serial serial;
        spmm(serial, a, as_matrix(std::as_const(x_), a.n_cols, k), as_matrix(expected_, a.n_rows, k));
        const HostCsr<T> absolute_a = absolute_values(backend, a);
        const HostVector<T> absolute_x = absolute(backend, x_);
        absolutes_ = HostVector<T>(expected_.size());
        spmm(backend, absolute_a, as_matrix(absolute_x, a.n_cols, k), as_matrix(absolutes_, a.n_rows, k));
        for (T& sum : absolutes_) sum = std::max(sum, std::numeric_limits<T>::min());  // rows without entries
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) longest_ = std::max<Size>(longest_, row_ptr[i + 1] - row_ptr[i]);
        });
    }

    Index k() const { return k_; }
    const HostVector<T>& x() const { return x_; }

    /// Relative to sum |a| |x|; the bound is that of the longest row.
    Deviation of(const HostVector<T>& y) const { return deviation(y, expected_, absolutes_, longest_); }

private:
    static HostCsr<T> absolute_values(OpenMP& backend, const HostCsr<T>& a) {
        HostCsr<T> result{.n_rows = a.n_rows, .n_cols = a.n_cols};
        a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
            HostVector<Offset> copy(Size{a.n_rows} + 1);
            std::copy_n(row_ptr, copy.size(), copy.begin());
            result.row_ptr = RowOffsets<HostMemory>(std::move(copy));
        });
        result.col_idx = a.col_idx.clone();
        result.values = absolute(backend, a.values);
        return result;
    }

    Index k_;
    HostVector<T> x_;
    HostVector<T> expected_;
    HostVector<T> absolutes_;
    Size longest_ = 0;
};

}  // namespace stiefel::bench
