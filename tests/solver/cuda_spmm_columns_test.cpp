#include "support/cuda.hpp"
#include "support/spmm_columns_check.hpp"

namespace stiefel::test {
namespace {

template <class T>
class CudaSpmmColumns : public OnCuda {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaSpmmColumns, Types);

TYPED_TEST(CudaSpmmColumns, AgreesWithPanelsByRows) {
    using T = TypeParam;
    const auto host = random_csr<T>({.n_rows = 300, .n_cols = 220, .full_row = 17});
    const auto a = stiefel::to_device(this->backend(), host);
    expect_spmm_columns(
        this->backend(), host, a, [&](const HostVector<T>& v) { return this->to_device(v); },
        [&](const DeviceVector<T>& v) { return this->to_host(v); });
}

}  // namespace
}  // namespace stiefel::test
