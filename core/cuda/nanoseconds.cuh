#pragma once

namespace stiefel {

/// The device's clock, which goes on while multiprocessors change their rates. It moves in steps of up to a
/// microsecond: what is added up of many short times is right in the mean.
__device__ inline unsigned long long nanoseconds() {
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

}  // namespace stiefel
