#pragma once

#include "bench/cuda/spsv_reference.hpp"

#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"

#include <array>

namespace stiefel::bench {

/// cuSPARSE's z = L^-T L^-1 r, in the two ways that it offers: with L' stored as well, or with L solved with twice,
/// once transposed. What it is made of must outlive it.
template <class T>
class CusparseBothTriangles {
public:
    enum class Stored { both, lower_alone };
    static constexpr std::array all{Stored::both, Stored::lower_alone};
    static const char* name(Stored stored);

    CusparseBothTriangles(Cuda& backend, const cholesky::IncompleteFactor<T>& l, Stored stored,
                          const DeviceVector<T>& r, DeviceVector<T>& z);

    void run() {
        forward_.run();
        backward_.run();
    }
    double analysis_seconds() const { return forward_.analysis_seconds() + backward_.analysis_seconds(); }

private:
    DeviceCsr<T> upper_, lower_;
    DeviceVector<T> middle_;
    CusparseSpsv forward_, backward_;
};

}  // namespace stiefel::bench
