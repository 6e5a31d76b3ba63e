#include "stiefel/core/cuda/early_module.cuh"
#include "stiefel/preconditioner/amg/cuda/strength.hpp"
#include "stiefel/preconditioner/diagonal.hpp"
#include "stiefel/preconditioner/fsai/cuda/factor.hpp"
#include "stiefel/preconditioner/fsai/cuda/kept_entries.cuh"
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

/// All, or those up to the diagonal.
struct Triangle {
    bool is_lower;
    __device__ double weight(Size i, Index j, double value) const { return !is_lower || j <= i ? value : 0; }
    __device__ double value(double value) const { return value; }
};

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
    if (options.power == 1 || a.n_rows == 0) return kept_entries(backend, View(strong), Triangle{.is_lower = true});
    DeviceCsr<double> power;
    for (Size k = 2; k <= options.power; ++k) {
        const DeviceCsr<double> product = spgemm(backend, k == 2 ? strong : power, strong);
        power = kept_entries(backend, View(product), Triangle{.is_lower = k == options.power});
    }
    return power;
}

}  // namespace stiefel::fsai
