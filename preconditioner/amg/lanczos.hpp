#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stiefel::amg {

/// How a spectrum is bounded.
struct Lanczos {
    static constexpr double close_enough = 2.05;  ///< a bound by Gershgorin that needs no other
    static constexpr int steps = 12;
    static constexpr double margin = 1.1;       ///< times the largest Ritz value
    static constexpr double exhausted = 1e-12;  ///< of a product: a norm that ends the steps
};

/// A symmetric tridiagonal matrix that grows by a row a step.
struct Tridiagonal {
    std::vector<double> diagonal, beside;

    /// Its largest eigenvalue, by bisection on the signs of the pivots of T - mu I (Givens 1954).
    double largest_eigenvalue() const {
        double low = 0, high = 0;
        for (std::size_t k = 0; k < diagonal.size(); ++k) {
            high = std::max(high, diagonal[k] + beside[k] + (k > 0 ? beside[k - 1] : 0));
        }
        for (int step = 0; step < 40; ++step) {
            const double middle = (low + high) / 2;
            (has_eigenvalue_above(middle) ? low : high) = middle;
        }
        return high;
    }

private:
    bool has_eigenvalue_above(double mu) const {
        double pivot = 1;
        for (std::size_t k = 0; k < diagonal.size(); ++k) {
            pivot = diagonal[k] - mu - (k > 0 ? beside[k - 1] * beside[k - 1] / pivot : 0);
            if (pivot >= 0) return true;
        }
        return false;
    }
};

}  // namespace stiefel::amg
