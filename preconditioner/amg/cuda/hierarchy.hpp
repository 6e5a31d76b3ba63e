#pragma once

#include "stiefel/preconditioner/amg/cycle.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace stiefel::amg {

/// A diagonal and its roots on a device.
struct DeviceDiagonal {
    const DeviceVector<double>& entries;
    const DeviceVector<double>& inverse_roots;
};

/// What a level of the hierarchy is made of, as Level of the host.
struct DeviceLevel {
    const DeviceCsr<double>& a;
    DeviceDiagonal diagonal;
    double spectral_radius;
    SharedTransfer<DeviceMemory> transfer;
    const DeviceDiagonal* coarse_diagonal;
    const DeviceCsr<double>* inverse;
    Index block_size;  ///< unknowns at each node of the finest level
};

class DeviceCoarsening;

/// As of the host.
double diagonal_spread(Cuda&, const DeviceCsr<double>& a);

/// Whether a set-up with these options runs on the device: with the default smoother, and blocks and modes that there
/// are kernels for.
bool suits_device(const SetupOptions& options);

/// As of the host, but for aggregates, which are found in parallel (parallel_aggregates). The host waits some times a
/// level, for sizes. The same bits in every run. Nothing for what does not suit a device or has unknowns that the host
/// has to judge; what was kept by then is to be forgotten, and the coarsening as well. Throws as the host's.
std::optional<SetupSeconds> build_hierarchy(Cuda&, const DeviceCsr<double>& a, const SetupOptions& options,
                                            std::unique_ptr<DeviceCoarsening>& coarsening,
                                            const std::function<void(const DeviceLevel&)>& keep);

/// With the default smoother. is_twice: visited by the level above.
template <class S>
CycleLevel<Cuda, S> to_cycle_level(Cuda&, const DeviceLevel& level, bool is_twice);

}  // namespace stiefel::amg
