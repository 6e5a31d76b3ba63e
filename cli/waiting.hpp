#pragma once

namespace stiefel::cli {

/// Makes threads that wait for others at the end of a loop give their processor away soon. GNU's OpenMP lets them turn
/// for milliseconds by default, on the very processor that the thread they wait for needs if other programs run
/// beside: loops of microseconds then last a time slice each. It reads its settings before main, so the program starts
/// itself again with them, once; where the user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT, or that cannot be done, all
/// stays as it is.
void wait_briefly_for_threads(char** argv);

}  // namespace stiefel::cli
