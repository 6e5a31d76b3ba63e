#pragma once

namespace stiefel {

/// From now on the C library keeps what is freed for later allocations, instead of giving large blocks back to the
/// system, which clears their pages again before they return: a third of the time of what allocates and frees as much
/// as a set-up of multigrid does. For a program to decide, before it starts threads: the setting is the whole
/// process's, whose memory then only grows. Without effect where the C library is not GNU's.
void keep_freed_memory();

}  // namespace stiefel
