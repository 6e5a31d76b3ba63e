#include "stiefel/dense/gemm_kernels.hpp"
#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/gemm_reference.hpp"

#include <cstring>
#include <type_traits>

namespace stiefel::test {
namespace {

template <class T>
class CudaGemm : public OnCuda {
protected:
    HostVector<T> product(const GemmReference<T>& reference, const GemmKernel<Cuda, T>& kernel,
                          const GemmTuning& tuning = {}) {
        const GemmCase& what = reference.what();
        const DeviceVector<T> a = to_device(reference.a().values);
        const DeviceVector<T> b = to_device(reference.b().values);
        DeviceVector<T> c = to_device(reference.c().values);
        kernel.run(
            backend(),
            gemm_arguments(what.op_a, what.op_b, reference.alpha(), on_device(reference.a(), a.data()),
                           on_device(reference.b(), b.data()), reference.beta(), on_device(reference.c(), c.data())),
            tuning);
        return to_host(c);
    }

    template <class U>
    static DeviceMatrix<U> on_device(const PaddedMatrix<T>& like, U* data) {
        return {data, like.n_rows, like.n_cols, like.ld};
    }

    /// tf32 rounds both operands to 11 bits: a product is off by 2^-11 twice and a little more.
    static long double slack(const GemmKernel<Cuda, T>& kernel) {
        return kernel.precision == "tf32" ? 0x1.1p-10L : 0.0L;
    }
};

TYPED_TEST_SUITE(CudaGemm, EveryType);

TYPED_TEST(CudaGemm, EveryRungIsWithinTheBound) {
    for (const GemmCase& what : gemm_cases()) {
        const GemmReference<TypeParam> reference(what);
        for (const auto& kernel : gemm_kernels<TypeParam>(this->backend())) {
            ASSERT_TRUE(reference.accepts(this->product(reference, kernel), this->slack(kernel)))
                << kernel.name << ": " << what;
        }
    }
}

TYPED_TEST(CudaGemm, SeveralTilesInEveryDirection) {
    for (const GemmCase& what :
         {GemmCase{512, 512, 256, Op::none, Op::none, 1, 0, 0}, GemmCase{515, 389, 263, Op::none, Op::none, -1, 0.5, 0},
          GemmCase{257, 1030, 130, Op::none, Op::transpose, 2, 1, 4}}) {
        const GemmReference<TypeParam> reference(what);
        for (const auto& kernel : gemm_kernels<TypeParam>(this->backend())) {
            ASSERT_TRUE(reference.accepts(this->product(reference, kernel), this->slack(kernel)))
                << kernel.name << ": " << what;
        }
    }
}

TYPED_TEST(CudaGemm, TilesOnlyChangeTheTime) {
    const GemmReference<TypeParam> reference({45, 70, 33, Op::transpose, Op::none, 1, 0, 0});
    const auto tiled = gemm_kernels<TypeParam>(this->backend())[1];
    for (const Index tile : {1, 2, 4, 8, 16, 32}) {
        EXPECT_TRUE(reference.accepts(this->product(reference, tiled, {.tile = tile}))) << tile;
    }
    EXPECT_THROW(this->product(reference, tiled, {.tile = 5}), InvalidArgument);
}

TYPED_TEST(CudaGemm, RunsRepeatBitForBit) {
    const GemmReference<TypeParam> reference({211, 307, 503, Op::none, Op::transpose, 0.5, 2, 1});
    for (const auto& kernel : gemm_kernels<TypeParam>(this->backend())) {
        const HostVector<TypeParam> first = this->product(reference, kernel);
        const HostVector<TypeParam> second = this->product(reference, kernel);
        EXPECT_EQ(std::memcmp(first.data(), second.data(), static_cast<std::size_t>(first.bytes())), 0) << kernel.name;
    }
}

TYPED_TEST(CudaGemm, ThePublicFunctionKeepsThePrecisionOfTheType) {
    using T = TypeParam;
    const GemmReference<T> reference({100, 90, 80, Op::none, Op::none, 1, 0, 0});
    const DeviceVector<T> a = this->to_device(reference.a().values);
    const DeviceVector<T> b = this->to_device(reference.b().values);
    DeviceVector<T> c = this->to_device(reference.c().values);
    gemm(this->backend(), Op::none, Op::none, 1, as_matrix(a, 100, 80), as_matrix(b, 80, 90), 0, as_matrix(c, 100, 90));
    EXPECT_TRUE(reference.accepts(this->to_host(c)));
    EXPECT_THROW(gemm(this->backend(), Op::none, Op::none, 1, as_matrix(a, 100, 80), as_matrix(b, 80, 90), 0,
                      as_matrix(c, 90, 100)),
                 InvalidArgument);
}

}  // namespace
}  // namespace stiefel::test
