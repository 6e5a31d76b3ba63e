#include "stiefel/core/memory.hpp"

#include "stiefel/core/kept_memory.hpp"
#include "stiefel/core/page_pool.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace stiefel {

namespace {

constexpr Size huge_page = PagePool::page;
constexpr Size cache_line = 64;

/// Where the large blocks come from, if freed memory is kept. Never destroyed, since vectors may be freed later.
std::atomic<PagePool*> pool{nullptr};

/// The number behind a word of one of the kernel's files; -1 if it is not there.
Size number_in(const char* path, const std::string& wanted) {
    std::ifstream file(path);
    for (std::string word; file >> word;) {
        if (word != wanted) continue;
        Size value = -1;
        return file >> value ? value : -1;
    }
    return -1;
}

/// The first number of such a file; -1 if there is none ("max").
Size number_of(const char* path) {
    Size value = -1;
    return std::ifstream(path) >> value ? value : -1;
}

/// What a container (control groups, version 2) leaves. The cache of files counts against its limit, but gives way.
Size left_in_container() {
    const Size limit = number_of("/sys/fs/cgroup/memory.max"), used = number_of("/sys/fs/cgroup/memory.current");
    if (limit < 0 || used < 0) return std::numeric_limits<Size>::max();
    const Size cache = std::max<Size>(0, number_in("/sys/fs/cgroup/memory.stat", "file"));
    return std::max<Size>(0, limit - used + cache);
}

/// What the limit of this process's addresses leaves (ulimit -v).
Size left_of_addresses() {
    struct rlimit limit {};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<Size>::max();
    const Size pages = std::max<Size>(0, number_of("/proc/self/statm"));
    return std::max<Size>(0, static_cast<Size>(limit.rlim_cur) - pages * static_cast<Size>(sysconf(_SC_PAGESIZE)));
}

/// Freed, but kept.
Size kept_memory() {
    const PagePool* const pages = pool.load();
    Size kept = pages != nullptr ? pages->free_bytes() : 0;
#if defined(__GLIBC__)
    kept += static_cast<Size>(mallinfo2().fordblks);
#endif
    return kept;
}

}  // namespace

void keep_freed_memory() {
#ifndef __SANITIZE_ADDRESS__  // which is to see what is freed
    if (pool.load() == nullptr) pool = new PagePool;
#endif
#if defined(__GLIBC__)
    mallopt(M_MMAP_MAX, 0);  // else blocks of 32 MB and more always come from the system and go back there
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_ARENA_MAX, 1);  // those of other threads are limited, and give back what they can
#endif
}

Size physical_memory() {
    static const Size bytes = static_cast<Size>(sysconf(_SC_PHYS_PAGES)) * static_cast<Size>(sysconf(_SC_PAGESIZE));
    return bytes;
}

Size available_memory() {
    const Size kibibytes = number_in("/proc/meminfo", "MemAvailable:");
    return kept_memory() +
           std::min({kibibytes < 0 ? physical_memory() : 1024 * kibibytes, left_in_container(), left_of_addresses()});
}

void* allocate_host(Size bytes) {
    require(bytes >= 0, "allocate_host: bytes must not be negative");
    if (bytes == 0) return nullptr;
    if (bytes > physical_memory()) throw OutOfMemory("an array", bytes, physical_memory());
    const bool large = bytes >= 2 * huge_page;
    const Size alignment = large ? huge_page : cache_line;
    const Size rounded = (bytes + alignment - 1) / alignment * alignment;
    PagePool* const pages = large ? pool.load() : nullptr;
    if (void* const block = pages != nullptr ? pages->take(rounded) : nullptr) return block;
    void* pointer = std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded));
    if (pointer == nullptr) throw OutOfMemory("an array", bytes, -1);
    // Advice only: without huge pages everything works, with more time spent in TLB misses.
    if (large) madvise(pointer, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
    return pointer;
}

void free_host(void* pointer) noexcept {
    if (pointer == nullptr) return;
    PagePool* const pages = pool.load();
    if (pages == nullptr || !pages->give(pointer)) std::free(pointer);
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
