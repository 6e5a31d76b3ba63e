#include "stiefel/preconditioner/jacobi.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/preconditioner/diagonal.hpp"

#include <limits>

namespace stiefel {

namespace {

constexpr int threads = 256;

/// 1 / a_ii, and the first row where it is not positive and finite.
template <class T, class Offset>
__global__ void invert_diagonal_kernel(Index n_rows, const Offset* row_ptr, const Index* col_idx, const T* values,
                                       T* inverse_diagonal, Index* first_bad) {
    const Size i = Size{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n_rows) return;
    Offset low = row_ptr[i];
    Offset high = row_ptr[i + 1];
    const Offset end = high;
    while (low < high) {
        const Offset middle = low + (high - low) / 2;
        if (col_idx[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const T inverse = low < end && col_idx[low] == i ? T{1} / values[low] : T{0};
    inverse_diagonal[i] = inverse;
    if (!(inverse > T{0}) || !(inverse <= std::numeric_limits<T>::max())) atomicMin(first_bad, static_cast<Index>(i));
}

}  // namespace

template <class T>
DeviceJacobi<T> make_jacobi(Cuda& backend, const DeviceCsr<T>& a) {
    require(a.n_rows == a.n_cols, "jacobi: A must be square");
    DeviceJacobi<T> jacobi{make_vector<T>(backend, a.n_rows)};
    if (a.n_rows == 0) return jacobi;
    constexpr Index none = std::numeric_limits<Index>::max();
    auto first_bad = make_vector<Index>(backend, 1);
    store(backend, none, first_bad);
    a.row_ptr.visit([&](const auto* row_ptr) {
        invert_diagonal_kernel<<<(static_cast<unsigned>(a.n_rows) + threads - 1) / threads, threads, 0,
                                 backend.stream()>>>(a.n_rows, row_ptr, a.col_idx.data(), a.values.data(),
                                                     jacobi.inverse_diagonal.data(), first_bad.data());
    });
    check_cuda(cudaGetLastError(), "launching invert_diagonal");
    const Index bad = load(backend, first_bad);
    if (bad != none) {
        const T inverse = load(backend, jacobi.inverse_diagonal.data() + bad);
        const T diagonal = inverse == T{0} ? T{0} : T{1} / inverse;
        refuse_diagonal(bad, static_cast<double>(diagonal));
    }
    return jacobi;
}

template DeviceJacobi<double> make_jacobi(Cuda&, const DeviceCsr<double>&);
template DeviceJacobi<float> make_jacobi(Cuda&, const DeviceCsr<float>&);

}  // namespace stiefel
