#include "stiefel/core/cuda/graph.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"
#include "stiefel/preconditioner/triangular/cuda/not_ready.hpp"
#include "stiefel/preconditioner/triangular/cuda/slices.hpp"
#include "stiefel/preconditioner/triangular/cuda/triangle_terms.hpp"
#include "stiefel/preconditioner/triangular/device_solve.hpp"
#include "stiefel/preconditioner/triangular/expansion.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include "support/backends.hpp"
#include "support/bounds.hpp"
#include "support/csr_checks.hpp"
#include "support/cuda.hpp"
#include "support/dense_symbolic.hpp"
#include "support/triangular_factors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// What triangular solves on a device are made of: slices, expansions, and which rung is taken.

namespace stiefel::test {
namespace {

using triangular::in_levels;
using triangular::LevelTriangle;
using triangular::Side;
using triangular::Slice;

/// Every row has one place, in the order of levels; slices cover the places, within levels, and gates lie before.
TEST(TriangularSlices, KeepLevelsApart) {
    on_factors<double>([](const char* name, const IncompleteFactor<double>& l) {
        SCOPED_TRACE(name);
        const auto triangles = in_levels(l.columns());
        for (const LevelTriangle<double>* a : {&triangles.lower, &triangles.upper}) {
            HostVector<Size> lengths(l.n);
            for (Index k = 0; k < l.n; ++k) lengths[k] = a->row_start[k + 1] - a->row_start[k];
            const triangular::SliceOrder order = triangular::in_slices(a->level_start, lengths);
            std::vector<Index> level(at(l.n)), seen(at(l.n), 0);
            for (Index i = 0; i < a->n_levels(); ++i) {
                for (Index k = a->level_start[i]; k < a->level_start[i + 1]; ++k) level[at(k)] = i;
            }
            for (Index place = 0; place < l.n; ++place) {
                ++seen[at(order.nth[place])];
                ASSERT_EQ(level[at(order.nth[place])], level[at(place)]) << place;
            }
            EXPECT_TRUE(std::ranges::all_of(seen, [](Index times) { return times == 1; }));
            Index next = 0;
            for (const Slice& slice : order.slices) {
                ASSERT_EQ(slice.first, next);
                ASSERT_GT(slice.n_rows, 0);
                ASSERT_LE(slice.n_rows * slice.lanes, Slice::warp);
                next += slice.n_rows;
                ASSERT_EQ(level[at(slice.first)], level[at(next - 1)]);
                ASSERT_TRUE(slice.gate == -1 || level[at(slice.gate)] < level[at(slice.first)]);
                for (Index place = slice.first; place < next; ++place) {
                    const Index k = order.nth[place];
                    const Size length = a->row_start[k + 1] - a->row_start[k];
                    ASSERT_TRUE(slice.lanes == Slice::warp || length <= 4 * slice.lanes);
                    ASSERT_TRUE(slice.lanes == 1 || length > 2 * slice.lanes);
                }
            }
            EXPECT_EQ(next, l.n);
        }
    });
}

/// L and L' of every factor: f(triangle, which it is, 1 / l_ii).
template <class T, class F>
void on_triangles(F&& f) {
    on_factors<T>([&](const char* name, const IncompleteFactor<T>& l) {
        SCOPED_TRACE(name);
        const auto triangles = in_levels(l.columns());
        f(triangles.lower, Side::lower, triangles.inverse);
        f(triangles.upper, Side::upper, triangles.inverse);
    });
}

/// The levels of N^p, found from its entries, hold the rows that p levels of N hold.
TEST(TriangularExpansion, HasLevelsOfSeveralLevels) {
    OpenMP host(2);
    on_triangles<double>([&](const LevelTriangle<double>& a, Side side, const HostVector<double>& inverse) {
        const HostCsr<double> n = triangular::scaled_rows(a, inverse);
        HostCsr<double> power = spgemm(host, n, n);
        for (const int p : {2, 4}) {
            const triangular::LevelOrder merged = triangular::merged_levels(a, side, p);
            ASSERT_EQ(merged.level_start.size() - 1, (a.n_levels() + p - 1) / p);
            std::vector<Index> level(at(a.n_rows()), 0), in_order;
            for (Index k = 0; k < a.n_rows(); ++k) {
                const Index i = side == Side::lower ? k : a.n_rows() - 1 - k;
                power.row_ptr.visit([&](const auto* row_ptr) {
                    for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                        level[at(i)] = std::max(level[at(i)], level[at(power.col_idx[e])] + 1);
                    }
                });
            }
            for (Index l = 0; l + 1 < static_cast<Index>(merged.level_start.size()); ++l) {
                for (Index k = merged.level_start[l]; k < merged.level_start[l + 1]; ++k) {
                    ASSERT_EQ(level[at(merged.row[k])], l) << "row " << merged.row[k] << ", p " << p;
                }
            }
            in_order.assign(merged.row.begin(), merged.row.end());
            std::sort(in_order.begin(), in_order.end());
            for (Index i = 0; i < a.n_rows(); ++i) ASSERT_EQ(in_order[at(i)], i);
            power = spgemm(host, power, power);
        }
    });
}

TEST(TriangularExpansion, GrowthBoundsErrors) {
    on_triangles<double>([](const LevelTriangle<double>& a, Side side, const HostVector<double>& inverse) {
        // By its recurrence in extended precision, row after row.
        const HostCsr<double> n = triangular::scaled_rows(a, inverse);
        std::vector<long double> sums(at(a.n_rows())), grown(at(a.n_rows()));
        long double largest = 0;
        for (Index k = 0; k < a.n_rows(); ++k) {
            const Index i = side == Side::lower ? k : a.n_rows() - 1 - k;
            long double sum = 0, more = 0;
            n.row_ptr.visit([&](const auto* row_ptr) {
                for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                    const long double size = std::abs(static_cast<long double>(n.values[e]));
                    sum += size;
                    more += size * (sums[at(n.col_idx[e])] + grown[at(n.col_idx[e])]);
                }
            });
            sums[at(i)] = sum;
            grown[at(i)] = 1 + 2 * sum + more;
            largest = std::max(largest, grown[at(i)]);
        }
        EXPECT_NEAR(triangular::growth(a, inverse), static_cast<double>(largest), 1e-10 * static_cast<double>(largest));
    });
}

