#pragma once

#include "stiefel/core/blocks.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/core/random.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/preconditioner/amg/lanczos.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace stiefel::amg {

/// The largest Ritz value of twelve steps of Lanczos from a random vector, for a symmetric n x n matrix A with a unit
/// diagonal. multiply(v, w): w = A v, for vectors of n elements of T. Of a matrix whose rows lie with several ranks,
/// that the backend has joined, n are those of this one, and all find the same.
template <class T, class Multiply>
double largest_ritz_value(OpenMP& backend, Size n, const Multiply& multiply) {
    HostVector<T> v = make_vector<T>(backend, n), before = make_vector<T>(backend, n), w = make_vector<T>(backend, n);
    const auto for_all = [&](auto&& f) {
        for_each_block(backend, n, 4 * v.bytes(), [&](Size begin, Size end) {
            for (Size i = begin; i < end; ++i) f(i);
        });
    };
    const auto norm = [&](const HostVector<T>& x) { return std::sqrt(static_cast<double>(dot(backend, x, x))); };
    for_all([&](Size i) { v[i] = static_cast<T>(RandomRow(1, i).uniform(0) - 0.5); });
    const T first = static_cast<T>(norm(v));
    for_all([&](Size i) {
        v[i] /= first;
        before[i] = 0;
    });
    constexpr double exhausted = std::is_same_v<T, double> ? Lanczos::exhausted : std::numeric_limits<T>::epsilon();
    Tridiagonal t;
    T beta = 0;
    for (int step = 0; step < Lanczos::steps; ++step) {
        multiply(v, w);
        for_all([&](Size i) { w[i] -= beta * before[i]; });
        const double alpha = static_cast<double>(dot(backend, v, w));
        for_all([&](Size i) { w[i] -= static_cast<T>(alpha) * v[i]; });
        const double next = norm(w);
        t.diagonal.push_back(alpha);
        t.beside.push_back(next);
        if (!(next > exhausted * std::abs(alpha))) break;  // the space is exhausted
        beta = static_cast<T>(next);
        for_all([&](Size i) {
            before[i] = v[i];
            v[i] = w[i] / beta;
        });
    }
    t.beside.back() = 0;
    return t.largest_eigenvalue();
}

}  // namespace stiefel::amg
