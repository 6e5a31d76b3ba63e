#include "stiefel/dense/small/symmetric_eigen.hpp"

#include "support/cuda.hpp"
#include "support/small_eigenproblems.hpp"

namespace stiefel::test {
namespace {

class CudaSymmetricEigen : public OnCuda {
protected:
    void solve(const SmallMatrix& a, HostVector<double>& values, HostVector<double>& vectors) {
        const DeviceVector<double> device_a = to_device(a.values);
        DeviceVector<double> device_values(backend(), a.n);
        DeviceVector<double> device_vectors(backend(), Size{a.n} * a.n);
        symmetric_eigen(backend(), as_matrix(device_a, a.n, a.n), device_values, as_matrix(device_vectors, a.n, a.n));
        values = to_host(device_values);
        vectors = to_host(device_vectors);
    }
};

TEST_F(CudaSymmetricEigen, DecomposesToRoundingError) {
    for (const Index n : {0, 1, 2, 3, 8, 24, 31, 32, 33, 96, 192}) {
        for (const SmallMatrix& a : small_eigenproblems(n)) {
            HostVector<double> values, vectors;
            solve(a, values, vectors);
            ASSERT_TRUE(is_eigen_decomposition(a, values, vectors));
        }
    }
}

TEST_F(CudaSymmetricEigen, EndsOnNaN) {
    const SmallMatrix a("not finite", 40,
                        [](Index i, Index) { return i == 39 ? std::numeric_limits<double>::quiet_NaN() : 1.0; });
    HostVector<double> values, vectors;
    solve(a, values, vectors);
    for (const double value : values) EXPECT_TRUE(std::isnan(value));
    for (const double element : vectors) EXPECT_TRUE(std::isnan(element));
}

}  // namespace
}  // namespace stiefel::test
