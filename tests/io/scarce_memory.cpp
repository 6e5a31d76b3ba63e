#include "io/scarce_memory.hpp"

#include <cstdlib>
#include <new>

namespace stiefel::test {

std::atomic<std::size_t> largest_allocation{~std::size_t{0}};

}  // namespace stiefel::test

void* operator new(std::size_t bytes) {
    void* const memory = bytes > stiefel::test::largest_allocation ? nullptr : std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
