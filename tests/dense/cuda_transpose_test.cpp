#include "stiefel/dense/transpose_kernels.hpp"
#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/transpose_reference.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaTranspose : public OnCuda {
protected:
    void expect_every_rung(const PaddedMatrix<T>& a, Size padding) {
        const Size ld = std::max<Size>(1, a.n_rows + padding);
        const DeviceVector<T> from = to_device(a.values);
        for (const auto& kernel : transpose_kernels<T>(backend())) {
            const HostVector<T> blank(a.n_cols * ld, std::numeric_limits<T>::quiet_NaN());
            DeviceVector<T> b = to_device(blank);
            kernel.run(backend(), {from.data(), a.n_rows, a.n_cols, a.ld}, {b.data(), a.n_cols, a.n_rows, ld});
            ASSERT_TRUE(is_transpose(a, to_host(b), ld))
                << kernel.name << ", " << a.n_rows << " x " << a.n_cols << ", padding " << padding;
        }
    }
};

TYPED_TEST_SUITE(CudaTranspose, EveryType);

TYPED_TEST(CudaTranspose, EveryRung) {
    Size padding = 0;
    for (const Index m : {0, 1, 31, 32, 33, 64, 130, 1000}) {
        for (const Index n : {0, 1, 31, 32, 33, 64, 128, 1000}) {
            this->expect_every_rung(PaddedMatrix<TypeParam>(m, n, 0, 7), 0);
            padding = (padding + 1) % 5;
            this->expect_every_rung(PaddedMatrix<TypeParam>(m, n, padding, 7), 2 * padding);
        }
    }
}

TYPED_TEST(CudaTranspose, InPlace) {
    for (const Index n : {0, 1, 31, 32, 33, 64, 128, 131, 500}) {
        for (const Size padding : {0, 1, 4}) {
            const PaddedMatrix<TypeParam> a(n, n, padding, 3);
            DeviceVector<TypeParam> b = this->to_device(a.values);
            transpose_in_place(this->backend(), DeviceMatrix<TypeParam>{b.data(), n, n, a.ld});
            EXPECT_TRUE(is_transpose(a, this->to_host(b), a.ld)) << n << ", padding " << padding;
        }
    }
}

}  // namespace
}  // namespace stiefel::test
