#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <memory>

namespace stiefel::bench {

/// cuSPARSE's y = T^-1 x for one triangle with its diagonal, ready to run.
class CusparseSpsv {
public:
    /// lower and upper: as it is stored; transposed_lower: with L' where L is stored.
    enum class Triangle { lower, transposed_lower, upper };

    template <class T>
    CusparseSpsv(Cuda& backend, Triangle triangle, const DeviceCsr<T>& csr, const DeviceVector<T>& x,
                 DeviceVector<T>& y);
    ~CusparseSpsv();

    void run();

    /// Of its analysis, which is done once.
    double analysis_seconds() const;
    Size buffer_bytes() const;

private:
    struct Handles;
    std::unique_ptr<Handles> handles_;
};

}  // namespace stiefel::bench
