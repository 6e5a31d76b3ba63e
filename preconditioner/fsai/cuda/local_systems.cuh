#pragma once

#include "stiefel/core/cuda/reduce.cuh"
#include "stiefel/spmv/products/cuda/csr_view.cuh"

namespace stiefel::fsai {

namespace {

/// A matrix, scaled to a unit diagonal.
struct ScaledView {
    cuda::CsrView<double> a;
    const double* inverse_roots;  ///< of its diagonal

    /// Of an entry of that row.
    __device__ double value(Size e, Index row) const {
        return inverse_roots[row] * inverse_roots[a.col_idx[e]] * a.values[e];
    }
};

/// Lanes of a warp, or all threads of a block, that factor a local system together, one for each of its rows.
template <int lanes>
struct Team {
    static constexpr bool is_block = lanes > warp_size;
    static constexpr int in_block = is_block ? 1 : 4 * warp_size / lanes;
    static constexpr int threads = lanes * in_block;

    int number = static_cast<int>(threadIdx.x) / lanes;  ///< in the block
    int lane = static_cast<int>(threadIdx.x) % lanes;

    __device__ void sync() const {
        if constexpr (is_block) {
            __syncthreads();
        } else {
            __syncwarp(mask());
        }
    }

    /// Of how many lanes it is so.
    __device__ Index count(bool is_so) const {
        if constexpr (is_block) {
            return __syncthreads_count(is_so);
        } else {
            return __popc(__ballot_sync(mask(), is_so));
        }
    }

    /// Of what the lanes bring. sum: the team's, in shared memory.
    __device__ int add(int own, int* sum) const {
        sync();
        if (lane == 0) *sum = 0;
        sync();
        if (own != 0) atomicAdd(sum, own);
        sync();
        return *sum;
    }

private:
    __device__ unsigned mask() const {
        constexpr unsigned own = lanes == warp_size ? all_lanes : (1u << lanes % warp_size) - 1;
        return own << (static_cast<int>(threadIdx.x) % warp_size - lane);
    }
};

/// What a team works with, in shared memory.
template <int lanes>
struct LocalSystem {
    double l[lanes * (lanes + 1) / 2];  ///< rows of L one behind the other: no two lanes meet in a bank
    double inverse[lanes];              ///< of L's diagonal; then L' x
    double x[lanes];
    Index cols[lanes];
    int fails;

    __device__ double* row(int r) { return l + r * (r + 1) / 2; }
};

/// The lane's row of S_JJ, up to the diagonal. Long rows of S are searched, short ones walked beside J.
template <int lanes>
__device__ void gather(const ScaledView& s, LocalSystem<lanes>& system, int lane, int order) {
    constexpr int far_longer = 8;
    double* const own = system.row(lane);
    const Index row = system.cols[lane];
    const Index* const cols = s.a.col_idx;
    Size e = s.a.row_ptr[row];
    const Size end = s.a.row_ptr[Size{row} + 1];
    own[lane] = 1;
    if (end - e > Size{far_longer} * order) {
        for (int q = 0; q < lane; ++q) {
            const Index col = system.cols[q];
            Size high = end;
            while (e < high) {
                const Size middle = e + (high - e) / 2;
                if (cols[middle] < col) {
                    e = middle + 1;
                } else {
                    high = middle;
                }
            }
            own[q] = e < end && cols[e] == col ? s.value(e, row) : 0;
        }
        return;
    }
    for (int q = 0; q < lane; ++q) {
        const Index col = system.cols[q];
        while (e < end && cols[e] < col) ++e;
        own[q] = e < end && cols[e] == col ? s.value(e, row) : 0;
    }
}

/// S_JJ = L L', column by column.
template <int lanes>
__device__ void factor(const Team<lanes>& team, LocalSystem<lanes>& system, int order, double least_pivot) {
    const int r = team.lane;
    double* const own = system.row(r);
    for (int c = 0; c < order; ++c) {
        double sum = 0;
        if (r >= c && r < order) {
            const double* const pivot_row = system.row(c);
            sum = own[c];
            for (int k = 0; k < c; ++k) sum -= own[k] * pivot_row[k];
        }
        if (r == c) {
            const bool is_positive = sum > least_pivot;
            if (!is_positive) system.fails = 1;
            const double root = sqrt(is_positive ? sum : 1.0);
            own[c] = root;
            system.inverse[c] = 1 / root;
        }
        team.sync();
        if (r > c && r < order) own[c] = sum * system.inverse[c];
        team.sync();
    }
}

/// x with L' x = (0, ..., 0, 1)'; the lane's own is returned.
template <int lanes>
__device__ double solve(const Team<lanes>& team, LocalSystem<lanes>& system, int order) {
    double x = team.lane == order - 1 ? 1 : 0;
    for (int q = order - 1; q >= 0; --q) {
        if (team.lane == q) {
            x *= system.inverse[q];
            system.x[q] = x;
        }
        team.sync();
        if (team.lane < q) x -= system.row(q)[team.lane] * system.x[q];
    }
    return x;
}

/// x without small elements, scaled so that x' S_JJ x = |L' x|^2 = 1.
template <int lanes>
__device__ double dropped(const Team<lanes>& team, LocalSystem<lanes>& system, int order, double drop, double x) {
    const int r = team.lane;
    if (r + 1 < order && !(abs(x) > drop * system.x[order - 1])) x = 0;
    if (r + 1 < order) system.x[r] = x;
    team.sync();
    double product = 0;
    for (int k = r; k < order; ++k) product += system.row(k)[r] * system.x[k];
    if (r < order) system.inverse[r] = product;
    team.sync();
    double energy = 0;
    for (int k = 0; k < order; ++k) energy += system.inverse[k] * system.inverse[k];
    return x * (1 / sqrt(energy));
}

}  // namespace

}  // namespace stiefel::fsai
