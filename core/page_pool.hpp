#pragma once

#include "stiefel/core/types.hpp"

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace stiefel {

/// Large blocks of memory whose pages, once freed, make other blocks of any size: pages move to where they are wanted
/// (mremap), instead of being cleared by the system again. So as many pages are ever touched as were in use at once.
/// For Linux; elsewhere, or where the system refuses, take() gives nothing.
class PagePool {
public:
    static constexpr Size page = Size{2} << 20;  ///< a huge one

    /// A block of so many bytes, a multiple of a page, at such an address; its contents are what they were. nullptr
    /// where the system gives none.
    void* take(Size bytes) noexcept;

    /// Takes a block back. False if it was not taken here.
    bool give(void* block) noexcept;

    /// Of blocks that were given back.
    Size free_bytes() const noexcept;

private:
    struct Extent {
        char* begin;
        Size bytes;
    };

    void* take_whole(Size bytes);
    Size move_free_pages(char* to, Size bytes);

    mutable std::mutex mutex_;
    std::unordered_map<void*, Size> blocks_;
    std::vector<Extent> free_;
    Size free_bytes_ = 0;
};

}  // namespace stiefel
