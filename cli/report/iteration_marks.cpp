#include "stiefel/cli/report/iteration_marks.hpp"

#include <algorithm>
#include <cstddef>

namespace stiefel::cli {

void IterationMarks::add(Size at, double seconds) {
    constexpr std::size_t most = 4096;
    if (at <= last_.at) return;
    last_ = {at, seconds};
    if (!marks_.empty() && at < marks_.back().at + stride_) return;
    marks_.push_back(last_);
    if (marks_.size() < most) return;
    for (std::size_t k = 0; 2 * k < marks_.size(); ++k) marks_[k] = marks_[2 * k];
    marks_.resize((marks_.size() + 1) / 2);
    stride_ *= 2;
}

double IterationMarks::seconds_at(Size at) const {
    if (empty()) return 0;
    if (at >= last_.at) return last_.seconds;
    const auto after =
        std::upper_bound(marks_.begin(), marks_.end(), at, [](Size index, const Mark& m) { return index < m.at; });
    if (after == marks_.begin()) return marks_.front().seconds;
    const Mark& from = *(after - 1);
    const Mark& to = after == marks_.end() ? last_ : *after;
    const double share = static_cast<double>(at - from.at) / static_cast<double>(to.at - from.at);
    return from.seconds + share * (to.seconds - from.seconds);
}

}  // namespace stiefel::cli
