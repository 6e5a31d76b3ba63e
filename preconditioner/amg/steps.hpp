#pragma once

#include "stiefel/core/types.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace stiefel::amg {

/// What a coarsening did level by level, to be done again for other values.
template <class Step>
class Steps {
public:
    /// is_kept: otherwise nothing can be repeated, and nothing takes memory.
    explicit Steps(bool is_kept) : is_kept_(is_kept) {}

    bool is_kept() const { return is_kept_; }
    void keep(Step step) {
        if (is_kept_) steps_.push_back(std::move(step));
    }

    void begin_again() {
        repeats_ = true;
        next_ = 0;
    }
    bool repeats() const { return repeats_; }
    /// nullptr: that was the last.
    const Step* next() { return next_ < steps_.size() ? &steps_[next_++] : nullptr; }

    Size bytes() const {
        Size sum = 0;
        for (const Step& step : steps_) sum += step.bytes();
        return sum;
    }

private:
    std::vector<Step> steps_;
    std::size_t next_ = 0;
    bool is_kept_;
    bool repeats_ = false;
};

}  // namespace stiefel::amg
