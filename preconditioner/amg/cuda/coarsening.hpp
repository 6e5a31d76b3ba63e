#pragma once

#include "stiefel/preconditioner/amg/cuda/near_null_space.hpp"
#include "stiefel/preconditioner/amg/cuda/spectral_radius.hpp"
#include "stiefel/preconditioner/amg/cuda/step_clock.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace stiefel::amg {

/// What leads from a level to the next, as CoarserLevel of the host, and the spectrum of the level itself.
struct DeviceCoarserLevel {
    DeviceSpectralRadius radius;
    DeviceCsr<double> prolongation;
    DeviceCsr<double> restriction;
    DeviceCsr<double> a;
    DeviceMatrix found;           ///< of it
    std::string_view coarsening;  ///< of coarsenings.hpp
};

/// As of the host. coarsen() marks the steps of the set-up, but for what its caller does with what is returned.
class DeviceCoarsening {
public:
    virtual ~DeviceCoarsening() = default;
    virtual std::optional<DeviceCoarserLevel> coarsen(const DeviceCsr<double>& a, DeviceMatrix& found,
                                                      StepClock& clock) = 0;
};

/// finest_spread: the range of the finest level's diagonal; finest: of coarsenings.hpp.
std::unique_ptr<DeviceCoarsening> scalar_coarsening(Cuda&, double finest_spread, std::string_view finest);
/// Of nodes and modes that has_block_kernels() knows.
std::unique_ptr<DeviceCoarsening> block_coarsening(Cuda&, DeviceNearNullSpace);

/// Thrown within the set-up where the host has to look at a coarse matrix: see coarse_diagonal.hpp.
struct NeedsHost {};

/// Throws NeedsHost where a coarse diagonal is not positive, or reaches so much further than the finest that only
/// rounding may be left of a row: a part of a singular matrix has become one aggregate.
void check_coarse_diagonal(const LevelFacts&, double finest_spread);

/// Diagonal and rows.
DeviceMatrix looked_at(Cuda&, const DeviceCsr<double>& a);

}  // namespace stiefel::amg
