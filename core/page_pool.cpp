#include "stiefel/core/page_pool.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>

namespace stiefel {

#if defined(__linux__)

namespace {

constexpr int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::size_t size_of(Size bytes) {
    return static_cast<std::size_t>(bytes);
}

/// Addresses that nothing lies at, beginning at a multiple of a page; nullptr if there are none.
char* reserve(Size bytes) {
    void* const found = mmap(nullptr, size_of(bytes + PagePool::page), PROT_NONE, anonymous, -1, 0);
    if (found == MAP_FAILED) return nullptr;
    char* const begin = static_cast<char*>(found);
    const Size beyond = static_cast<Size>(reinterpret_cast<std::uintptr_t>(begin) % size_of(PagePool::page));
    const Size before = beyond > 0 ? PagePool::page - beyond : 0;
    if (before > 0) munmap(begin, size_of(before));
    munmap(begin + before + bytes, size_of(PagePool::page - before));
    return begin + before;
}

/// Pages that were not touched yet, at addresses that are reserved.
bool map_new(char* at, Size bytes) {
    if (bytes == 0) return true;
    if (mmap(at, size_of(bytes), PROT_READ | PROT_WRITE, anonymous | MAP_FIXED, -1, 0) == MAP_FAILED) return false;
    madvise(at, size_of(bytes), MADV_HUGEPAGE);  // advice only
    return true;
}

}  // namespace

void* PagePool::take(Size bytes) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        blocks_.reserve(blocks_.size() + 1);
        free_.reserve(free_.size() + 2);
        void* block = take_whole(bytes);
        if (block == nullptr) {
            char* const place = reserve(bytes);
            if (place == nullptr) return nullptr;
            const Size moved = move_free_pages(place, bytes);
            if (!map_new(place + moved, bytes - moved)) {
                munmap(place, size_of(bytes));
                return nullptr;
            }
            block = place;
        }
        blocks_.emplace(block, bytes);
        return block;
    } catch (...) {  // no memory for the lists
        return nullptr;
    }
}

/// The beginning of a free extent that is long enough, the shortest of those.
void* PagePool::take_whole(Size bytes) {
    auto best = free_.end();
    for (auto extent = free_.begin(); extent != free_.end(); ++extent) {
        if (extent->bytes >= bytes && (best == free_.end() || extent->bytes < best->bytes)) best = extent;
    }
    if (best == free_.end()) return nullptr;
    char* const block = best->begin;
    best->begin += bytes;
    best->bytes -= bytes;
    if (best->bytes == 0) free_.erase(best);
    free_bytes_ -= bytes;
    return block;
}

/// Returns how many bytes of free pages lie there now.
Size PagePool::move_free_pages(char* to, Size bytes) {
    Size moved = 0;
    while (moved < bytes && !free_.empty()) {
        Extent& last = free_.back();
        const Size part = std::min(last.bytes, bytes - moved);
        char* const from = last.begin + last.bytes - part;
        void* const there = mremap(from, size_of(part), size_of(part), MREMAP_MAYMOVE | MREMAP_FIXED, to + moved);
        if (there == MAP_FAILED) break;
        last.bytes -= part;
        if (last.bytes == 0) free_.pop_back();
        free_bytes_ -= part;
        moved += part;
    }
    return moved;
}

bool PagePool::give(void* block) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) return false;
    const Size bytes = found->second;
    blocks_.erase(found);
    try {
        free_.push_back({static_cast<char*>(block), bytes});
        free_bytes_ += bytes;
    } catch (...) {
        munmap(block, size_of(bytes));
    }
    return true;
}

#else

void* PagePool::take(Size) noexcept {
    return nullptr;
}
bool PagePool::give(void*) noexcept {
    return false;
}

#endif

Size PagePool::free_bytes() const noexcept {
    const std::lock_guard lock(mutex_);
    return free_bytes_;
}

}  // namespace stiefel
