#pragma once

#include "stiefel/core/agreement.hpp"
#include "stiefel/core/multivector.hpp"
#include "stiefel/dense/small/symmetric_eigen.hpp"
#include "stiefel/preconditioner/spectrum_bounds.hpp"
#include "stiefel/solver/ritz_basis.hpp"

namespace stiefel {

/// Up to this many rows the whole space is small enough for one dense eigenproblem.
inline constexpr Size whole_space_rows = max_small_eigen;

/// Eigenpairs of a small matrix by Rayleigh-Ritz on the whole space: A times the identity, and one dense problem. No
/// iteration, so nothing to converge; x receives the vectors. A is scaled on the way where squares would leave the
/// range.
template <class B, class T, class A>
void whole_space_ritz(B& backend, const A& a, EigenEnd which, MultivectorOf<B, T>& x, EigenResult& result,
                      EigenWatch& watch) {
    const Index here = x.n_rows(), k = x.n_cols();
    const auto n = static_cast<Index>(rows_of_all(backend, here));
    const Size first = rows_before(backend, here);
    HostVector<T> identity(Size{here} * n, T{0});
    for (Index i = 0; i < here; ++i) identity[Size{i} * n + first + i] = T{1};
    auto s = make_multivector<T>(backend, here, n);
    upload(backend, identity, s.values());
    auto as = make_multivector<T>(backend, here, n);
    const ScaledOperator<A> scaled{a, multiply_in_range<B, T>(backend, a, s.view(), as)};

    auto t = make_vector<double>(backend, Size{n} * n);
    auto c = make_vector<double>(backend, Size{n} * k);
    auto report = make_vector<double>(backend, 2 * Size{k});
    auto eigen = make_vector<double>(backend, SmallEigen::doubles(n));
    auto indices = make_vector<Index>(backend, 2 * Size{n});
    wide_gram<B, T>(backend, s.view(), as.view(), as_matrix(t, n, n));
    run_small(backend, RayleighRitzProblem{.x = n,
                                           .wanted = k,
                                           .which = which,
                                           .t = t.data(),
                                           .ldt = n,
                                           .ranks = indices.data(),
                                           .c = c.data(),
                                           .values = report.data(),
                                           .eigen = eigen.data(),
                                           .basis = c.data(),
                                           .indices = indices.data()});
    auto r = make_multivector<T>(backend, here, k);
    auto ax = make_multivector<T>(backend, here, k);
    wide_panel_update<B, T>(backend, 1, s.view(), as_matrix(c, n, k), 0, x.view());
    spmm(backend, scaled, x.view(), ax.view(), T{1}, T{0});
    ritz_residual<T>(backend, ax.view(), x.view(), report.data(), r.view(), report.data() + k);

    HostVector<double> both(2 * Size{k});
    download(backend, report, both);
    std::vector<double> values(both.begin(), both.begin() + k), norms;
    for (Index j = 0; j < k; ++j) norms.push_back(std::sqrt(both[k + j]));
    const auto look = watch.look(values, norms, 0);
    const StopReason otherwise = look.finite ? StopReason::stagnated : StopReason::not_finite;
    result.pairs = watch.pairs(values, norms, otherwise);
    result.reason = look.finite && look.converged == k ? StopReason::converged : otherwise;
    result.norm_estimate = watch.norm_estimate();
    scale_values(result, scaled.exponent);
}

}  // namespace stiefel
