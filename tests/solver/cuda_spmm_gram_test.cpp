#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "support/cuda.hpp"
#include "support/formats.hpp"
#include "support/spmm_gram_check.hpp"

#include <algorithm>

namespace stiefel::test {
namespace {

template <class T>
class CudaSpmmGram : public OnCuda {
protected:
    void expect_right(const HostCsr<T>& host) {
        for_each_format_with_columns(host, [&](const std::string& label, const auto& a) {
            SCOPED_TRACE(label);
            expect_spmm_gram(
                backend(), host, stiefel::to_device(backend(), a), [&](const auto& v) { return this->to_device(v); },
                [&](const auto& v) { return this->to_host(v); });
        });
    }
};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaSpmmGram, Types);

TYPED_TEST(CudaSpmmGram, IsTheProductAndItsGramMatrix) {
    using T = TypeParam;
    for_each_spmm_gram_matrix<T>([&](const HostCsr<T>& host) { this->expect_right(host); });
    this->expect_right(random_csr<T>({.n_rows = 1003, .n_cols = 1003, .seed = 3}));
}

TYPED_TEST(CudaSpmmGram, TakesRowsInTurnWhereThereAreMany) {
    using T = TypeParam;
    OpenMP maker(1);
    this->expect_right(poisson2d<T>(maker, 83, 85));
    // More rows than warps have at a time, for every number of columns.
    const HostCsr<T> host = poisson3d<T>(maker, 61, 59, 31);
    const auto a = stiefel::to_device(this->backend(), host);
    for (const Index k : {8, 16, 32}) {
        const SpmmReference<T> reference(host, {.k = k});
        const auto s = this->to_device(reference.x().values);
        auto as = this->to_device(reference.y().values);
        auto gram = this->to_device(HostVector<double>(Size{k} * k, std::numeric_limits<double>::quiet_NaN()));
        const auto multiply = [&] {
            spmm_gram(this->backend(), a, DeviceMatrix<const T>{s.data(), host.n_rows, k, reference.x().ld},
                      DeviceMatrix<T>{as.data(), host.n_rows, k, reference.y().ld}, as_matrix(gram, k, k));
            return this->to_host(gram);
        };
        const HostVector<double> first = multiply();
        const HostVector<T> product = this->to_host(as);
        EXPECT_TRUE(reference.accepts(product)) << k;
        EXPECT_TRUE(is_gram(reference, product, first)) << k;
        // Sums of the same order, whenever the warps come by.
        for (int again = 0; again < 20; ++again) {
            const HostVector<double> sums = multiply();
            EXPECT_TRUE(std::equal(first.begin(), first.end(), sums.begin())) << k;
        }
        EXPECT_EQ(fuses_spmm_gram(this->backend(), a, k), (std::is_same_v<T, double>)) << k;
    }
}

TYPED_TEST(CudaSpmmGram, RefusesWhatDoesNotFit) {
    using T = TypeParam;
    const auto a = stiefel::to_device(this->backend(), random_csr<T>({.n_rows = 100, .n_cols = 100}));
    expect_spmm_gram_refuses<Cuda, T>(this->backend(), a, 100, [&](const auto& v) { return this->to_device(v); });
}

}  // namespace
}  // namespace stiefel::test
