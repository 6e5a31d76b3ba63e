#pragma once

#include "stiefel/cli/solve/preconditioner_advisor.hpp"
#include "stiefel/cli/solve/strong_ones.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::cli {

// What strong preconditioners are expected to cost on a device, and when they are considered there.

/// What a solve with multigrid takes on a device, of so many entries. Its set-up waits for the host level by level, 3
/// to 4 ms, and takes 0.4 to 0.5 ns an entry (H200). The solve takes as long as 50 to 80 iterations of the light one,
/// of elastic bodies 220, and 1.5 ms in which kernels of small levels begin and end.
inline PreconditionerAdvisor::Cost cost_of_amg_on_device(Size nnz) {
    constexpr double small_levels = 0.0015;
    const double setup = 0.0033 + 5e-10 * static_cast<double>(nnz);
    return {.iterations = 60, .seconds = setup + small_levels, .setup = setup};
}
inline constexpr Size most_iterations_before_amg = 170;
/// When multigrid is considered on a device, where an iteration of the light one takes `seconds`: when as many are done
/// as take an eighth of what it would, so that little is lost where it follows, and little is left where it need not.
inline Size iterations_before_amg(const PreconditionerAdvisor::Cost& cost, double seconds) {
    constexpr double to_lose = 0.12;
    constexpr auto most = static_cast<double>(most_iterations_before_amg);
    constexpr auto least = static_cast<double>(PreconditionerAdvisor::light_looks.back());
    return static_cast<Size>(
        std::lround(std::clamp(to_lose * (cost.iterations + cost.seconds / seconds), least, most)));
}

/// What a solve with a sparse approximate inverse takes on a device: a third of the iterations or fewer, in all
/// matrices measured, each as long as two or two and a half, and of many rows as three or more. Its set-up takes as
/// long as 100 iterations of a small system, and longer where rows are long, as each solves a system of half its
/// length, or more than fill the device at once; another run with its plan as long as 70 (H200).
inline constexpr double least_set_up_of_fsai = 0.00025, another_run = 0.00018;
inline PreconditionerAdvisor::Cost cost_of_fsai(Index n_rows, Size nnz) {
    const double squared_lengths = static_cast<double>(nnz) * static_cast<double>(nnz) / std::max(n_rows, 1);
    constexpr Index rows_at_once = 10000;
    const double setup =
        least_set_up_of_fsai + 1.5e-11 * squared_lengths + 5e-9 * std::max(n_rows - rows_at_once, Index{0});
    const double share = n_rows > rows_without_amg ? 0.85 : 0.7;
    return {.iterations = 0, .seconds = setup + another_run, .share = share, .setup = setup};
}
inline constexpr Size iterations_of_set_up_of_fsai = 170;

/// Whether `fsai` is taken before any iteration where so many are expected (slow_by_couplings.hpp): a look at
/// iterations costs another run beside 30 of them, as long as a short set-up.
inline bool is_taken_at_once(const PreconditionerAdvisor::Cost& of_fsai, double iterations) {
    constexpr double longest_set_up = 0.001, least_iterations = 220;
    return of_fsai.setup && *of_fsai.setup <= longest_set_up && iterations >= least_iterations;
}

/// Of small systems, with random right-hand sides, forecasts after 30 iterations are wrong least often about what
/// repays (docs/performance/time_to_solution.md); each look takes as long as two iterations. Where the set-up takes
/// longer it waits for as much longer, as a wrong forecast costs more: elasticity3d 9 and 12 take four fifths and half
/// the time so. Of larger systems, where multigrid may follow as well, iterations with it take longer than two, and it
/// waits.
inline Size iterations_before_fsai(const StrongOnes& strong, const PreconditionerAdvisor::Cost& cost) {
    if (strong.amg) return iterations_of_set_up_of_fsai;
    constexpr auto least = static_cast<double>(PreconditionerAdvisor::light_looks.back());
    return static_cast<Size>(std::lround(least * cost.seconds / (least_set_up_of_fsai + another_run)));
}

}  // namespace stiefel::cli
