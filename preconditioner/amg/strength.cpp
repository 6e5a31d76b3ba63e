#include "stiefel/preconditioner/amg/strength.hpp"

#include "stiefel/preconditioner/amg/ghosts.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::amg {

namespace {

double diagonal_of(const HostCsr<double>& a, Index i, Size first, Size last) {
    const Index* const begin = a.col_idx.data() + first;
    const Index* const end = a.col_idx.data() + last;
    const Index* const found = std::lower_bound(begin, end, i);
    return found != end && *found == i ? a.values[found - a.col_idx.data()] : 0;
}

}  // namespace

Strength::Strength(OpenMP& backend, const HostCsr<double>& a, double threshold, Ghosts* ghosts)
    : root_(a.n_cols), is_strong_(a.nnz()) {
    HostVector<double> largest(a.n_cols);  // threshold m_i
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            root_[i] = 1 / std::sqrt(diagonal_of(a, i, row_ptr[i], row_ptr[i + 1]));
        }
        bring(ghosts, root_);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            double most = 0;
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = a.col_idx[k];
                most = std::max(most, j != i ? std::abs(a.values[k]) * root_[j] : 0.0);
            }
            largest[i] = threshold * most * root_[i];
        }
        bring(ghosts, largest);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = a.col_idx[k];
                const double value = a.values[k];
                const bool is_large = std::abs(value) * root_[i] * root_[j] >= std::max(largest[i], largest[j]);
                is_strong_[k] = static_cast<std::uint8_t>((j != i) & (value != 0) & is_large);
            }
        }
    });
}

}  // namespace stiefel::amg
