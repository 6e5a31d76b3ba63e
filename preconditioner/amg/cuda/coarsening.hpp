#pragma once

#include "stiefel/preconditioner/amg/cuda/near_null_space.hpp"
#include "stiefel/preconditioner/amg/cuda/spectral_radius.hpp"
#include "stiefel/preconditioner/amg/cuda/step_clock.hpp"
#include "stiefel/preconditioner/amg/grid_transfer.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace stiefel::amg {

/// What leads from a level to the next, as CoarserLevel of the host, and the spectrum of the level itself.
struct DeviceCoarserLevel {
    DeviceSpectralRadius radius;
    SharedTransfer<DeviceMemory> transfer;
    DeviceCsr<double> a;
    DeviceMatrix found;  ///< of it
};

/// As of the host. coarsen() marks the steps of the set-up, but for what its caller does with what is returned.
class DeviceCoarsening {
public:
    explicit DeviceCoarsening(Index block_size) : block_size_(block_size) {}
    virtual ~DeviceCoarsening() = default;
    DeviceCoarsening(const DeviceCoarsening&) = delete;
    DeviceCoarsening& operator=(const DeviceCoarsening&) = delete;

    Index block_size() const { return block_size_; }

    virtual std::optional<DeviceCoarserLevel> coarsen(Cuda&, const DeviceCsr<double>& a, DeviceMatrix& found,
                                                      StepClock& clock) = 0;
    virtual void begin_again() = 0;
    virtual Size bytes() const = 0;

    double finest_spread = 1;  ///< the range of the finest level's diagonal

private:
    Index block_size_;
};

/// finest: of coarsenings.hpp.
std::unique_ptr<DeviceCoarsening> scalar_device_coarsening(std::string_view finest, bool for_updates);
/// Of nodes and modes that has_block_kernels() knows.
std::unique_ptr<DeviceCoarsening> block_device_coarsening(DeviceNearNullSpace, bool for_updates);

/// Thrown within the set-up where the host has to look at a coarse matrix: see coarse_diagonal.hpp.
struct NeedsHost {};

/// Throws NeedsHost where a coarse diagonal is not positive, or reaches so much further than the finest that only
/// rounding may be left of a row: a part of a singular matrix has become one aggregate.
void check_coarse_diagonal(const LevelFacts&, double finest_spread);

/// Diagonal and rows.
DeviceMatrix looked_at(Cuda&, const DeviceCsr<double>& a);

}  // namespace stiefel::amg
