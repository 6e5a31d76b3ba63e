#include "stiefel/core/cuda/early/set_ups.cuh"
#include "stiefel/core/cuda/elements.cuh"
#include "stiefel/spmv/products/cuda/product_rows.cuh"
#include "stiefel/spmv/products/spgemm.hpp"

#include <utility>

// X + X' with X = P' (L + D/2) P.

namespace stiefel {

namespace cuda {

namespace {

/// The place behind the diagonal, where rows of the lower triangle end.
__global__ void lower_ends_kernel(Index n_rows, const std::int32_t* row_ptr, const Index* cols, std::int32_t* ends) {
    const Size i = thread_number();
    if (i >= n_rows) return;
    std::int32_t first = row_ptr[i], last = row_ptr[i + 1];
    while (first < last) {
        const std::int32_t middle = first + (last - first) / 2;
        if (cols[middle] <= i) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    ends[i] = first;
}

/// Rows of (L + D/2) P.
struct LowerPattern : ProductPattern<std::int32_t, const std::int32_t*> {
    const std::int32_t* ends;

    template <class T>
    LowerPattern(const CsrView<T>& a, const CsrView<T>& p, const std::int32_t* of_lower)
        : ProductPattern(a, p, a.row_ptr.narrow(), p.row_ptr.narrow()), ends(of_lower) {}

    __device__ std::int32_t end(Index i) const { return ends[i]; }
};

template <class T>
struct LowerRows : LowerPattern {
    using Pattern = LowerPattern;
    using value_type = T;
    using factor_type = T;

    const T* a_values;
    const T* p_values;

    LowerRows(const CsrView<T>& a, const CsrView<T>& p, const std::int32_t* of_lower)
        : Pattern(a, p, of_lower), a_values(a.values), p_values(p.values) {}

    __device__ T factor(Index i, std::int32_t k) const { return a_cols[k] == i ? a_values[k] / 2 : a_values[k]; }
    __device__ T product(T factor, std::int32_t t) const { return factor * p_values[t]; }
};

/// Row i of X + Y: that of X, and that of Y, whose entries are numbered behind those of X.
struct SumPattern : PatternBase<std::int32_t> {
    Index n_rows;
    Index n_cols;
    std::int32_t of_x;
    const std::int32_t *x_ptr, *y_ptr;
    const Index *x_cols, *y_cols;
    double mean;

    static constexpr int block_lanes = warp_size;

    template <class T>
    SumPattern(const CsrView<T>& x, const CsrView<T>& y)
        : n_rows(x.n_rows),
          n_cols(x.n_cols),
          of_x(static_cast<std::int32_t>(x.nnz)),
          x_ptr(x.row_ptr.narrow()),
          y_ptr(y.row_ptr.narrow()),
          x_cols(x.col_idx),
          y_cols(y.col_idx),
          mean(x.mean_row()) {}

    __device__ std::int32_t begin(Index) const { return 0; }
    __device__ std::int32_t end(Index) const { return 2; }
    __device__ Terms<std::int32_t> terms(Index i, std::int32_t k) const {
        if (k == 0) return {x_ptr[i], x_ptr[i + 1]};
        return {of_x + y_ptr[i], of_x + y_ptr[i + 1]};
    }
    __device__ Index col(std::int32_t t) const { return t < of_x ? x_cols[t] : y_cols[t - of_x]; }

    template <class F>
    void with_lanes(int l, F&& f) const {
        if (l >= 2 || mean > 12) return f.template operator()<32, 32>();
        return f.template operator()<8, 8>();
    }
};

template <class T>
struct SumRows : SumPattern {
    using Pattern = SumPattern;
    using value_type = T;

    const T* x_values;
    const T* y_values;

    SumRows(const CsrView<T>& x, const CsrView<T>& y) : Pattern(x, y), x_values(x.values), y_values(y.values) {}

    __device__ T product(int, std::int32_t t) const { return t < of_x ? x_values[t] : y_values[t - of_x]; }
};

template <class T>
DeviceCsr<T> lower_product(Cuda& backend, const CsrView<T>& a, const CsrView<T>& p) {
    DeviceVector<std::int32_t> ends(backend, a.n_rows);
    if (a.n_rows > 0) {
        lower_ends_kernel<<<element_blocks(a.n_rows), element_threads, 0, backend.stream()>>>(
            a.n_rows, a.row_ptr.narrow(), a.col_idx, ends.data());
        check_cuda(cudaGetLastError(), "finding a lower triangle");
    }
    return TwoPasses(backend, LowerRows<T>(a, p, ends.data())).run();
}

}  // namespace

}  // namespace cuda

template <class T>
DeviceCsr<T> galerkin_product(Cuda& backend, const DeviceCsr<T>& a, const DeviceCsr<T>& p,
                              const DeviceCsr<T>& p_transposed) {
    using namespace cuda;
    require(a.n_rows == a.n_cols && a.n_cols == p.n_rows,
            "galerkin_product: A must be square, with as many columns as P has rows");
    require(p_transposed.n_rows == p.n_cols && p_transposed.n_cols == p.n_rows,
            "galerkin_product: P' must have as many rows as P has columns, and as many columns as P has rows");
    const CsrView<T> of_a(a), of_p(p);
    const auto of_all = [&] { return spgemm(backend, p_transposed, spgemm(backend, a, p)); };
    if (!of_a.is_narrow() || !of_p.is_narrow()) return of_all();
    const DeviceCsr<T> half = spgemm(backend, p_transposed, lower_product(backend, of_a, of_p));
    const CsrView<T> x(half);
    if (!x.is_narrow() || x.nnz >= Size{1} << 29) return of_all();  // X and X' are numbered together
    const DeviceCsr<T> other = transpose(backend, half);
    const CsrView<T> y(other);
    return TwoPasses(backend, SumRows<T>(x, y)).run();
}

template DeviceCsr<double> galerkin_product(Cuda&, const DeviceCsr<double>&, const DeviceCsr<double>&,
                                            const DeviceCsr<double>&);
template DeviceCsr<float> galerkin_product(Cuda&, const DeviceCsr<float>&, const DeviceCsr<float>&,
                                           const DeviceCsr<float>&);

}  // namespace stiefel
