#include "support/backends.hpp"
#include "support/spmm_columns_check.hpp"

namespace stiefel::test {
namespace {

template <class Case>
class SpmmColumns : public ::testing::Test {};
TYPED_TEST_SUITE(SpmmColumns, EveryBackendAndType);

TYPED_TEST(SpmmColumns, AgreesWithPanelsByRows) {
    using T = typename TypeParam::type;
    typename TypeParam::backend backend{};
    const auto a = random_csr<T>({.n_rows = 300, .n_cols = 220, .full_row = 17});
    const auto same = [](const HostVector<T>& v) { return v.clone(); };
    expect_spmm_columns(backend, a, a, same, same);
}

}  // namespace
}  // namespace stiefel::test
