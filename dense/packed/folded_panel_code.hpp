#pragma once

#include "stiefel/dense/packed/lanes.hpp"
#include "stiefel/dense/packed/register_transpose.hpp"

#include <utility>

// Panels of 1, 2 or 4 columns without gaps between their rows: a register holds L / k rows. See micro_kernel_code.hpp
// for how this is compiled.

namespace stiefel::packed {

namespace {

/// Element i of each group of k lanes, in all lanes of its group.
template <int i, int k, int L>
Simd<double, L> spread(const Simd<double, L>& v) {
    return [&]<int... lane>(std::integer_sequence<int, lane...>) {
        return __builtin_shufflevector(v, v, (lane / k * k + i)...);
    }
    (std::make_integer_sequence<int, L>{});
}

/// f.operator()<0>() ... f.operator()<n - 1>()
template <int n, class F>
void static_for(F&& f) {
    [&]<int... i>(std::integer_sequence<int, i...>) {
        (f.template operator()<i>(), ...);
    }
    (std::make_integer_sequence<int, n>{});
}

/// S += P' Q. Lane (r, j) of sum i gathers  p(row, i) q(row, j)  over the rows that lie at place r of their register:
/// rows do not meet before the end.
template <int L, int k>
void folded_gram(Size rows, const double* p, const double* q, Size ahead, double* sums, Size ld) {
    using Register = Simd<double, L>;
    constexpr int U = 8 / k;  // registers side by side: eight multiply-adds under way
    Register sum[U][k] = {};
    const auto add = [](const Register& pr, const Register& qr, Register(&to)[k]) {
        static_for<k>([&]<int i>() { to[i] += spread<i, k, L>(pr) * qr; });
    };
    const Size n = rows * k;
    Size at = 0;
    for (; at + U * L <= n; at += U * L) {
#pragma GCC unroll 8
        for (int u = 0; u < U; ++u) {
            const Size place = at + u * L;
            __builtin_prefetch(p + place + ahead);
            __builtin_prefetch(q + place + ahead);
            add(load<Register>(p + place), load<Register>(q + place), sum[u]);
        }
    }
    for (; at < n; at += L) {
        const Lanes<double, L> lanes(static_cast<Index>(n - at < L ? n - at : L));
        add(lanes.load(p + at), lanes.load(q + at), sum[0]);
    }
    for (int i = 0; i < k; ++i) {
        for (int u = 1; u < U; ++u) sum[0][i] += sum[u][i];
        for (int lane = 0; lane < L; ++lane) sums[i * ld + lane % k] += sum[0][i][lane];
    }
}

/// Y = alpha X B + beta Y.
template <class T, int L, int k>
void folded_update(Size rows, double alpha, const double* x, const double* b, Size ldb, double beta, T* y,
                   bool streaming) {
    using Register = Simd<double, L>;
    constexpr int U = 4;
    Register factor[k];
    for (int i = 0; i < k; ++i) {
        for (int lane = 0; lane < L; ++lane) factor[i][lane] = b[i * ldb + lane % k];
    }
    const auto combine = [&](const Register& xr, const Register& before) {
        Register sum{};
        static_for<k>([&]<int i>() { sum += spread<i, k, L>(xr) * factor[i]; });
        sum *= alpha;
        if (beta != 0) sum += beta * before;
        return rounded<T, L>(sum);
    };
    const Size n = rows * k;
    Size at = 0;
    for (; at + U * L <= n; at += U * L) {
#pragma GCC unroll 4
        for (int u = 0; u < U; ++u) {
            const Size place = at + u * L;
            Register before{};
            if (beta != 0) before = widened<T, L>(load<Simd<T, L>>(y + place));
            const Simd<T, L> result = combine(load<Register>(x + place), before);
            if (streaming) {
                stream(result, y + place);
            } else {
                store(result, y + place);
            }
        }
    }
    for (; at < n; at += L) {
        const auto left = static_cast<Index>(n - at < L ? n - at : L);
        const Lanes<T, L> lanes(left);
        Register before{};
        if (beta != 0) before = widened<T, L>(lanes.load(y + at));
        lanes.store(combine(Lanes<double, L>(left).load(x + at), before), y + at);
    }
}

}  // namespace

}  // namespace stiefel::packed
