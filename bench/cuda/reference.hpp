#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/spmv/device_formats.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiefel::bench {

/// cuSPARSE's y = A x for one matrix, ready to run.
class CusparseSpmv {
public:
    enum class Algorithm { csr1, csr2, sell };
    static constexpr Algorithm all[] = {Algorithm::csr1, Algorithm::csr2, Algorithm::sell};
    static const char* name(Algorithm algorithm);

    template <class T>
    CusparseSpmv(Cuda& backend, Algorithm algorithm, const DeviceCsr<T>& csr, const DeviceSell<T>& sell,
                 const DeviceVector<T>& x, DeviceVector<T>& y);
    ~CusparseSpmv();

    void run();

private:
    struct Handles;
    std::unique_ptr<Handles> handles_;
};

/// cuSPARSE's Y = A X for row-major panels of k columns, ready to run. Throws Error where an algorithm does not take
/// them.
class CusparseSpmm {
public:
    enum class Algorithm { standard, csr1, csr2, csr3 };
    static constexpr Algorithm all[] = {Algorithm::standard, Algorithm::csr1, Algorithm::csr2, Algorithm::csr3};
    static const char* name(Algorithm algorithm);

    template <class T>
    CusparseSpmm(Cuda& backend, Algorithm algorithm, const DeviceCsr<T>& csr, const DeviceVector<T>& x,
                 DeviceVector<T>& y, Index k);
    ~CusparseSpmm();

    void run();

private:
    struct Handles;
    std::unique_ptr<Handles> handles_;
};

/// The textbook conjugate gradients of cuSPARSE and cuBLAS, with the scalars on the host: seconds an iteration.
template <class T>
double cusparse_cg_seconds(Cuda& backend, const DeviceCsr<T>& csr, const DeviceVector<T>& b, int iterations);

}  // namespace stiefel::bench
