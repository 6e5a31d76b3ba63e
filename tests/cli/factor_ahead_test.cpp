#include "stiefel/cli/solve/prospective_factor.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/poisson.hpp"

#include "support/backends.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"

#include <memory>

// What a core of the host makes beside a device.

namespace stiefel::cli {
namespace {

template <class T>
class CudaFactorAhead : public test::OnCuda {
protected:
    std::shared_ptr<const DeviceCsr<T>> there(const HostCsr<T>& a) {
        return std::make_shared<const DeviceCsr<T>>(stiefel::to_device(this->backend(), a));
    }
    typename FactorAhead<T>::Fetch fetched(const HostCsr<T>& a) {
        return [this, there = there(a)] {
            return std::make_shared<const HostCsr<T>>(to_host_beside(this->backend(), *there));
        };
    }
    OpenMP host_{2};
};
TYPED_TEST_SUITE(CudaFactorAhead, test::EveryType);

TYPED_TEST(CudaFactorAhead, MakesWhatWouldBeMadeOtherwise) {
    using T = TypeParam;
    const auto a = poisson2d<T>(this->host_, 30, 40);
    FactorAhead<T> ahead(this->fetched(a));
    const auto expected = cholesky::factor(a, nullptr, 2);
    const auto prediction = ahead.analysis()->prediction();
    EXPECT_TRUE(FactorAhead<T>::makes(prediction));
    auto made = ahead.take();
    ASSERT_TRUE(made);
    EXPECT_EQ(made->about.factorisation->nonzeros, expected.about.factorisation->nonzeros);
    const Cholesky<Cuda, T> of_ahead(std::move(*made));
    const Cholesky<OpenMP, T> of_host(this->host_, a);
    const HostVector<T> r = test::random_vector<T>(a.n_rows, 4);
    const auto from = this->to_device(r);
    auto to = this->to_device(HostVector<T>(a.n_rows, T{0}));
    precondition(this->backend(), of_ahead, as_matrix(from, a.n_rows, 1), as_matrix(to, a.n_rows, 1));
    HostVector<T> wanted(a.n_rows);
    precondition(this->host_, of_host, as_matrix(r, a.n_rows, 1), as_matrix(wanted, a.n_rows, 1));
    const HostVector<T> z = this->to_host(to);
    for (Index i = 0; i < a.n_rows; ++i) ASSERT_EQ(z[i], wanted[i]) << i;
    EXPECT_FALSE(ahead.analysis() == nullptr) << "it is kept";
}

TYPED_TEST(CudaFactorAhead, LeavesLongOnesAndEndsWhenItIsGivenUp) {
    using T = TypeParam;
    const auto body = elasticity3d<T>(this->host_, 12, 12, 12);
    FactorAhead<T> long_one(this->fetched(body));
    EXPECT_FALSE(long_one.take());
    EXPECT_FALSE(FactorAhead<T>::makes(long_one.analysis()->prediction()));
    FactorAhead<T> given_up(this->fetched(body));
    given_up.give_up();
}

TYPED_TEST(CudaFactorAhead, IsBegunWhereAnalysingIsShort) {
    using T = TypeParam;
    ProspectiveFactor<Cuda, T> small(this->backend(), this->there(poisson2d<T>(this->host_, 30, 40)));
    EXPECT_TRUE(small.may_be_made_ahead());
    EXPECT_FALSE(small.take());
    small.make_ahead();
    EXPECT_TRUE(small.left(1, false, 0).is_exact);
    EXPECT_TRUE(small.take());
    const ProspectiveFactor<Cuda, T> large(this->backend(), this->there(poisson2d<T>(this->host_, 200, 200)));
    EXPECT_FALSE(large.may_be_made_ahead());
}

TYPED_TEST(CudaFactorAhead, CopiesBesideTheStream) {
    using T = TypeParam;
    for (const auto& a : {test::random_csr<T>({.n_rows = 700, .n_cols = 900, .mean_row = 9, .seed = 3}),
                          test::with_wide_offsets(poisson2d<T>(this->host_, 20, 30)), HostCsr<T>{}}) {
        const auto here = to_host_beside(this->backend(), *this->there(a));
        EXPECT_EQ(here.n_rows, a.n_rows);
        EXPECT_EQ(here.n_cols, a.n_cols);
        ASSERT_EQ(here.nnz(), a.nnz());
        for (Size k = 0; k < a.nnz(); ++k) {
            ASSERT_EQ(here.values[k], a.values[k]);
            ASSERT_EQ(here.col_idx[k], a.col_idx[k]);
        }
    }
}

}  // namespace
}  // namespace stiefel::cli
