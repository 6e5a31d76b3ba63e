#pragma once

namespace stiefel {

/// What a kernel call must move and compute at least: every input read once, every output written once. Measured time
/// against bytes / bandwidth says how far a kernel is from its floor. The same formulas serve reports and benches.
struct Work {
    double bytes = 0;
    double flops = 0;
};

}  // namespace stiefel
