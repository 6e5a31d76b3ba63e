#pragma once

#include "stiefel/preconditioner/amg/cuda/strength.hpp"

#include <vector>

namespace stiefel::amg {

/// The host's spectral_radius() in two parts, so that nothing waits between the steps of Lanczos.
class DeviceSpectralRadius {
public:
    /// Enqueues what the bound needs; gershgorin: the fact of that name.
    DeviceSpectralRadius(Cuda&, const DeviceCsr<double>& a, const DeviceMatrix& of, double gershgorin);

    /// The bound; waits for the device unless Gershgorin's was close enough.
    double value(Cuda&) const;

private:
    double gershgorin_;
    DeviceVector<double> coefficients_;  ///< alternating: a norm, then the product that follows it; empty if not needed
};

}  // namespace stiefel::amg
