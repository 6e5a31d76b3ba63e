#include "stiefel/core/cuda/early/fsai.cuh"
#include "stiefel/preconditioner/amg/cuda/strength.hpp"
#include "stiefel/preconditioner/diagonal.hpp"
#include "stiefel/preconditioner/fsai/cuda/factor.hpp"
#include "stiefel/preconditioner/fsai/cuda/kept_entries.cuh"
#include "stiefel/spmv/products/cuda/product_rows.cuh"
#include "stiefel/spmv/products/spgemm.hpp"

#include <utility>

namespace stiefel::fsai {

namespace {

/// |s_ij| above the threshold, and the diagonal.
struct Strong {
    double threshold;
    __device__ double weight(Size i, Index j, double value) const {
        return j == i || abs(value) > threshold ? abs(value) : 0;
    }
    __device__ double value(double value) const { return abs(value); }
};

struct All {
    __device__ double weight(Size, Index, double value) const { return value; }
    __device__ double value(double value) const { return value; }
};

/// Those up to the diagonal.
struct Lower {
    __device__ double weight(Size i, Index j, double value) const { return j <= i ? value : 0; }
    __device__ double value(double value) const { return value; }
};

/// The lower triangle of A B: of row i the terms up to column i. Columns of B's rows ascend.
template <class Offset, class Offsets>
struct UpToDiagonal : cuda::ProductPattern<Offset, Offsets> {
    UpToDiagonal(const View& a, const View& b, const Offsets& of_a, const Offsets& of_b)
        : cuda::ProductPattern<Offset, Offsets>(a, b, of_a, of_b) {
        this->b_mean /= 2;
    }

    __device__ Size about(Index, Offset k) const {
        const Size j = this->a_cols[k];
        return (this->b_ptr[j + 1] - this->b_ptr[j] + 1) / 2;
    }
    __device__ cuda::Terms<Offset> terms(Index i, Offset k) const {
        const Size j = this->a_cols[k];
        cuda::Terms<Offset> found{this->b_ptr[j], this->b_ptr[j]};
        for (Offset end = this->b_ptr[j + 1]; found.last < end;) {
            const Offset middle = found.last + (end - found.last) / 2;
            if (this->b_cols[middle] <= i) {
                found.last = middle + 1;
            } else {
                end = middle;
            }
        }
        return found;
    }
};

template <class Offset, class Offsets>
DeviceCsr<double> lower_product(Cuda& backend, const View& a, const View& b, const Offsets& of_a, const Offsets& of_b) {
    using Product = cuda::ProductRows<double, Offset, Offsets, UpToDiagonal<Offset, Offsets>>;
    return cuda::TwoPasses(backend, Product(a, b, of_a, of_b)).run();
}

DeviceCsr<double> lower_product(Cuda& backend, const DeviceCsr<double>& a, const DeviceCsr<double>& b) {
    const View left(a), right(b);
    if (left.is_narrow() && right.is_narrow()) {
        return lower_product<std::int32_t>(backend, left, right, left.row_ptr.narrow(), right.row_ptr.narrow());
    }
    return lower_product<Size>(backend, left, right, left.row_ptr, right.row_ptr);
}

__global__ void long_rows_kernel(Index n_rows, cuda::OffsetsView row_ptr, int* any) {
    const Size i = RowLanes<1>().row;
    if (i < n_rows && row_ptr[i + 1] - row_ptr[i] > Options::longest_row) *any = 1;
}

/// Without the smallest entries of rows that have too many.
DeviceCsr<double> limited(Cuda& backend, DeviceCsr<double> a) {
    DeviceVector<int> any(backend, 1);
    backend.zero_bytes(any.data(), any.bytes());
    long_rows_kernel<<<RowLanes<1>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
        a.n_rows, cuda::OffsetsView(a.row_ptr), any.data());
    check_cuda(cudaGetLastError(), "looking for long rows");
    return load(backend, any) == 0 ? std::move(a) : kept_entries(backend, View(a), All{});
}

template <int lanes>
__global__ void scale_kernel(View a, const double* inverse_roots, double* values) {
    const RowLanes<lanes> at;
    if (at.row >= a.n_rows) return;
    const double left = inverse_roots[at.row];
    for (Size e = a.row_ptr[at.row] + at.lane; e < a.row_ptr[at.row + 1]; e += lanes) {
        values[e] = left * inverse_roots[a.col_idx[e]] * a.values[e];
    }
}

}  // namespace

DeviceScaled scaled_system(Cuda& backend, const DeviceCsr<double>& a) {
    require(a.n_rows == a.n_cols, "fsai: A must be square");
    amg::DeviceMatrix found = amg::look_at_diagonal(backend, a);
    const Index bad = load(backend, found.facts).first_bad_row;
    if (bad != amg::LevelFacts::none) {
        double entry = 0;
        backend.download_bytes(&entry, found.diagonal.data() + bad, sizeof entry);
        refuse_diagonal(bad, entry);
    }
    DeviceScaled scaled{std::move(found.inverse_root), DeviceVector<double>(backend, a.nnz())};
    const View view(a);
    amg::with_row_lanes(view.mean_row(), [&](auto lanes) {
        scale_kernel<lanes()><<<RowLanes<lanes()>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
            view, scaled.inverse_roots.data(), scaled.values.data());
    });
    check_cuda(cudaGetLastError(), "scaling a matrix");
    return scaled;
}

DeviceCsr<double> row_patterns(Cuda& backend, const DeviceCsr<double>& a, const DeviceScaled& s,
                               const Options& options) {
    View view(a);
    view.values = s.values.data();
    const DeviceCsr<double> strong = kept_entries(backend, view, Strong{options.threshold});
    if (options.power == 1 || a.n_rows == 0) return kept_entries(backend, View(strong), Lower{});
    DeviceCsr<double> power;
    for (Size k = 2; k < options.power; ++k) {
        power = limited(backend, spgemm(backend, k == 2 ? strong : power, strong));
    }
    return limited(backend, lower_product(backend, options.power == 2 ? strong : power, strong));
}

}  // namespace stiefel::fsai
