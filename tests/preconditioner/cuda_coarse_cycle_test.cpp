#include "stiefel/preconditioner/amg/coarse_cycle.hpp"
#include "stiefel/preconditioner/amg/coarsening.hpp"
#include "stiefel/preconditioner/amg/to_level.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/poisson.hpp"

#include "support/cuda.hpp"
#include "support/matrices.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace stiefel::test {
namespace {

template <class S>
class CudaCoarseCycle : public OnCuda {
protected:
    using Levels = std::vector<amg::CycleLevel<Cuda, S>>;

    Levels levels_of(const HostCsr<double>& a, const amg::CycleKind& kind = amg::cycles[0]) {
        OpenMP host(2);
        Levels levels;
        amg::VisitPlan visits(kind, true);
        const auto& chebyshev = amg::find_listed(amg::smoothers<Cuda, S>, "smoother", "chebyshev");
        std::unique_ptr<amg::Coarsening> coarsening;
        amg::build_hierarchy(host, a, {}, coarsening, [&](const amg::Level& level) {
            const bool is_twice = level.transfer && visits.next_is_visited_twice(level.a.nnz());
            levels.push_back(amg::to_cycle_level<Cuda, S>(this->backend(), level, chebyshev, is_twice));
            levels.back().reserve(this->backend(), 1);
        });
        return levels;
    }

    HostVector<S> cycle(Levels& levels, const amg::CycleKind& kind, const amg::CoarseCycle<Cuda, S>* coarse,
                        const HostVector<S>& r) {
        upload(this->backend(), r, levels[0].r);
        amg::Cycle<Cuda, S>(this->backend(), levels, kind, coarse, 1).run();
        return this->to_host(levels[0].x);
    }

    /// However often levels are visited.
    void expect_same(const HostCsr<double>& a, const amg::CycleKind& kind) {
        auto levels = levels_of(a, kind);
        ASSERT_GE(levels.size(), 3U);
        const amg::CoarseCycle<Cuda, S> coarse(levels);
        EXPECT_TRUE(coarse.begins_at(kind.visits == amg::CycleKind::Visits::twice ? levels.size() - 2 : 1));
        const HostVector<S> r = random_vector<S>(a.n_rows, 5);
        const HostVector<S> expected = cycle(levels, kind, nullptr, r), x = cycle(levels, kind, &coarse, r);
        double difference = 0, norm = 0;
        for (Index i = 0; i < a.n_rows; ++i) {
            difference += std::pow(static_cast<double>(x[i]) - static_cast<double>(expected[i]), 2);
            norm += std::pow(static_cast<double>(expected[i]), 2);
        }
        // The same sums in another order. Each of some ten products a level is off by a few units of rounding, which
        // the smoothers damp and the coarsest inverse does not magnify beyond |M|.
        EXPECT_GT(norm, 0);
        EXPECT_LE(std::sqrt(difference), 1000 * std::numeric_limits<S>::epsilon() * std::sqrt(norm));
        const HostVector<S> again = cycle(levels, kind, &coarse, r);
        EXPECT_EQ(std::memcmp(again.data(), x.data(), static_cast<std::size_t>(x.bytes())), 0);
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CudaCoarseCycle, Types);

TYPED_TEST(CudaCoarseCycle, IsTheCycleOfItsLevels) {
    OpenMP maker(2);
    std::vector<HostCsr<double>> matrices;
    matrices.push_back(poisson3d<double>(maker, 20, 20, 21));
    matrices.push_back(anisotropic2d<double>(maker, 120, 90, 1e-2));
    matrices.push_back(poisson2d<double>(maker, 200, 70));
    for (const auto& a : matrices) {
        for (const auto& kind : amg::cycles) {
            SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(a.n_rows));
            this->expect_same(a, kind);
        }
    }
}

/// Where there is nothing below the finest level but its inverse, or no inverse, nothing is taken together.
TYPED_TEST(CudaCoarseCycle, NeedsTwoLevels) {
    using S = TypeParam;
    OpenMP maker(2);
    for (const Index side : {5, 12, 20}) {
        auto levels = this->levels_of(poisson2d<double>(maker, side, side));
        ASSERT_LE(levels.size(), 2U);
        const amg::CoarseCycle<Cuda, S> coarse(levels);
        for (std::size_t l = 0; l < levels.size(); ++l) EXPECT_FALSE(coarse.begins_at(l));
    }
}

}  // namespace
}  // namespace stiefel::test
