#pragma once

#include "stiefel/preconditioner/ssor/colouring.hpp"

#include "support/triangular_factors.hpp"

#include <cmath>
#include <vector>

namespace stiefel::test {

/// P z and |P| |z| for P = (D / w + L) (w / (2 - w)) D^-1 (D / w + L'), in extended precision and in the order of
/// colours.
struct DenseRelaxation {
    DenseRelaxation(const std::vector<long double>& a, const ssor::Colouring& colouring, long double omega,
                    const std::vector<long double>& z) {
        const Size n = colouring.colour.size();
        const auto before = [&](Size i, Size j) {
            const Index first = colouring.colour[i], second = colouring.colour[j];
            return first != second ? first < second : i < j;
        };
        std::vector<long double> middle(at(n), 0), middle_absolute(at(n), 0);
        for (Size i = 0; i < n; ++i) {
            for (Size j = 0; j < n; ++j) {
                const long double value = i == j ? a[at(i * n + i)] / omega : before(i, j) ? a[at(i * n + j)] : 0;
                const long double factor = omega / (2 - omega) / a[at(i * n + i)];
                middle[at(i)] += factor * value * z[at(j)];
                middle_absolute[at(i)] += factor * std::abs(value * z[at(j)]);
            }
        }
        product.assign(at(n), 0);
        absolute.assign(at(n), 0);
        for (Size i = 0; i < n; ++i) {
            for (Size j = 0; j < n; ++j) {
                const long double value = i == j ? a[at(i * n + i)] / omega : before(j, i) ? a[at(i * n + j)] : 0;
                product[at(i)] += value * middle[at(j)];
                absolute[at(i)] += std::abs(value) * middle_absolute[at(j)];
            }
        }
    }

    std::vector<long double> product, absolute;
};

}  // namespace stiefel::test
