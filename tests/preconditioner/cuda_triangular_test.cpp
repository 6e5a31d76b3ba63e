#include "stiefel/core/cuda/graph.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"
#include "stiefel/preconditioner/triangular/cuda/not_ready.hpp"
#include "stiefel/preconditioner/triangular/cuda/slices.hpp"
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

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

// Triangular solves on a device: every rung against the residual of its result, in extended precision.

namespace stiefel::test {
namespace {

using cholesky::IncompleteFactor;
using triangular::DeviceSolve;
using triangular::in_levels;
using triangular::LevelTriangle;
using triangular::Side;
using triangular::Slice;
using triangular::TriangularKernel;

std::size_t at(Size k) {
    return static_cast<std::size_t>(k);
}

/// L of a matrix with these entries below the diagonal, (row, column), each once.
template <class T>
IncompleteFactor<T> coupled(Index n, const std::vector<std::pair<Index, Index>>& entries) {
    Random random(7);
    std::vector<std::vector<std::pair<Index, T>>> rows(at(n));
    std::vector<T> sums(at(n), T{1});
    for (const auto& [i, j] : entries) {
        const auto value = static_cast<T>(random());
        rows[at(i)].emplace_back(j, value);
        rows[at(j)].emplace_back(i, value);
        sums[at(i)] += std::abs(value);
        sums[at(j)] += std::abs(value);
    }
    for (Index i = 0; i < n; ++i) {
        rows[at(i)].emplace_back(i, sums[at(i)]);
        std::sort(rows[at(i)].begin(), rows[at(i)].end());
    }
    return cholesky::incomplete_factor(csr_from_rows<T>(n, rows), {});
}

template <class T>
IncompleteFactor<T> from_double(const HostCsr<double>& a) {
    const IncompleteFactor<double> wide = cholesky::incomplete_factor(a, {});
    return {.n = wide.n, .start = wide.start, .rows = wide.rows, .values = {wide.values.begin(), wide.values.end()}};
}

/// f(name, factor): grids; rows that are levels of their own; one level; a row of all columns, at the end of L or of
/// L'; couplings that reach back further than shared memory does; rows of many lengths; next to nothing.
template <class T, class F>
void on_factors(F&& f) {
    OpenMP maker(1);
    using Entries = std::vector<std::pair<Index, Index>>;
    f("5-point", cholesky::incomplete_factor(poisson2d<T>(maker, 70, 90), {}));
    f("7-point", cholesky::incomplete_factor(jump_diffusion3d<T>(maker, 19, 17, 23, {.contrast = 100}), {}));
    f("elasticity", cholesky::incomplete_factor(elasticity3d<T>(maker, 4, 5, 3), {}));
    f("path", cholesky::incomplete_factor(poisson1d<T>(maker, 1500), {}));
    f("filled", cholesky::incomplete_factor(poisson2d<T>(maker, 40, 30), {.threshold = 1e-3, .fill = 6}));
    f("diagonal", coupled<T>(1000, {}));
    Entries last, first, far;
    constexpr Index n = 9000;
    for (Index i = 0; i + 1 < n; ++i) last.emplace_back(n - 1, i);
    for (Index i = 1; i < n; ++i) first.emplace_back(i, 0);
    for (Index i = 1; i < n; ++i) {
        if (i % 8 == 0) far.emplace_back(i, i - 8);
        if (i >= 6000) far.emplace_back(i, i - 6000);
    }
    f("last row full", coupled<T>(n, last));
    f("first column full", coupled<T>(n, first));
    f("far", coupled<T>(n, far));
    f("random", from_double<T>(random_spd(150, 3, 2, 2, 5)));
    f("two", coupled<T>(2, {{1, 0}}));
    f("one", coupled<T>(1, {}));
}

/// Fails unless L L' z is r as nearly as two substitutions in T make it (Higham 2002, theorem 8.5: each solves a
/// triangle that is off by gamma times its absolute values, in whatever order sums are taken). With powers of N the
/// largest error of a row may be as much larger as errors `grow` by them.
template <class T>
void expect_solved(const IncompleteFactor<T>& l, const std::vector<T>& r, const std::vector<T>& z, int steps = 0) {
    const auto n = at(l.n);
    std::vector<long double> middle(n, 0), middle_absolute(n, 0), product(n, 0), absolute(n, 0);
    std::vector<Size> length(n, 0);
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = at(l.start[j]); k < at(l.start[j + 1]); ++k) {
            const auto i = at(l.rows[k]);
            const long double value = l.values[k];
            middle[j] += value * z[i];
            middle_absolute[j] += std::abs(value * z[i]);
            ++length[i];
        }
        length[j] = std::max(length[j], l.start[j + 1] - l.start[j]);
    }
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = at(l.start[j]); k < at(l.start[j + 1]); ++k) {
            const auto i = at(l.rows[k]);
            product[i] += static_cast<long double>(l.values[k]) * middle[j];
            absolute[i] += std::abs(static_cast<long double>(l.values[k])) * middle_absolute[j];
        }
    }
    const Size longest = n == 0 ? 0 : *std::max_element(length.begin(), length.end());
    long double grown = 1, largest = 0;
    if (steps > 0) {
        const auto triangles = in_levels(l.columns());
        grown = std::pow(static_cast<long double>(growth(triangles.lower, triangles.inverse)) *
                             static_cast<long double>(growth(triangles.upper, triangles.inverse)),
                         steps);
        for (const long double value : absolute) largest = std::max(largest, value);
    }
    for (std::size_t i = 0; i < n; ++i) {
        // A product with 1 / l_ii rounds once more than a division.
        const long double bound =
            2 * grown * sum_bound<T>(static_cast<long double>(longest + 1), steps > 0 ? largest : absolute[i]);
        ASSERT_TRUE(within(product[i], r[i], bound)) << "row " << i;
    }
}

