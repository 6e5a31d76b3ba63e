#include "stiefel/preconditioner/amg/cuda/block_diagonal.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/preconditioner/amg/cuda/block_rows.cuh"

#include <bit>
#include <limits>

namespace stiefel::amg {

namespace {

/// The number on the diagonal in row `component` of block row i; 0 if there is none.
__device__ double diagonal_entry(const std::int32_t* row_ptr, const Index* cols, const double* values, Index height,
                                 Size i, Index component) {
    const Size unknown = i * height + component;
    std::int32_t low = row_ptr[i], high = row_ptr[i + 1];
    const std::int32_t end = high;
    while (low < high) {
        const std::int32_t middle = low + (high - low) / 2;
        if (cols[middle] < unknown) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && cols[low] == unknown ? values[Size{low} * height + component] : 0;
}

/// A block row by a warp: each mode's d = p'A p against p'D p, p a column of P, so a row of P'.
template <int modes>
__global__ void settle_kernel(Index n_rows, const std::int32_t* a_ptr, const Index* a_cols, const double* a_values,
                              const std::int32_t* r_ptr, const Index* r_cols, const Column<modes>* r_values,
                              const double* fine_diagonal, double* diagonal, double* inverse_root,
                              unsigned char* absent, LevelFacts* facts) {
    constexpr double rounding = 32 * std::numeric_limits<double>::epsilon();
    constexpr double beyond_rounding = 1e-10;
    const RowLanes<warp_size> at;
    if (at.row >= n_rows) return;
    Column<modes> weight{};
    for (std::int32_t k = r_ptr[at.row] + at.lane; k < r_ptr[at.row + 1]; k += warp_size) {
        const double d = fine_diagonal[r_cols[k]];
        const Column<modes> p = r_values[k];
        for (int m = 0; m < modes; ++m) weight.v[m] += p.v[m] * p.v[m] * d;
    }
    for (int m = 0; m < modes; ++m) {
        const double known = lanes_sum<warp_size>(weight.v[m]);
        if (at.lane != m) continue;
        const Size unknown = at.row * modes + m;
        const double d = diagonal_entry(a_ptr, a_cols, a_values, modes, at.row, m);
        if (!isfinite(d) || d < -beyond_rounding * known) {
            atomicMin(&facts->first_bad_row, static_cast<Index>(unknown));
        }
        const bool is_absent = !(d > rounding * known);
        if (is_absent) facts->any_absent = 1;
        absent[unknown] = is_absent;
        diagonal[unknown] = is_absent ? 1 : d;
        inverse_root[unknown] = is_absent ? 1 : 1 / sqrt(d);
    }
}

__global__ void drop_absent_kernel(Index n_rows, Index height, const std::int32_t* row_ptr, const Index* cols,
                                   const unsigned char* absent, const LevelFacts* facts, double* values) {
    const RowLanes<warp_size> at;
    if (at.row >= n_rows || facts->any_absent == 0) return;
    for (Size k = row_ptr[at.row] + at.lane; k < row_ptr[at.row + 1]; k += warp_size) {
        const bool is_absent = absent[cols[k]] != 0;
        for (Index r = 0; r < height; ++r) {
            if (is_absent || absent[at.row * height + r] != 0) values[k * height + r] = 0;
        }
    }
}

}  // namespace

DeviceMatrix settled_diagonal(Cuda& backend, DeviceBlockMatrix& coarse, const DeviceBlockMatrix& r,
                              const DeviceVector<double>& diagonal) {
    const Size n = Size{coarse.n_rows} * coarse.height;
    DeviceMatrix found{.diagonal = DeviceVector<double>(backend, n),
                       .inverse_root = DeviceVector<double>(backend, n),
                       .largest = {},
                       .facts = DeviceVector<LevelFacts>(backend, 1)};
    constexpr auto one = std::bit_cast<unsigned long long>(1.0);
    store(backend, LevelFacts{.least_diagonal = one, .most_diagonal = one}, found.facts);
    DeviceVector<unsigned char> absent(backend, n);
    const unsigned blocks = RowLanes<warp_size>::blocks(coarse.n_rows);
    with_height(coarse.height, [&](auto modes) {
        settle_kernel<modes()><<<blocks, row_threads, 0, backend.stream()>>>(
            coarse.n_rows, offsets_of(coarse), coarse.col_idx.data(), std::as_const(coarse.values).data(),
            offsets_of(r), r.col_idx.data(), columns_of<modes()>(r.values), diagonal.data(), found.diagonal.data(),
            found.inverse_root.data(), absent.data(), found.facts.data());
    });
    drop_absent_kernel<<<blocks, row_threads, 0, backend.stream()>>>(coarse.n_rows, coarse.height, offsets_of(coarse),
                                                                     coarse.col_idx.data(), absent.data(),
                                                                     found.facts.data(), coarse.values.data());
    check_cuda(cudaGetLastError(), "settling the diagonal of a coarse matrix");
    return found;
}

}  // namespace stiefel::amg
