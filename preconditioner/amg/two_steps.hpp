#pragma once

namespace stiefel::amg {

/// Two steps of the Chebyshev iteration:  d = first r,  x += d,  r -= A d;  d = rho d + second r,  x += d,  r -= A d.
template <class S>
struct TwoSteps {
    S first;
    S rho;
    S second;
};

}  // namespace stiefel::amg