template <class T>
class CudaTriangular : public OnCuda {
protected:
    /// R of k columns in rows of ld elements; what lies between is NaN.
    static HostVector<T> panel(Index n, Index k, Size ld, std::uint64_t seed) {
        HostVector<T> values = random_vector<T>(n * ld, seed);
        for (Index i = 0; i < n; ++i) std::fill(&values[i * ld + k], &values[i * ld] + ld, quiet_nan);
        return values;
    }

    HostVector<T> solved(const DeviceSolve<T>& solve, const HostVector<T>& r, Index k, Size r_ld, Size z_ld) {
        const auto r_there = this->to_device(r);
        auto z_there = this->to_device(HostVector<T>(Size{solve.n_rows()} * z_ld, T{77}));
        solve.run(this->backend(), {r_there.data(), solve.n_rows(), k, r_ld},
                  {z_there.data(), solve.n_rows(), k, z_ld});
        return this->to_host(z_there);
    }
    HostVector<T> solved(const DeviceSolve<T>& solve, const HostVector<T>& r) { return solved(solve, r, 1, 1, 1); }

    static std::vector<T> column(const HostVector<T>& values, Index n, Index c, Size ld) {
        std::vector<T> one(at(n));
        for (Index i = 0; i < n; ++i) one[at(i)] = values[i * ld + c];
        return one;
    }

    static void expect_same_bits(const HostVector<T>& a, const HostVector<T>& b) {
        ASSERT_EQ(a.size(), b.size());
        EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())), 0);
    }

    /// f(kernel, factor) for every rung and factor.
    template <class F>
    void with_every_kernel(F&& f) {
        on_factors<T>([&](const char* name, const IncompleteFactor<T>& l) {
            for (const auto& kernel : triangular::triangular_kernels<T>()) {
                SCOPED_TRACE(std::string(name) + " " + std::string(kernel.name));
                f(kernel, l);
                if (this->HasFatalFailure()) return;
            }
        });
    }

    static constexpr T quiet_nan = std::numeric_limits<T>::quiet_NaN();
};
TYPED_TEST_SUITE(CudaTriangular, EveryType);

TYPED_TEST(CudaTriangular, SolvesWithEveryKernel) {
    using T = TypeParam;
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        const DeviceSolve<T> solve(this->backend(), in_levels(l.columns()), &kernel);
        EXPECT_EQ(solve.nonzeros(), l.nonzeros());
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const HostVector<T> r = random_vector<T>(l.n, seed);
            const HostVector<T> z = this->solved(solve, r);
            expect_solved(l, this->column(r, l.n, 0, 1), this->column(z, l.n, 0, 1), kernel.steps);
        }
    });
}

/// Panels of any width one after another, with rows that lie apart.
TYPED_TEST(CudaTriangular, SolvesPanelsColumnByColumn) {
    using T = TypeParam;
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        DeviceSolve<T> solve(this->backend(), in_levels(l.columns()), &kernel, 8);
        for (const Index k : {3, 8, 1, 2, 33, 64, 5, 20}) {
            solve.reserve(this->backend(), k);
            const Size r_ld = k + 3, z_ld = k + 5;
            const HostVector<T> r = this->panel(l.n, k, r_ld, 5);
            const HostVector<T> z = this->solved(solve, r, k, r_ld, z_ld);
            for (const Index c : {Index{0}, k / 2, k - 1}) {
                SCOPED_TRACE("column " + std::to_string(c) + " of " + std::to_string(k));
                expect_solved(l, this->column(r, l.n, c, r_ld), this->column(z, l.n, c, z_ld), kernel.steps);
                if (this->HasFatalFailure()) return;
            }
            for (Index i = 0; i < l.n; ++i) {
                for (Size c = k; c < z_ld; ++c) ASSERT_EQ(z[i * z_ld + c], T{77}) << "beside the panel";
            }
        }
    });
}