class CudaTriangularTerms : public OnCuda {};

/// x = E c - F x says no more than (I + N) x = c if E (I + N) = I + F; and F has what lies in earlier levels alone.
TEST_F(CudaTriangularTerms, SayWhatTheTriangleSays) {
    OpenMP host(1);
    const auto check = [&](const LevelTriangle<double>& a, Side side, const HostVector<double>& inverse,
                           const triangular::Expansion& expansion) {
        const auto size = at(a.n_rows());
        const auto place = [&](std::size_t i, std::size_t j) { return i * size + j; };
        const auto sum_of = [&](const auto& terms) {
            std::vector<long double> sum(size * size, 0);
            for (const auto& term : terms) {
                const std::vector<long double> one = dense(stiefel::to_host(backend(), term.matrix));
                for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += static_cast<long double>(term.factor) * one[e];
            }
            return sum;
        };
        const auto terms = triangular::expanded(backend(), a, inverse, side, expansion);
        const std::vector<long double> early = sum_of(terms.early), late = sum_of(terms.late);
        const std::vector<long double> n = dense(triangular::scaled_rows(a, inverse));
        std::vector<long double> ways(size * size, 0);  // I + |N| + ... + |N|^p: E, F and E N have no more than thrice
        for (int q = 0; q <= expansion.levels(); ++q) {
            const std::vector<long double> before = std::exchange(ways, std::vector<long double>(size * size, 0));
            for (std::size_t i = 0; i < size; ++i) {
                for (std::size_t k = 0; k < size; ++k) {
                    if (n[place(i, k)] == 0) continue;
                    for (std::size_t j = 0; j < size; ++j) {
                        ways[place(i, j)] += std::abs(n[place(i, k)]) * before[place(k, j)];
                    }
                }
                ways[place(i, i)] += 1;
            }
        }
        std::vector<Index> level(size);
        const auto& starts = terms.order.level_start;
        ASSERT_EQ(starts.size() - 1, (a.n_levels() + expansion.levels() - 1) / expansion.levels());
        for (Index l = 0; l + 1 < static_cast<Index>(starts.size()); ++l) {
            for (Index k = starts[l]; k < starts[l + 1]; ++k) level[at(terms.order.row[k])] = l;
        }
        const auto roundings = static_cast<long double>(expansion.levels() * (a.n_rows() + 1));
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < size; ++j) {
                ASSERT_TRUE(late[place(i, j)] == 0 || level[j] < level[i]) << i << ' ' << j;
                long double sum = early[place(i, j)];
                for (std::size_t k = 0; k < size; ++k) sum += early[place(i, k)] * n[place(k, j)];
                ASSERT_TRUE(within(sum, (i == j ? 1 : 0) + late[place(i, j)],
                                   sum_bound<double>(roundings, 3 * ways[place(i, j)])))
                    << i << ' ' << j;
            }
        }
    };
    const auto on_both = [&](const IncompleteFactor<double>& l) {
        const auto triangles = in_levels(l.columns());
        for (const auto& kernel : triangular::triangular_kernels<double>()) {
            if (kernel.expansion.steps == 0) continue;
            SCOPED_TRACE(kernel.name);
            check(triangles.lower, Side::lower, triangles.inverse, kernel.expansion);
            check(triangles.upper, Side::upper, triangles.inverse, kernel.expansion);
        }
    };
    on_both(cholesky::incomplete_factor(poisson2d<double>(host, 12, 9), {}));
    on_both(cholesky::incomplete_factor(jump_diffusion3d<double>(host, 5, 4, 6, {.contrast = 100}), {}));
    on_both(from_double<double>(random_spd(70, 3, 2, 2, 5)));
    on_both(coupled<double>(3, {}));
}

