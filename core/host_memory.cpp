#include "stiefel/core/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace stiefel {

namespace {

constexpr Size huge_page = Size{2} << 20;
constexpr Size cache_line = 64;

}  // namespace

Size physical_memory() {
    static const Size bytes = static_cast<Size>(sysconf(_SC_PHYS_PAGES)) * static_cast<Size>(sysconf(_SC_PAGESIZE));
    return bytes;
}

void* allocate_host(Size bytes) {
    require(bytes >= 0, "allocate_host: bytes must not be negative");
    if (bytes == 0) return nullptr;
    if (bytes > physical_memory()) throw OutOfMemory("an array", bytes, physical_memory());
    const bool large = bytes >= 2 * huge_page;
    const Size alignment = large ? huge_page : cache_line;
    const Size rounded = (bytes + alignment - 1) / alignment * alignment;
    void* pointer = std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded));
    if (pointer == nullptr) throw OutOfMemory("an array", bytes, -1);
    // Advice only: without huge pages everything works, with more time spent in TLB misses.
    if (large) madvise(pointer, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
    return pointer;
}

void free_host(void* pointer) noexcept {
    std::free(pointer);
}

void require_alignment(const void* data, Size alignment, std::string_view who) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    const auto apart = static_cast<std::uintptr_t>(alignment);
    if (address % apart == 0) return;
    throw InvalidArgument(std::string(who) + ": the memory lies " + std::to_string(address % apart) +
                          " bytes behind a multiple of " + std::to_string(apart) +
                          ", where kernels cannot read it; copy it into a vector of the library");
}

}  // namespace stiefel