TYPED_TEST(CudaTriangular, GivesTheSameBitsInEveryRun) {
    using T = TypeParam;
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        const DeviceSolve<T> solve(this->backend(), in_levels(l.columns()), &kernel, 4);
        const HostVector<T> one = random_vector<T>(l.n, 3), four = random_vector<T>(Size{l.n} * 4, 5);
        const HostVector<T> expected = this->solved(solve, one), of_four = this->solved(solve, four, 4, 4, 4);
        for (int run = 0; run < 10; ++run) {
            this->expect_same_bits(this->solved(solve, one), expected);
            this->expect_same_bits(this->solved(solve, four, 4, 4, 4), of_four);
        }
    });
}

TYPED_TEST(CudaTriangular, IsRecordedInGraphs) {
    using T = TypeParam;
    Cuda& cuda = this->backend();
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        if (l.n > 5000) return;  // of a kernel a level, graphs would be large
        const DeviceSolve<T> solve(cuda, in_levels(l.columns()), &kernel);
        const HostVector<T> r = random_vector<T>(l.n, 3), expected = this->solved(solve, r);
        const auto r_there = this->to_device(r);
        auto first = this->to_device(HostVector<T>(l.n, T{0})), second = this->to_device(HostVector<T>(l.n, T{0}));
        const CudaGraph graph = capture(cuda, [&] {
            solve.run(cuda, {r_there.data(), l.n, 1, 1}, {first.data(), l.n, 1, 1});
            solve.run(cuda, {r_there.data(), l.n, 1, 1}, {second.data(), l.n, 1, 1});
        });
        for (int run = 0; run < 5; ++run) graph.launch(cuda);
        this->expect_same_bits(this->to_host(first), expected);
        this->expect_same_bits(this->to_host(second), expected);
    });
}

/// What is not a number goes through all that hangs on it, and is forgotten by the next application.
TYPED_TEST(CudaTriangular, EndsWithNan) {
    using T = TypeParam;
    this->with_every_kernel([&](const TriangularKernel<T>& kernel, const IncompleteFactor<T>& l) {
        const DeviceSolve<T> solve(this->backend(), in_levels(l.columns()), &kernel);
        const HostVector<T> r = random_vector<T>(l.n, 3), expected = this->solved(solve, r);
        for (const T bad : {this->quiet_nan, triangular::not_ready_value<T>, std::numeric_limits<T>::infinity()}) {
            HostVector<T> wrong = r.clone();
            wrong[l.n / 2] = bad;
            EXPECT_FALSE(std::isfinite(this->solved(solve, wrong)[l.n / 2]));
            this->expect_same_bits(this->solved(solve, r), expected);
        }
        const HostVector<T> z = this->solved(solve, HostVector<T>(l.n, triangular::not_ready_value<T>));
        for (const T value : z) ASSERT_TRUE(std::isnan(value));
    });
}

TYPED_TEST(CudaTriangular, TakesNoRowsAndNoMoreColumnsThanReserved) {
    using T = TypeParam;
    const IncompleteFactor<T> none = coupled<T>(0, {}), some = coupled<T>(10, {});
    for (const auto& kernel : triangular::triangular_kernels<T>()) {
        const DeviceSolve<T> empty(this->backend(), in_levels(none.columns()), &kernel);
        EXPECT_EQ(this->solved(empty, HostVector<T>(0)).size(), 0);
        const DeviceSolve<T> solve(this->backend(), in_levels(some.columns()), &kernel, 2);
        EXPECT_NE(refusal([&] { this->solved(solve, HostVector<T>(30), 3, 3, 3); }).find("more columns"),
                  std::string::npos);
    }
}

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
    EXPECT_EQ(chosen(100000, 100000, 99999, 1), "one-block") << "a path";
    EXPECT_EQ(chosen(1000000, 298, 2970000, 3), "halved") << "7-point 100^3";
    EXPECT_EQ(chosen(1000000, 298, 2970000, 3, 20), "self-timed") << "for few applications";
    EXPECT_EQ(chosen(1000000, 298, 2970000, 3, 1e5, 1e6), "self-timed") << "where errors would grow";
    EXPECT_EQ(chosen(150102, 733, 288286, 3, 200, 53), "quartered") << "G2_circuit";
    EXPECT_EQ(chosen(150102, 733, 288286, 3, 5, 53), "one-block") << "for few applications";
    EXPECT_EQ(chosen(1000000, 2, 2970000, 6), "levels") << "7-point 100^3 in two colours";
    EXPECT_EQ(chosen(1000, 1000, 499500, 999), "self-timed") << "a full triangle";
}

}  // namespace
}  // namespace stiefel::test
