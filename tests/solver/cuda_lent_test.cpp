#include "stiefel/problems/poisson.hpp"
#include "stiefel/solver/block_cg.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/lent_csr.hpp"
#include "support/cuda.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <memory>

namespace stiefel::test {
namespace {

template <class T>
class CudaLent : public OnCuda {
protected:
    OpenMP maker{2};
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaLent, Types);

TYPED_TEST(CudaLent, SystemsAreSolvedInPlace) {
    using T = TypeParam;
    for (const Index side : {20, 900}) {  // resident, and by a graph
        const DeviceCsr<T> own = stiefel::to_device(this->backend(), poisson2d<T>(this->maker, side, side));
        const Index n = own.n_rows;
        const auto b = this->to_device(random_vector<T>(n, 1));
        const CgOptions options{.rtol = 0, .max_iterations = 60};
        auto own_x = this->to_device(HostVector<T>(n, T{0}));
        const SolveResult expected = cg(this->backend(), own, b, own_x, options);

        auto memory = this->to_device(HostVector<T>(n, T{0}));
        const auto guard = std::make_shared<int>(0);
        {
            const auto a = own.row_ptr.visit([&](const auto* row_ptr) {
                return lent_csr(this->backend(), n, n, own.nnz(), row_ptr, own.col_idx.data(), own.values.data(),
                                guard);
            });
            EXPECT_GT(guard.use_count(), 1);
            EXPECT_EQ(std::as_const(a.values).data(), own.values.data());
            const auto lent_b = lent_vector(this->backend(), b.data(), n);
            auto lent_x = lent_vector(this->backend(), memory.data(), n);
            const SolveResult result = cg(this->backend(), a, lent_b, lent_x, options);
            EXPECT_EQ(result.iterations, expected.iterations);
        }
        EXPECT_EQ(guard.use_count(), 1);
        const HostVector<T> x = this->to_host(memory), wanted = this->to_host(own_x);
        EXPECT_TRUE(std::equal(x.begin(), x.end(), wanted.begin()));
    }
}

TYPED_TEST(CudaLent, BrokenMatricesAreRefused) {
    using T = TypeParam;
    const auto refuses = [&](const HostVector<std::int32_t>& row_ptr, const HostVector<Index>& col_idx) {
        const auto offsets = this->to_device(row_ptr);
        const auto columns = this->to_device(col_idx);
        const auto values = this->to_device(HostVector<T>(col_idx.size(), T{1}));
        EXPECT_THROW(static_cast<void>(lent_csr(this->backend(), 3, 3, col_idx.size(), offsets.data(), columns.data(),
                                                values.data())),
                     InvalidArgument);
    };
    refuses({1, 1, 2, 4}, {0, 1, 1, 2});
    refuses({0, 3, 2, 4}, {0, 1, 1, 2});
    refuses({0, 1, 2, 3}, {0, 1, 1, 2});
    refuses({0, 1, 2, 4}, {0, 1, 2, 1});
    refuses({0, 1, 2, 4}, {0, 1, 1, 3});
    refuses({0, 1, 2, 4}, {-1, 1, 1, 2});
    refuses({0, 1, 2, 4}, {0, 1, 1, 1});
}

}  // namespace
}  // namespace stiefel::test
