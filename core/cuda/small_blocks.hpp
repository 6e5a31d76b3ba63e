#pragma once

#include "stiefel/core/types.hpp"

#include <array>
#include <bit>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace stiefel {

/// Small blocks of memory for work in the order of one stream, cut from slabs that stay: to take one and to give it
/// back asks the driver for nothing, which takes it a microsecond each time, and a small solve has some hundred. A
/// block may be given back while kernels that use it are still queued: whoever takes it next queues up behind them.
/// Sizes are powers of two, so a block has up to twice what was asked for. Several threads may take and give.
class SmallBlocks {
public:
    static constexpr Size least_bytes = 256;  ///< and what a block is aligned to
    static constexpr Size most_bytes = Size{1} << 20;
    static constexpr Size slab_bytes = Size{16} << 20;

    /// Of so many bytes, aligned as cudaMalloc does; null where there is no room.
    using MakeSlab = std::function<void*(Size bytes)>;
    explicit SmallBlocks(MakeSlab make_slab) : make_slab_(std::move(make_slab)) {}
    SmallBlocks(const SmallBlocks&) = delete;
    SmallBlocks& operator=(const SmallBlocks&) = delete;

    /// Of blocks of 1 <= bytes <= most_bytes.
    static constexpr std::size_t size_class(Size bytes) {
        const auto steps = static_cast<std::size_t>((bytes + least_bytes - 1) / least_bytes);
        return static_cast<std::size_t>(std::bit_width(steps - 1));
    }

    /// A block of that size; null where there is no room for a slab.
    void* take(std::size_t size_class) {
        const std::lock_guard lock(mutex_);
        Free& free = free_[size_class];
        if (!free.blocks.empty()) {
            void* const block = free.blocks.back();
            free.blocks.pop_back();
            return block;
        }
        free.blocks.reserve(free.made + 1);  // so that there is room when it comes back
        void* const block = cut(least_bytes << size_class);
        if (block != nullptr) ++free.made;
        return block;
    }

    /// What take() of that size gave.
    void give(void* block, std::size_t size_class) noexcept {
        const std::lock_guard lock(mutex_);
        free_[size_class].blocks.push_back(block);
    }

    /// All that were made.
    const std::vector<void*>& slabs() const { return slabs_; }

private:
    static constexpr std::size_t n_classes = std::bit_width(static_cast<std::size_t>(most_bytes / least_bytes));

    struct Free {
        std::vector<void*> blocks;
        std::size_t made = 0;  ///< blocks of this size
    };

    void* cut(Size bytes) {
        if (bytes > left_) {
            slabs_.reserve(slabs_.size() + 1);
            void* const slab = make_slab_(slab_bytes);
            if (slab == nullptr) return nullptr;
            slabs_.push_back(slab);
            next_ = static_cast<char*>(slab);
            left_ = slab_bytes;
        }
        left_ -= bytes;
        char* const block = next_;
        next_ += bytes;
        return block;
    }

    MakeSlab make_slab_;
    std::mutex mutex_;
    std::array<Free, n_classes> free_;
    std::vector<void*> slabs_;
    char* next_ = nullptr;  // of the last slab
    Size left_ = 0;
};

}  // namespace stiefel
