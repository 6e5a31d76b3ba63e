#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/core/step_length.hpp"
#include "stiefel/core/world.hpp"

namespace stiefel {

/// Backend: one thread of the host. Its kernels are written to be read and are the reference for all others. It holds
/// nothing but its world, so threads may share it.
class Serial : public InWorld {
public:
    using memory = HostMemory;
    static constexpr const char* name = "serial";
    static constexpr int threads() { return 1; }
    static constexpr bool threads_may_share = true;

    /// A recorded step is run by calling it; see Cuda::record for why algorithms record at all.
    template <class Step>
    Step record(Step step, StepLength = StepLength::few_kernels) {
        return step;
    }
};

}  // namespace stiefel
