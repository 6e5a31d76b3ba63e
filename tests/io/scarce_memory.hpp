#pragma once

#include <atomic>
#include <cstddef>

namespace stiefel::test {

/// Allocations by `new` of more bytes than this throw std::bad_alloc; none do at first.
extern std::atomic<std::size_t> largest_allocation;

}  // namespace stiefel::test
