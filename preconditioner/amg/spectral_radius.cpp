#include "stiefel/preconditioner/amg/spectral_radius.hpp"

#include "stiefel/core/agreement.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/preconditioner/amg/ghosts.hpp"
#include "stiefel/preconditioner/amg/ritz_value.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::amg {

namespace {

double gershgorin(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        double most = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) reduction(max : most) if (a.nnz() > 20000)
        for (Index i = 0; i < a.n_rows; ++i) {
            double sum = 0;
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += std::abs(a.values[k]);
            most = std::max(most, sum / diagonal[i]);
        }
        return most;
    });
}

}  // namespace

double spectral_radius(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal,
                       const std::function<double()>& ritz_value) {
    const double bound = agreed(backend, gershgorin(backend, a, diagonal));
    if (bound <= Lanczos::close_enough) return bound;
    return std::min(bound, Lanczos::margin * ritz_value());
}

double spectral_radius(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal, Ghosts* ghosts) {
    return spectral_radius(backend, a, diagonal, [&] { return largest_ritz_value(backend, a, diagonal, ghosts); });
}

double largest_ritz_value(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal,
                          Ghosts* ghosts) {
    const Size n = a.n_rows;
    auto scaled = make_vector<double>(backend, a.n_cols);
    const auto for_all = [&](auto&& f) {
        for_each_block(backend, n, 2 * Size{n} * static_cast<Size>(sizeof(double)), [&](Size begin, Size end) {
            for (Size i = begin; i < end; ++i) f(i);
        });
    };
    return largest_ritz_value<double>(backend, n, [&](const HostVector<double>& v, HostVector<double>& w) {
        for_all([&](Size i) { scaled[i] = v[i] / std::sqrt(diagonal[i]); });
        bring(ghosts, scaled);
        spmv(backend, a, scaled, w);
        for_all([&](Size i) { w[i] /= std::sqrt(diagonal[i]); });
    });
}

}  // namespace stiefel::amg
