#include "stiefel/preconditioner/amg/spectral_radius.hpp"

#include "stiefel/core/agreement.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/core/random.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/preconditioner/amg/ghosts.hpp"
#include "stiefel/preconditioner/amg/lanczos.hpp"
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

/// Lanczos for D^-1/2 A D^-1/2, whose eigenvalues are those of D^-1 A.
double lanczos(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal, Ghosts* ghosts,
               int steps) {
    const Size n = a.n_rows;
    auto v = make_vector<double>(backend, n), before = make_vector<double>(backend, n);
    auto scaled = make_vector<double>(backend, a.n_cols), w = make_vector<double>(backend, n);
    const auto for_all = [&](auto&& f) {
        for_each_block(backend, n, 4 * v.bytes(), [&](Size begin, Size end) {
            for (Size i = begin; i < end; ++i) f(i);
        });
    };
    for_all([&](Size i) { v[i] = RandomRow(1, i).uniform(0) - 0.5; });
    Tridiagonal t;
    double beta = std::sqrt(dot(backend, v, v));
    for_all([&](Size i) { v[i] /= beta; });
    beta = 0;
    for (int step = 0; step < steps; ++step) {
        for_all([&](Size i) { scaled[i] = v[i] / std::sqrt(diagonal[i]); });
        bring(ghosts, scaled);
        spmv(backend, a, scaled, w);
        for_all([&](Size i) { w[i] = w[i] / std::sqrt(diagonal[i]) - beta * before[i]; });
        const double alpha = dot(backend, v, w);
        for_all([&](Size i) { w[i] -= alpha * v[i]; });
        beta = std::sqrt(dot(backend, w, w));
        t.diagonal.push_back(alpha);
        t.beside.push_back(beta);
        if (!(beta > Lanczos::exhausted * std::abs(alpha))) break;  // the space is exhausted
        for_all([&](Size i) {
            before[i] = v[i];
            v[i] = w[i] / beta;
        });
    }
    t.beside.back() = 0;
    return t.largest_eigenvalue();
}

}  // namespace

double spectral_radius(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal, Ghosts* ghosts) {
    const double bound = agreed(backend, gershgorin(backend, a, diagonal));
    if (bound <= Lanczos::close_enough) return bound;
    return std::min(bound, Lanczos::margin * lanczos(backend, a, diagonal, ghosts, Lanczos::steps));
}

}  // namespace stiefel::amg
