#pragma once

#include "stiefel/core/multivector.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/small/cholesky.hpp"
#include "stiefel/solver/stop_reason.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiefel::detail {

/// Whether a column of W that is not 0 has w'v <= 0, for V = M W: then M is not positive definite.
template <class B, class T>
bool block_cg_has_negative_product(B& backend, const MultivectorOf<B, T>& w, const MultivectorOf<B, T>& v) {
    const Index k = w.n_cols();
    auto room = make_vector<double>(backend, Size{k} * k);
    HostVector<double> lengths(room.size()), products(room.size());
    gram(backend, w.view(), w.view(), as_matrix(room, k, k));
    download(backend, room, lengths);
    gram(backend, w.view(), v.view(), as_matrix(room, k, k));
    download(backend, room, products);
    for (Size own = 0; own < room.size(); own += k + 1) {
        if (lengths[own] > 0 && products[own] <= 0) return true;
    }
    return false;
}

/// S' A S of a block CG run that ended on it, looked at once more: A S computed afresh into `as`, and each direction
/// held against what rounding may have done to it, (16 k eps + n eps_double) |A| |s|^2, with |A| taken from what A does
/// to the directions. `none`: nothing speaks against A.
template <class B, class T, class A>
Evidence block_cg_second_look(B& backend, const A& a, const MultivectorOf<B, T>& s, MultivectorOf<B, T>& as) {
    const Index k = s.n_cols();
    const Size size = Size{k} * k;
    HostVector<double> curvature(size), lengths(size), images(size);
    auto room = make_vector<double>(backend, size);
    const auto products = [&](const MultivectorOf<B, T>& x, const MultivectorOf<B, T>& y, HostVector<double>& to) {
        gram(backend, x.view(), y.view(), as_matrix(room, k, k));
        download(backend, room, to);
    };
    spmm(backend, a, s.view(), as.view(), T{1}, T{0});
    products(s, as, curvature);
    products(s, s, lengths);
    products(as, as, images);

    double norm2 = 0, longest2 = 0;
    HostVector<double> symmetric(size), spare(size), inverse(size), rest(k);
    for (Index i = 0; i < k; ++i) {
        const Size own = Size{i} * k + i;
        if (lengths[own] > 0) norm2 = std::max(norm2, images[own] / lengths[own]);
        longest2 = std::max(longest2, lengths[own]);
        for (Index j = 0; j < k; ++j) {
            symmetric[Size{i} * k + j] = (curvature[Size{i} * k + j] + curvature[Size{j} * k + i]) / 2;
        }
    }
    const double slack = 16.0 * k * std::numeric_limits<T>::epsilon() +
                         static_cast<double>(s.n_rows()) * std::numeric_limits<double>::epsilon();
    const double bound = slack * std::sqrt(norm2) * longest2;
    const Index rank = pivoted_cholesky<max_panel_columns>(HostTeam{}, k, symmetric.data(), spare.data(),
                                                           {.relative = slack}, nullptr, inverse.data(), rest.data());
    double least = 0;
    for (Index i = 0; i < k; ++i) {
        if (!std::isfinite(rest[i]) || !std::isfinite(curvature[Size{i} * k + i])) return Evidence::none;
        least = std::min({least, rest[i], curvature[Size{i} * k + i]});
    }
    if (least < -bound) return Evidence::negative_curvature;
    return least < 0 || rank == 0 ? Evidence::zero_curvature : Evidence::none;
}

}  // namespace stiefel::detail
