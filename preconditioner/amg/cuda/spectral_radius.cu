#include "stiefel/preconditioner/amg/cuda/spectral_radius.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/core/random.hpp"
#include "stiefel/preconditioner/amg/lanczos.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <algorithm>
#include <cmath>

namespace stiefel::amg {

namespace {

using View = cuda::CsrView<double>;

/// Vectors of Lanczos are kept as they come, with their norms beside them: v_k = u_k / |u_k|, zero where |u_k| is; and
/// D^-1/2 u_k, so that products fetch one number of a column and not two.
__device__ double inverse_of(double norm) {
    return norm > 0 ? 1 / norm : 0;
}

__global__ void __launch_bounds__(row_threads)
    random_kernel(Index n, const double* inverse_root, double* u, double* scaled, double* before, double* norm,
                  ReductionScratch scratch) {
    double sums[1] = {};
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Size{gridDim.x} * blockDim.x) {
        u[i] = RandomRow(1, i).uniform(0) - 0.5;
        scaled[i] = inverse_root[i] * u[i];
        before[i] = 0;
        sums[0] += u[i] * u[i];
    }
    if (grid_sum(sums, scratch)) *norm = sqrt(sums[0]);
}

/// u_{k-1} becomes  w = D^-1/2 A D^-1/2 v_k - |u_k| v_{k-1},  and <v_k, w> is found. norms: those of u_{k-1} and u_k.
template <int lanes>
__global__ void __launch_bounds__(row_threads)
    product_kernel(View a, const double* inverse_root, const double* u, const double* scaled, double* before,
                   const double* norm_before, const double* norm, double* product, ReductionScratch scratch) {
    const double scale = inverse_of(*norm);
    const double back = norm_before != nullptr ? *norm * inverse_of(*norm_before) : 0;
    double sums[1] = {};
    const Size stride = Size{gridDim.x} * blockDim.x / lanes;
    const RowLanes<lanes> at;
    for (Size base = 0; base < a.n_rows; base += stride) {
        const Size i = base + at.row;
        const bool is_row = i < a.n_rows;
        double sum = 0;
        if (is_row) {
            for (Size k = a.row_ptr[i] + at.lane; k < a.row_ptr[i + 1]; k += lanes) {
                sum += a.values[k] * scaled[a.col_idx[k]];
            }
        }
        sum = lanes_sum<lanes>(sum);
        if (is_row && at.lane == 0) {
            const double w = scale * inverse_root[i] * sum - back * before[i];
            before[i] = w;
            sums[0] += scale * u[i] * w;
        }
    }
    if (grid_sum(sums, scratch)) *product = sums[0];
}

/// w -= <v_k, w> v_k, and its norm.
__global__ void __launch_bounds__(row_threads)
    orthogonal_kernel(Index n, const double* inverse_root, const double* u, const double* norm, const double* product,
                      double* w, double* scaled, double* norm_of_w, ReductionScratch scratch) {
    const double factor = *product * inverse_of(*norm);
    double sums[1] = {};
    for (Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Size{gridDim.x} * blockDim.x) {
        const double rest = w[i] - factor * u[i];
        w[i] = rest;
        scaled[i] = inverse_root[i] * rest;
        sums[0] += rest * rest;
    }
    if (grid_sum(sums, scratch)) *norm_of_w = sqrt(sums[0]);
}

}  // namespace

DeviceSpectralRadius::DeviceSpectralRadius(Cuda& backend, const DeviceCsr<double>& a, const DeviceMatrix& of,
                                           double gershgorin)
    : gershgorin_(gershgorin) {
    if (gershgorin_ <= Lanczos::close_enough) return;
    const View view(a);
    const Size most_blocks = Size{8} * backend.device().multiprocessors;
    const auto blocks = [&](unsigned wanted) { return static_cast<unsigned>(std::min<Size>(wanted, most_blocks)); };
    const unsigned vector_blocks = blocks(RowLanes<1>::blocks(a.n_rows));
    const ReductionScratch& scratch = backend.reduction();
    const cudaStream_t stream = backend.stream();
    DeviceVector<double> u(backend, a.n_rows), before(backend, a.n_rows), scaled(backend, a.n_rows);
    const double* const roots = of.inverse_root.data();
    coefficients_ = DeviceVector<double>(backend, 2 * Lanczos::steps + 1);
    double* c = coefficients_.data();
    random_kernel<<<vector_blocks, row_threads, 0, stream>>>(a.n_rows, roots, u.data(), scaled.data(), before.data(), c,
                                                             scratch);
    for (int step = 0; step < Lanczos::steps; ++step, c += 2) {
        with_row_lanes(view.mean_row(), [&](auto lanes) {
            product_kernel<lanes()><<<blocks(RowLanes<lanes()>::blocks(a.n_rows)), row_threads, 0, stream>>>(
                view, roots, u.data(), scaled.data(), before.data(), step > 0 ? c - 2 : nullptr, c, c + 1, scratch);
        });
        orthogonal_kernel<<<vector_blocks, row_threads, 0, stream>>>(a.n_rows, roots, u.data(), c, c + 1, before.data(),
                                                                     scaled.data(), c + 2, scratch);
        std::swap(u, before);
    }
    check_cuda(cudaGetLastError(), "bounding a spectrum");
}

double DeviceSpectralRadius::value(Cuda& backend) const {
    if (coefficients_.empty()) return gershgorin_;
    HostVector<double> found(coefficients_.size());
    download(backend, coefficients_, found);
    Tridiagonal t;
    for (int step = 0; step < Lanczos::steps; ++step) {
        const double alpha = found[2 * step + 1], beta = found[2 * step + 2];
        t.diagonal.push_back(alpha);
        t.beside.push_back(beta);
        if (!(beta > Lanczos::exhausted * std::abs(alpha))) break;
    }
    t.beside.back() = 0;
    return std::min(gershgorin_, Lanczos::margin * t.largest_eigenvalue());
}

}  // namespace stiefel::amg
