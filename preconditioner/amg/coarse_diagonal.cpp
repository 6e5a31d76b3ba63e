#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiefel::amg {

namespace {

/// p'D p for every column p of P.
HostVector<double> weights_of(const HostCsr<double>& p, const HostVector<double>& diagonal) {
    HostVector<double> weights(p.n_cols, 0.0);
    p.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < p.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                weights[p.col_idx[k]] += p.values[k] * p.values[k] * diagonal[i];
            }
        }
    });
    return weights;
}

/// No p'D p is larger.
double largest_weight(OpenMP& backend, const HostCsr<double>& p, const HostVector<double>& diagonal) {
    double entry = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(max : entry) if (p.nnz() > 20000)
    for (Size k = 0; k < p.nnz(); ++k) entry = std::max(entry, std::abs(p.values[k]));
    const double most = diagonal.empty() ? 0 : *std::max_element(diagonal.begin(), diagonal.end());
    return entry * entry * most * p.n_rows;
}

}  // namespace

CoarseDiagonal coarse_diagonal(OpenMP& backend, const HostCsr<double>& coarse, const HostCsr<double>& p,
                               const HostVector<double>& diagonal) {
    constexpr double rounding = 32 * std::numeric_limits<double>::epsilon();
    constexpr double beyond_rounding = 1e-10;
    CoarseDiagonal settled{.values = diagonal_of(backend, coarse),
                           .absent = HostVector<std::uint8_t>(coarse.n_rows, 0)};
    // As a rule nothing is near rounding, which a bound tells for less.
    const double enough = rounding * largest_weight(backend, p, diagonal);
    const auto is_present = [enough](double d) { return d > enough && std::isfinite(d); };
    if (std::all_of(settled.values.begin(), settled.values.end(), is_present)) return settled;
    const HostVector<double> weights = weights_of(p, diagonal);
    for (Index i = 0; i < coarse.n_rows; ++i) {
        double& d = settled.values[i];
        if (!std::isfinite(d)) {
            throw InvalidArgument(
                "amg: a coarse matrix of the set-up has left the range of double precision; scale A by a power of two");
        }
        if (d < -beyond_rounding * weights[i]) {
            throw NotDefinite(
                fmt::format("amg: the matrix is not positive definite: p'A p is {:.3g} for a column p of the "
                            "prolongation that its set-up made, where p'D p with A's diagonal D is {:.3g}",
                            d, weights[i]));
        }
        if (d > rounding * weights[i]) continue;
        d = 1;
        settled.absent[i] = 1;
        settled.any_absent = true;
    }
    return settled;
}

void drop_absent(const CoarseDiagonal& diagonal, HostCsr<double>& coarse) {
    if (!diagonal.any_absent) return;
    coarse.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < coarse.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (diagonal.absent[i] != 0 || diagonal.absent[coarse.col_idx[k]] != 0) coarse.values[k] = 0;
            }
        }
    });
}

void drop_absent(const CoarseDiagonal& diagonal, BlockMatrix& coarse) {
    if (!diagonal.any_absent) return;
    for (Index node = 0; node < coarse.n_rows; ++node) {
        for (Size k = coarse.row_ptr[node]; k < coarse.row_ptr[Size{node} + 1]; ++k) {
            for (Size e = 0; e < coarse.block_size(); ++e) {
                const Size row = Size{node} * coarse.height + e / coarse.width;
                const Size column = Size{coarse.col_idx[k]} * coarse.width + e % coarse.width;
                if (diagonal.absent[row] != 0 || diagonal.absent[column] != 0) coarse.block(k)[e] = 0;
            }
        }
    }
}

CoarserLevel settled_level(OpenMP& backend, SharedTransfer<HostMemory> transfer, HostCsr<double> coarse,
                           const HostVector<double>& diagonal) {
    CoarseDiagonal settled = coarse_diagonal(backend, coarse, transfer->prolongation, diagonal);
    drop_absent(settled, coarse);
    return {.transfer = std::move(transfer), .a = std::move(coarse), .diagonal = std::move(settled.values)};
}

}  // namespace stiefel::amg
