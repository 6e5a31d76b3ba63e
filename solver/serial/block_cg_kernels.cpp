#include "stiefel/solver/block_cg_kernels.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/preconditioner/pointwise.hpp"
#include "stiefel/solver/block_cg_decide.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stiefel {

namespace {

using PanelRow = std::array<double, static_cast<std::size_t>(max_panel_columns)>;

/// sums += factor row B, or row B' if `transposed`
template <class T>
void add_product(Index k, double factor, const T* row, const double* b, bool transposed, PanelRow& sums) {
    for (Index j = 0; j < k; ++j) {
        double sum = 0;
        for (Index i = 0; i < k; ++i) sum += static_cast<double>(row[i]) * b[transposed ? j * k + i : i * k + j];
        sums[static_cast<std::size_t>(j)] += factor * sum;
    }
}

/// row = sums
template <class T>
void store(Index k, const PanelRow& sums, T* row) {
    for (Index j = 0; j < k; ++j) row[j] = static_cast<T>(sums[static_cast<std::size_t>(j)]);
}

/// g += weight row' row
template <class T>
void add_outer_product(Index k, double weight, const T* row, double* g) {
    for (Index i = 0; i < k; ++i) {
        for (Index j = 0; j < k; ++j)
            g[i * k + j] += weight * static_cast<double>(row[i]) * static_cast<double>(row[j]);
    }
}

}  // namespace

template <class T>
void block_cg_step(Serial&, const BlockCgMatrices& small, CgState* state) {
    if (state->reason != StopReason::running) return;
    block_cg_solve_step(HostTeam{}, small, std::numeric_limits<T>::epsilon(), state);
}

template <class M, class T>
void block_cg_residual(Serial& backend, const M& m, HostMatrix<const T> as, HostMatrix<T> w,
                       const BlockCgMatrices& small, const CgState* state) {
    if (state->reason != StopReason::running) return;
    const auto scale = pointwise<T>(m);
    const Index k = small.k;
    std::fill_n(small.gram, k * k, 0.0);
    std::fill_n(small.weighted, k * k, 0.0);  // the same place without preconditioner
    for (Size i = 0; i < w.n_rows; ++i) {
        const double inverse = static_cast<double>(scale(i, T{1}));
        PanelRow sums{};
        T* const row = w.data + i * w.ld;
        add_product(k, 1, row, small.z, false, sums);
        add_product(k, -std::sqrt(inverse), as.data + i * as.ld, small.xi, false, sums);
        store(k, sums, row);
        add_outer_product(k, 1, row, small.gram);
        if (!scale.is_identity) add_outer_product(k, 1 / inverse, row, small.weighted);
    }
    all_sum(backend, small.gram, k * k);
    if (!scale.is_identity) all_sum(backend, small.weighted, k * k);
}

template <class T>
void block_cg_basis(Serial&, const BlockCgMatrices& small, bool start, CgState* state) {
    if (state->reason != StopReason::running) return;
    block_cg_orthonormalise(HostTeam{}, small, std::numeric_limits<T>::epsilon(), start, state);
}

template <class M, class T>
void block_cg_direction(Serial&, const M& m, HostMatrix<const T> w, HostMatrix<T> s, HostMatrix<T> x,
                        const BlockCgMatrices& small, const CgState* state) {
    if (state->reason != StopReason::running) return;
    const auto scale = pointwise<T>(m);
    const Index k = small.k;
    for (Size i = 0; i < w.n_rows; ++i) {
        T* const s_row = s.data + i * s.ld;
        T* const x_row = x.data + i * x.ld;
        PanelRow sums{};
        std::copy_n(x_row, k, sums.begin());
        add_product(k, 1, s_row, small.step, false, sums);
        store(k, sums, x_row);
        sums.fill(0);
        add_product(k, std::sqrt(static_cast<double>(scale(i, T{1}))), w.data + i * w.ld, small.z, false, sums);
        add_product(k, 1, s_row, small.zeta, true, sums);
        store(k, sums, s_row);
    }
}

template struct BlockCgKernels<Serial, double>;
template struct PointwiseBlockCgKernels<Serial, double, Identity>;
template struct PointwiseBlockCgKernels<Serial, double, HostJacobi<double>>;
template struct BlockCgKernels<Serial, float>;
template struct PointwiseBlockCgKernels<Serial, float, Identity>;
template struct PointwiseBlockCgKernels<Serial, float, HostJacobi<float>>;

}  // namespace stiefel
