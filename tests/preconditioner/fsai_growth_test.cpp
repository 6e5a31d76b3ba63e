// Rows of G that grow by what their columns are worth.
#include "stiefel/preconditioner/fsai/couplings.hpp"
#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/preconditioner/fsai/grown_patterns.hpp"

#include "support/fsai_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stiefel::test {
namespace {

TEST(FsaiPatterns, GrowByWhatIsWorthMost) {
    OpenMP backend(1);
    const HostCsr<double> s = fsai::scaled_system(backend, uneven_grid<double>(backend)).s;
    for (const double threshold : {0.0, 0.15}) {
        const HostCsr<double> couplings = fsai::strong_couplings(backend, s, threshold);
        const std::vector<bool> strong = strong_reference(s, threshold);
        std::size_t shorter = 0;
        for (const Size steps : {1, 2, 4}) {
            fsai::GrownPatterns patterns(s, couplings, steps, fsai::least_pivot<double>);
            for (Index i = 0; i < s.n_rows; ++i) {
                std::vector<Index> found{-1};
                patterns.append(i, found);
                found.erase(found.begin());
                ASSERT_EQ(found, grown_reference(s, strong, i, steps, fsai::Options::columns_a_step, 1e-2L))
                    << i << " in " << steps << " steps";
                const Size most = std::min(Size{i} + 1, 1 + steps * fsai::Options::columns_a_step);
                shorter += static_cast<Size>(found.size()) < most;
            }
        }
        EXPECT_GT(shorter, 0U) << "some rows have grown enough before";
    }
}

}  // namespace
}  // namespace stiefel::test
