#pragma once

#include "stiefel/core/types.hpp"

#include <vector>

namespace stiefel::cli {

/// When the residuals of a history were there: marks now and then, at most some thousands, and what lies between is
/// interpolated. On a device the host hears of several iterations at once, so there a mark may come a little late.
class IterationMarks {
public:
    struct Mark {
        Size at = 0;         ///< index into the history
        double seconds = 0;  ///< since the first iteration was begun
    };

    /// A residual is there; `at` ascends, a repeated one counts once.
    void add(Size at, double seconds);
    /// What follows belongs to another right-hand side, or another block of them, and begins at this index.
    void begin_solve(Size at) { starts_.push_back(at); }

    bool empty() const { return last_.at < 0; }
    double seconds_at(Size at) const;
    /// Where solves begin: in ascending order; empty where nothing was told.
    const std::vector<Size>& starts() const { return starts_; }

private:
    std::vector<Mark> marks_ = {};  ///< the last one is apart
    Mark last_ = {-1, 0};
    Size stride_ = 1;  ///< least distance of marks
    std::vector<Size> starts_ = {};
};

}  // namespace stiefel::cli
