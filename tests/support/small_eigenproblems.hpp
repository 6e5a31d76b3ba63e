#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/problems/random.hpp"
#include "support/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace stiefel::test {

/// A small symmetric matrix, row-major without gaps.
struct SmallMatrix {
    std::string name;
    Index n = 0;
    HostVector<double> values;

    SmallMatrix(std::string what, Index size, const std::function<double(Index, Index)>& element)
        : name(std::move(what)), n(size), values(Size{size} * size) {
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j <= i; ++j) values[i * n + j] = values[j * n + i] = element(i, j);
        }
    }
    double operator()(Size i, Size j) const { return values[i * n + j]; }
};

/// Q diag(spectrum) Q' with a random Householder reflector Q, in double: its eigenvalues are the spectrum up to
/// rounding.
inline SmallMatrix with_spectrum(const std::string& name, Index n, const std::function<double(Index)>& spectrum) {
    std::vector<double> v(static_cast<std::size_t>(n));
    double norm2 = 0;
    for (Index i = 0; i < n; ++i) {
        v[static_cast<std::size_t>(i)] = RandomRow(7, i).uniform(0) - 0.5;
        norm2 += v[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(i)];
    }
    return {name, n, [&](Index i, Index j) {
                double sum = 0;
                for (Index k = 0; k < n; ++k) {
                    const auto q = [&](Index row) {
                        const double reflected =
                            2 * v[static_cast<std::size_t>(row)] * v[static_cast<std::size_t>(k)] / norm2;
                        return (row == k ? 1 : 0) - reflected;
                    };
                    sum += q(i) * spectrum(k) * q(j);
                }
                return sum;
            }};
}

/// What is hard about symmetric eigenproblems, at one size.
inline std::vector<SmallMatrix> small_eigenproblems(Index n) {
    const auto uniform = [](Index i, Index j) { return 2 * RandomRow(3, i).uniform(j) - 1; };
    std::vector<SmallMatrix> all;
    all.push_back({"random", n, uniform});
    all.push_back({"zero", n, [](Index, Index) { return 0.0; }});
    all.push_back({"identity", n, [](Index i, Index j) { return i == j ? 1.0 : 0.0; }});
    all.push_back({"diagonal", n, [](Index i, Index j) { return i == j ? static_cast<double>(i * 7 % 11) - 5 : 0.0; }});
    all.push_back({"tridiagonal", n, [](Index i, Index j) { return i == j ? 2.0 : i == j + 1 ? -1.0 : 0.0; }});
    all.push_back(
        {"graded up", n, [&](Index i, Index j) { return uniform(i, j) * std::pow(10.0, (i + j - n) / 8.0); }});
    all.push_back(
        {"graded down", n, [&](Index i, Index j) { return uniform(i, j) * std::pow(10.0, (n - i - j) / 8.0); }});
    all.push_back({"tiny", n, [&](Index i, Index j) { return uniform(i, j) * 1e-290; }});
    all.push_back({"huge", n, [&](Index i, Index j) { return uniform(i, j) * 1e290; }});
    all.push_back({"rank one", n, [](Index, Index) { return 1.0; }});
    all.push_back({"Wilkinson", n, [n](Index i, Index j) {  // pairs of eigenvalues agree to many digits
                       return i == j ? std::abs(i - (n - 1) / 2.0) : i == j + 1 ? 1.0 : 0.0;
                   }});
    all.push_back(with_spectrum("two values", n, [](Index k) { return k % 3 == 0 ? 4.0 : -1.0; }));
    all.push_back(with_spectrum("clusters", n, [](Index k) { return 1 + k % 4 + 1e-13 * k; }));
    all.push_back(with_spectrum("rank deficient", n, [](Index k) { return k % 2 == 0 ? 0.0 : 1.0 + k; }));
    all.push_back(with_spectrum("condition 1e16", n, [n](Index k) { return std::pow(10.0, -16.0 * k / n); }));
    return all;
}

/// Whether V diag(values) V' is A, judged in extended precision: |A V - V diag| and |V'V - I| within a small multiple
/// of n eps (Wilkinson 1965, chapter 5; both norms Frobenius's), values ascending.
inline ::testing::AssertionResult is_eigen_decomposition(const SmallMatrix& a, const HostVector<double>& values,
                                                         const HostVector<double>& vectors) {
    constexpr long double multiple = 4;
    const auto failure = [&] { return ::testing::AssertionFailure() << a.name << ", " << a.n << " rows: "; };
    const Size n = a.n;
    for (Size j = 0; j < n; ++j) {
        if (!std::isfinite(values[j])) return failure() << "values[" << j << "] = " << values[j];
        if (j > 0 && values[j] < values[j - 1]) return failure() << "values descend at " << j;
    }
    long double norm2 = 0, residual2 = 0, skew2 = 0;
    for (Size e = 0; e < n * n; ++e) norm2 += static_cast<long double>(a.values[e]) * a.values[e];
    for (Size i = 0; i < n; ++i) {
        for (Size j = 0; j < n; ++j) {
            long double residual = -static_cast<long double>(values[j]) * vectors[i * n + j];
            long double product = i == j ? -1 : 0;
            for (Size k = 0; k < n; ++k) {
                residual += static_cast<long double>(a(i, k)) * vectors[k * n + j];
                product += static_cast<long double>(vectors[k * n + i]) * vectors[k * n + j];
            }
            residual2 += residual * residual;
            skew2 += product * product;
        }
    }
    const long double unit = multiple * static_cast<long double>(n) * std::numeric_limits<double>::epsilon();
    if (!(std::sqrt(skew2) <= unit)) return failure() << "|V'V - I| = " << std::sqrt(skew2) << " > " << unit;
    if (!(std::sqrt(residual2) <= unit * std::sqrt(norm2))) {
        return failure() << "|A V - V diag| = " << std::sqrt(residual2) << " > " << unit * std::sqrt(norm2);
    }
    return ::testing::AssertionSuccess();
}

}  // namespace stiefel::test
