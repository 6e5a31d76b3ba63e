// Rows of G that grow by what their columns are worth.
#include "stiefel/preconditioner/fsai/couplings.hpp"
#include "stiefel/preconditioner/fsai/factor.hpp"
#include "stiefel/preconditioner/fsai/grown_patterns.hpp"
#include "stiefel/problems/poisson.hpp"

#include "support/fsai_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stiefel::test {
namespace {

/// A grid whose couplings are all of another strength, so that no two columns are worth the same.
HostCsr<double> uneven_system() {
    OpenMP maker(1);
    HostCsr<double> a = poisson2d<double>(maker, 11, 9);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                const Index first = std::min(i, a.col_idx[e]), second = std::max(i, a.col_idx[e]);
                if (first != second) a.values[e] *= 0.4 + 0.6 * ((first * 61 + second * 37) % 101 / 101.0);
            }
        }
    });
    return fsai::scaled_system(maker, a).s;
}

TEST(FsaiPatterns, GrowByWhatIsWorthMost) {
    OpenMP backend(1);
    const HostCsr<double> s = uneven_system();
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
