#pragma once

#include "stiefel/core/kernel_clock.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/solver/fused_spmm_gram.hpp"
#include "stiefel/solver/operator.hpp"
#include "stiefel/spmv/operator.hpp"

#include <type_traits>
#include <vector>

namespace stiefel {

// A product with its Gram matrix,  AS = A S  and  S' (A S): spmm() and gram(), or one pass that meets S and A S while
// they are at hand. Such a pass belongs to a backend and an operator. It is an overload of
//     fused_spmm_gram(backend, a, k)
// that argument-dependent lookup finds: solver/fused_spmm_gram.hpp has those of the library.

template <class B, class A>
concept FusesSpmmGram = requires(const B& backend, const A& a, Index k) {
    fused_spmm_gram(backend, a, k);
};

/// Whether spmm_gram() passes over panels of k columns once.
template <class B, class A>
bool fuses_spmm_gram(const B& backend, const A& a, Index k) {
    if constexpr (FusesSpmmGram<B, A>) {
        return fused_spmm_gram(backend, a, k) != nullptr;
    } else {
        return false;
    }
}
template <class B, class T>
bool fuses_spmm_gram(const B& backend, const SpmvOperator<B, T>& a, Index k) {
    return a.visit([&](const auto& matrix, const auto&) { return fuses_spmm_gram(backend, matrix, k); });
}

/// What the laps of spmm_gram() are in a report: "spmm" and "gram", or "spmm_gram", which reads S and A S once less.
template <class T, class B, class A>
std::vector<KernelTime> spmm_gram_laps(const B& backend, const A& a, Index n, Index k) {
    const Work product = panel_work_of(a, k);
    const Work sums = gram_work<T>(n, k, k, false);
    if (!fuses_spmm_gram(backend, a, k)) return {{.name = "spmm", .work = product}, {.name = "gram", .work = sums}};
    return {{.name = "spmm_gram", .work = {product.bytes, product.flops + sums.flops}}};
}

/// AS = A S  and  curvature = S' (A S)     A: n x n, S and AS: n x k, apart in memory, curvature: k x k
/// lap() is called behind each of spmm_gram_laps(). Throws as spmm() and gram().
/// Traffic: that of spmm(), and 2 n k T bytes where there is no fused pass; 2 (nnz k + n k^2) flops.
template <class B, class A, class T, class Lap>
void spmm_gram(B& backend, const A& a, MatrixOf<B, const std::type_identity_t<T>> s, MatrixOf<B, T> as,
               MatrixOf<B, double> curvature, Lap&& lap) {
    if constexpr (FusesSpmmGram<B, A>) {
        if (const auto pass = fused_spmm_gram(backend, a, s.n_cols)) {
            pass(backend, a, s, as, curvature);
            return lap();
        }
    }
    spmm(backend, a, s, as, T{1}, T{0});
    lap();
    gram<T>(backend, s, as, curvature);
    lap();
}
template <class B, class T, class Lap>
void spmm_gram(B& backend, const SpmvOperator<B, T>& a, MatrixOf<B, const std::type_identity_t<T>> s,
               MatrixOf<B, std::type_identity_t<T>> as, MatrixOf<B, double> curvature, Lap&& lap) {
    a.visit([&](const auto& matrix, const auto&) { spmm_gram(backend, matrix, s, as, curvature, lap); });
}

/// The same, untimed.
template <class B, class A, class T>
void spmm_gram(B& backend, const A& a, MatrixOf<B, const std::type_identity_t<T>> s, MatrixOf<B, T> as,
               MatrixOf<B, double> curvature) {
    spmm_gram(backend, a, s, as, curvature, [] {});
}

}  // namespace stiefel
