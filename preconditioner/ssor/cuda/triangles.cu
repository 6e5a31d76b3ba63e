#include "stiefel/preconditioner/ssor/cuda/triangles.hpp"

#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/spmv/cuda/scan.hpp"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiefel::ssor {

namespace {

constexpr int row_threads = 128;

/// What the host waits for.
struct Told {
    Index longest[2];  ///< row of each triangle
    unsigned is_bad;
    Size entries[2];
};

template <class T>
__device__ bool is_finite(T value) {
    return abs(value) <= std::numeric_limits<T>::max();
}

/// How many entries a row has in each triangle, and what rows and columns are scaled with.
template <class T>
struct RowFacts {
    Index *of_lower, *of_upper;
    T *scale, *inverse;
    Told* told;
};

template <class T>
__global__ void __launch_bounds__(row_threads)
    look_kernel(cuda::CsrView<T> a, const Index* colour, double omega, RowFacts<T> to) {
    begin_kernel();
    const Size row = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (row >= a.n_rows) return;
    const auto i = static_cast<Index>(row);
    const Index own = colour[i];
    Index lower = 0, upper = 0;
    bool is_bad = false;
    T diagonal = 0;
    for (Size e = a.row_ptr[i]; e < a.row_ptr[row + 1]; ++e) {
        const Index j = a.col_idx[e];
        const T value = a.values[e];
        is_bad = is_bad || !is_finite(value);
        if (j == i) diagonal = value;
        lower += colour[j] < own ? 1 : 0;
        upper += colour[j] > own ? 1 : 0;
    }
    to.of_lower[i] = lower;
    to.of_upper[i] = upper;
    to.scale[i] = static_cast<T>(sqrt(omega / (2 - omega) / static_cast<double>(diagonal)));
    to.inverse[i] = static_cast<T>(sqrt(omega * (2 - omega) / static_cast<double>(diagonal)));
    if (is_bad || !(diagonal > 0)) to.told->is_bad = 1;
}

__global__ void tell_kernel(Index n_rows, cuda::OffsetsView lower, cuda::OffsetsView upper, Told* told) {
    begin_kernel();
    told->entries[0] = lower[n_rows];
    told->entries[1] = upper[n_rows];
}

/// The columns of lower are scaled, the rows of upper.
template <class T>
__global__ void __launch_bounds__(row_threads)
    split_kernel(cuda::CsrView<T> a, const Index* colour, const T* scale, const T* inverse, cuda::OffsetsView lower_ptr,
                 Index* lower_cols, T* lower_values, cuda::OffsetsView upper_ptr, Index* upper_cols, T* upper_values) {
    begin_kernel();
    const Size row = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (row >= a.n_rows) return;
    const auto i = static_cast<Index>(row);
    const Index own = colour[i];
    Size lower = lower_ptr[i], upper = upper_ptr[i];
    for (Size e = a.row_ptr[i]; e < a.row_ptr[row + 1]; ++e) {
        const Index j = a.col_idx[e];
        if (colour[j] < own) {
            lower_cols[lower] = j;
            lower_values[lower++] = a.values[e] * scale[j] * inverse[i];
        } else if (colour[j] > own) {
            upper_cols[upper] = j;
            upper_values[upper++] = a.values[e] * scale[i] * inverse[i];
        }
    }
}

int blocks_for(Index n_rows) {
    return std::max((n_rows + row_threads - 1) / row_threads, 1);
}

template <class T>
DeviceCsr<T> with_room(Cuda& backend, Index n, RowOffsets<DeviceMemory> row_ptr, Size entries) {
    DeviceCsr<T> csr;
    csr.n_rows = csr.n_cols = n;
    csr.row_ptr = std::move(row_ptr);
    csr.col_idx = DeviceVector<Index>(backend, entries);
    csr.values = DeviceVector<T>(backend, entries);
    return csr;
}

}  // namespace

template <class T>
DeviceRelaxation<T> relaxation_triangles(Cuda& backend, const DeviceCsr<T>& a, const DeviceColouring& colouring,
                                         const Options& options) {
    check(options);
    const Index n = a.n_rows;
    DeviceRelaxation<T> found{.inverse = DeviceVector<T>(backend, n)};
    DeviceVector<Index> of_lower(backend, n), of_upper(backend, n);
    DeviceVector<T> scale(backend, n);
    DeviceVector<Told> told(backend, 1);
    backend.zero_bytes(told.data(), told.bytes());
    const cuda::CsrView<T> view(a);
    const Index* const colour = colouring.colour.data();
    launch(backend, look_kernel<T>, blocks_for(n), row_threads, "looking at rows of ssor", view, colour, options.omega,
           RowFacts<T>{of_lower.data(), of_upper.data(), scale.data(), found.inverse.data(), told.data()});
    auto [lower_ptr, upper_ptr] =
        cuda::row_offsets_from_counts(backend, {&of_lower, &of_upper}, a.nnz(), told.data()->longest);
    launch(backend, tell_kernel, 1, 1, "telling of the triangles of ssor", n, cuda::OffsetsView(lower_ptr),
           cuda::OffsetsView(upper_ptr), told.data());
    const Told facts = load(backend, told);
    found.longest_row = std::max(facts.longest[0], facts.longest[1]);
    found.is_bad = facts.is_bad != 0;
    if (found.is_bad) return found;
    found.lower = with_room<T>(backend, n, std::move(lower_ptr), facts.entries[0]);
    found.upper = with_room<T>(backend, n, std::move(upper_ptr), facts.entries[1]);
    launch(backend, split_kernel<T>, blocks_for(n), row_threads, "splitting rows of ssor", view, colour,
           static_cast<const T*>(scale.data()), static_cast<const T*>(found.inverse.data()),
           cuda::OffsetsView(found.lower.row_ptr), found.lower.col_idx.data(), found.lower.values.data(),
           cuda::OffsetsView(found.upper.row_ptr), found.upper.col_idx.data(), found.upper.values.data());
    return found;
}

template DeviceRelaxation<double> relaxation_triangles(Cuda&, const DeviceCsr<double>&, const DeviceColouring&,
                                                       const Options&);
template DeviceRelaxation<float> relaxation_triangles(Cuda&, const DeviceCsr<float>&, const DeviceColouring&,
                                                      const Options&);

}  // namespace stiefel::ssor
