#include "stiefel/preconditioner/amg/prolongation.hpp"

#include "stiefel/core/agreement.hpp"
#include "stiefel/spmv/products/build_rows.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::amg {

namespace {

/// Which couplings P follows, D_F of these, and a bound for the spectral radius of D_F^-1 A_F: the largest sum of
/// absolutes of a row.
class Followed {
public:
    Followed(OpenMP& backend, const HostCsr<double>& a, const Strength& is_strong, double least)
        : a_(a), is_strong_(is_strong), least_(a.n_rows), diagonal_(a.n_rows) {
        double radius = 0;
        a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(max : radius) if (a.nnz() > 20000)
            for (Index i = 0; i < a.n_rows; ++i) {
                radius = std::max(radius, look_at(i, row_ptr[i], row_ptr[i + 1], least));
            }
        });
        radius_ = agreed(backend, radius);
    }

    /// Whether P follows entry k of row i.
    bool operator()(Index i, Size k) const {
        return is_strong_[k] || (a_.col_idx[k] != i && std::abs(a_.values[k]) >= least_[i]);
    }
    double diagonal(Index i) const {
        return diagonal_[i];
    }
    double radius() const {
        return radius_;
    }

private:
    /// Row i, whose entries are [first, last). Returns its sum of absolutes over D_F.
    double look_at(Index i, Size first, Size last, double least) {
        // Where couplings that are left out cancel most of the diagonal, what the others need stays.
        constexpr double least_share = 0.1;
        double most = 0, diagonal = 0;
        for (Size k = first; k < last; ++k) {
            if (a_.col_idx[k] == i) {
                diagonal = a_.values[k];
            } else {
                most = std::max(most, std::abs(a_.values[k]));
            }
        }
        least_[i] = std::max(Strength::theta * most, least * diagonal);
        double left_out = 0, followed = 0;
        for (Size k = first; k < last; ++k) {
            if (a_.col_idx[k] == i) continue;
            if ((*this)(i, k)) {
                followed += std::abs(a_.values[k]);
            } else {
                left_out += a_.values[k];
            }
        }
        double d = diagonal + left_out;
        if (d <= least_share * diagonal && d < followed) d = followed;
        diagonal_[i] = d;
        return (d + followed) / d;
    }

    const HostCsr<double>& a_;
    const Strength& is_strong_;
    HostVector<double> least_;  ///< of the absolutes that a row depends on
    HostVector<double> diagonal_;
    double radius_ = 0;
};

}  // namespace

HostCsr<double> smoothed_prolongation(OpenMP& backend, const HostCsr<double>& a, const Strength& is_strong,
                                      const Aggregates& aggregates, double least) {
    const Followed followed(backend, a, is_strong, least);
    constexpr double largest_radius = 2.2;  // the bound may be far off; smoothing less than this does not pay
    const double omega = 4.0 / 3 / std::min(followed.radius(), largest_radius);
    return a.row_ptr.visit([&](const auto* row_ptr) {
        return build_rows<double>(backend, a.n_rows, aggregates.count, [&](Index i, RowSum<double>& row) {
            row.add(aggregates.of_node[i], 1 - omega);
            const double factor = -omega / followed.diagonal(i);
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (followed(i, k)) row.add(aggregates.of_node[a.col_idx[k]], factor * a.values[k]);
            }
        });
    });
}

}  // namespace stiefel::amg
