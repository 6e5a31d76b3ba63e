#pragma once

namespace stiefel {

/// What a recorded step of a loop is made of. Kernels of a run that has ended return at once, but they have to start:
/// a loop on a device looks only now and then whether it is to go on if a step is `few_kernels`, and after every step
/// if it is `many_kernels`, or work that does not ask whether the run has ended. Steps that wait for the host,
/// `work_of_host`, are not recorded: the host leads them one by one.
enum class StepLength { few_kernels, many_kernels, work_of_host };

}  // namespace stiefel
