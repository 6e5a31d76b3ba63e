#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"

#include <utility>
#include <vector>

namespace stiefel::amg {

/// Seconds between points of the stream's work, each of which ends a step.
class StepClock {
public:
    explicit StepClock(Cuda& backend) : backend_(backend) { mark(nullptr); }

    /// What was enqueued since the last mark was for that step.
    void mark(double SetupSeconds::*step) {
        CudaEvent event;
        event.record(backend_);
        marks_.emplace_back(std::move(event), step);
    }

    SetupSeconds seconds() const {
        SetupSeconds sum;
        for (std::size_t m = 1; m < marks_.size(); ++m) {
            sum.*marks_[m].second += marks_[m].first.seconds_since(marks_[m - 1].first);
        }
        return sum;
    }

private:
    Cuda& backend_;
    std::vector<std::pair<CudaEvent, double SetupSeconds::*>> marks_;
};

}  // namespace stiefel::amg
