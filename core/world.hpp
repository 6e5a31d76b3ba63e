#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel {

struct DeviceWorld;

/// The processes that hold a problem together, each some rows of its matrix and of its vectors. A host backend that has
/// joined one ends every sum there: what kernels hand to algorithms, and what these decide by, are sums over all
/// processes, the same bits in each, so that all take the same decisions. On a GPU kernels do so themselves. A backend
/// by itself has none.
class World {
public:
    virtual ~World() = default;

    /// The number of this process, from 0, and of processes.
    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// sums[i], i < n, become the sums over all processes; all call it, in the same order.
    virtual void all_sum(double* sums, Size n) = 0;

    /// The same for maxima of numbers that are not negative; NaN if any is.
    virtual void all_max(double* maxima, Size n) = 0;

    /// What the kernels of a GPU need to end their sums over the GPUs of all processes, in that GPU's memory (see
    /// core/cuda/device_world.cuh); none where only hosts compute.
    virtual DeviceWorld* on_device() const { return nullptr; }
};

/// What a backend knows of its world.
class InWorld {
public:
    /// The world must outlive the backend.
    void join(World& world) { world_ = &world; }
    World* world() const { return world_; }

    /// Whether there is nobody else: in no world, or in one of one.
    bool is_alone() const { return world_ == nullptr || world_->size() == 1; }

private:
    World* world_ = nullptr;
};

/// Ends the sums that a host has.
inline void all_sum(const InWorld& backend, double* sums, Size n) {
    if (!backend.is_alone()) backend.world()->all_sum(sums, n);
}
inline double all_sum(const InWorld& backend, double sum) {
    all_sum(backend, &sum, 1);
    return sum;
}
inline void all_max(const InWorld& backend, double* maxima, Size n) {
    if (!backend.is_alone()) backend.world()->all_max(maxima, n);
}

/// Of a matrix whose rows lie ld apart: n_rows rows as they are where there are no gaps, else one by one.
inline void all_sum(const InWorld& backend, double* sums, Size n_rows, Size n_cols, Size ld) {
    if (backend.is_alone()) return;
    if (ld == n_cols) return all_sum(backend, sums, n_rows * n_cols);
    for (Size i = 0; i < n_rows; ++i) all_sum(backend, sums + i * ld, n_cols);
}

}  // namespace stiefel
