#pragma once

#include <functional>

namespace stiefel {

// The kernels of a source file are a module. It is loaded when the first of them is used, which takes 0.2 to 1.4 ms,
// and each of them when it is used itself, some 20 us (H200). What a set-up of multigrid and its cycle use is spread
// over some twenty files: 7 ms, which can be spent before.

/// What uses a module. They are loaded in this order.
enum class EarlyUse {
    every_solve,
    ranks,    ///< with a GPU each
    set_ups,  ///< of both of the next
    fsai,
    multigrid
};

/// A module that can be loaded early: an object of this type in its source file says so, which it has from a
/// header of core/cuda/early/.
class EarlyModule {
public:
    EarlyModule(void (*kernel)(), EarlyUse use);
};

/// Loads them with all their kernels for a device, in a few threads, and waits. Before each, and not before the device
/// has started, which may take long, it asks from any of these threads whether it is wanted. What cannot be loaded now
/// is left for when it is used.
void load_early_modules(int device, const std::function<bool(EarlyUse)>& wanted) noexcept;

}  // namespace stiefel
