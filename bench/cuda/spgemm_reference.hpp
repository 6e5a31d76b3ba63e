#pragma once

#include "stiefel/spmv/device_formats.hpp"

#include <array>
#include <memory>

namespace stiefel::bench {

/// cuSPARSE's C = A B for sparse matrices in double precision: all of its steps each time, as the size of C is not
/// known.
class CusparseSpgemm {
public:
    enum class Algorithm { alg1, alg2, alg3 };
    static constexpr std::array all{Algorithm::alg1, Algorithm::alg2, Algorithm::alg3};
    static const char* name(Algorithm algorithm);

    CusparseSpgemm(Cuda& backend, Algorithm algorithm);
    ~CusparseSpgemm();

    /// Without CsrShares.
    DeviceCsr<double> multiply(const DeviceCsr<double>& a, const DeviceCsr<double>& b);

private:
    struct Handles;
    std::unique_ptr<Handles> handles_;
};

}  // namespace stiefel::bench
