#pragma once

#include "stiefel/core/types.hpp"

#include <vector>

namespace stiefel::amg {

/// Chebyshev iteration for a matrix with unit diagonal (Golub and Varga 1961; as smoother: Adams, Brezina, Hu and
/// Tuminaro 2003): `degree` steps damp the part of the spectrum between radius / ratio and radius, the rest is the
/// coarse levels' task. From x = 0 the first step is one scaled copy.
class ChebyshevSmoother {
public:
    static constexpr int degree = 2;
    static constexpr double ratio = 10;

    /// Factors of a step  d = rho d + sigma r,  x += d.
    struct Step {
        double rho;
        double sigma;
    };

    explicit ChebyshevSmoother(double radius) {
        const double upper = radius, lower = radius / ratio;
        const double theta = (upper + lower) / 2, delta = (upper - lower) / 2;
        double c = delta / theta;
        steps_.push_back({.rho = 0, .sigma = 1 / theta});
        for (int k = 1; k < degree; ++k) {
            const double next = 1 / (2 * theta / delta - c);
            steps_.push_back({.rho = next * c, .sigma = 2 * next / delta});
            c = next;
        }
    }

    const std::vector<Step>& steps() const { return steps_; }

private:
    std::vector<Step> steps_;
};

}  // namespace stiefel::amg