TEST(TriangularKernels, AreChosenByTheLevels) {
    const auto chosen = [](Size n, Size levels, Size nonzeros, Index longest, double applications = 200,
                           double growth = 4) {
        return triangular::fastest_kernel<double>({.n_rows = 2 * n,
                                                   .n_levels = 2 * levels,
                                                   .nonzeros = 2 * nonzeros,
                                                   .longest_row = longest,
                                                   .growth = growth,
                                                   .element_bytes = 8},
                                                  applications)
            .name;
    };
    EXPECT_EQ(chosen(1000000, 1, 0, 0), "levels") << "a diagonal";
    EXPECT_EQ(chosen(100000, 100000, 99999, 1), "inverted-8") << "a path";
    EXPECT_EQ(chosen(1000000, 298, 2970000, 3), "halved") << "7-point 100^3";
    EXPECT_EQ(chosen(1000000, 298, 2970000, 3, 20), "self-timed") << "for few applications";
    EXPECT_EQ(chosen(1000000, 298, 2970000, 3, 1e5, 1e6), "self-timed") << "where errors would grow";
    EXPECT_EQ(chosen(150102, 733, 288286, 3, 200, 53), "inverted-8") << "G2_circuit";
    EXPECT_EQ(chosen(150102, 733, 288286, 3, 5, 53), "one-block") << "for few applications";
    EXPECT_EQ(chosen(1000000, 2, 2970000, 6), "levels") << "7-point 100^3 in two colours";
    EXPECT_EQ(chosen(1000, 1000, 499500, 999), "self-timed") << "a full triangle";
}

}  // namespace
}  // namespace stiefel::test
