#include "stiefel/preconditioner/cholesky/room_plan.hpp"

#include <algorithm>
#include <iterator>

namespace stiefel::cholesky {

Size RoomPlan::take(Size size) {
    if (size == 0) return 0;
    const auto gap = std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& each) { return each.second >= size; });
    if (gap != gaps_.end()) {
        const auto [at, width] = *gap;
        gaps_.erase(gap);
        if (width > size) gaps_.emplace(at + size, width - size);
        return at;
    }
    const Size at = length_;
    length_ += size;
    return at;
}

void RoomPlan::give(Size at, Size size) {
    if (size == 0) return;
    auto next = gaps_.lower_bound(at);
    if (next != gaps_.end() && next->first == at + size) {
        size += next->second;
        next = gaps_.erase(next);
    }
    if (next != gaps_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == at) {
            before->second += size;
            return;
        }
    }
    gaps_.emplace_hint(next, at, size);
}

}  // namespace stiefel::cholesky
