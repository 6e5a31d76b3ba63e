#include "stiefel/core/cuda/launch.cuh"
#include "stiefel/preconditioner/triangular/cuda/kernels.hpp"
#include "stiefel/preconditioner/triangular/cuda/rows.cuh"

#include <algorithm>

namespace stiefel::triangular {

namespace {

constexpr int level_threads = 128;

/// Of n_rows rows from `first` on. A thread a row and column.
template <class T>
__global__ void level_kernel(Rows<T> a, Index first, Index n_rows) {
    begin_kernel();
    for (Size item = Size{blockIdx.x} * blockDim.x + threadIdx.x; item < Size{n_rows} * a.k;
         item += Size{gridDim.x} * blockDim.x) {
        const Index place = first + static_cast<Index>(item / a.k), c = static_cast<Index>(item % a.k);
        T sum = a.rhs(place, c);
        for (Size e = a.start[place]; e < a.start[place + 1]; ++e) sum -= a.values[e] * a.x[a.at(a.cols[e], c)];
        a.x[a.at(place, c)] = sum;
        a.store_result(place, c, sum);
    }
}

}  // namespace

template <class T>
void solve_by_levels(Cuda& backend, const Substitution<T>& s) {
    constexpr Size most_blocks = 1 << 14;
    const HostVector<Index>& start = s.a->level_start;
    for (Index level = 0; level < s.a->n_levels(); ++level) {
        const Index n_rows = start[level + 1] - start[level];
        const Size blocks = std::min<Size>((Size{n_rows} * s.k + level_threads - 1) / level_threads, most_blocks);
        launch(backend, level_kernel<T>, static_cast<int>(blocks), level_threads, "launching triangular levels",
               Rows<T>(s), start[level], n_rows);
    }
}

template void solve_by_levels(Cuda&, const Substitution<double>&);
template void solve_by_levels(Cuda&, const Substitution<float>&);

}  // namespace stiefel::triangular
