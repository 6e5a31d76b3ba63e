// Chebyshev steps that go on with a row, against the steps one by one.

#include "stiefel/preconditioner/amg/chebyshev_smoother.hpp"
#include "stiefel/preconditioner/amg/cuda/scaled_formats.hpp"
#include "stiefel/preconditioner/amg/short_values.hpp"
#include "stiefel/preconditioner/amg/slice_diagonals.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"
#include "stiefel/spmv/choose.hpp"

#include "support/cuda.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using Numbers = std::vector<double>;

/// What begin() and end() make of their vectors, in double precision, and bounds of what rounding in S may do.
struct Steps {
    const HostCsr<double>& a;
    double radius;
    Numbers r, x, e;

    /// With absolute: of all numbers and signs, so that results bound what is added up on the way.
    Numbers product(const Numbers& v, bool absolute) const {
        Numbers y(static_cast<std::size_t>(a.n_rows));
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) {
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    const double entry = absolute ? std::abs(a.values[k]) : a.values[k];
                    y[static_cast<std::size_t>(i)] += entry * v[static_cast<std::size_t>(a.col_idx[k])];
                }
            }
        });
        return y;
    }

    /// What is left of r, x and the last step.
    struct Result {
        Numbers r, x, d;
    };
    Result begin(bool absolute) const { return steps(r, Numbers(r.size(), 0.0), absolute); }
    Result end(bool absolute) const {
        const Numbers product_of_e = product(e, absolute);
        Numbers left = r, corrected = x;
        for (std::size_t i = 0; i < r.size(); ++i) {
            left[i] += absolute ? product_of_e[i] : -product_of_e[i];
            corrected[i] += e[i];
        }
        return steps(left, corrected, absolute);
    }

private:
    Result steps(Numbers left, Numbers found, bool absolute) const {
        constexpr double ratio = amg::ChebyshevSmoother<Cuda, double>::ratio;
        const double upper = radius, lower = radius / ratio, theta = (upper + lower) / 2, delta = (upper - lower) / 2;
        const double c = delta / theta, next = 1 / (2 * theta / delta - c);
        Numbers d(left.size(), 0.0);
        for (int k = 0; k < 2; ++k) {
            const double rho = k == 0 ? 0 : next * c, sigma = k == 0 ? 1 / theta : 2 * next / delta;
            for (std::size_t i = 0; i < d.size(); ++i) {
                d[i] = rho * d[i] + sigma * left[i];
                found[i] += d[i];
            }
            const Numbers down = product(d, absolute);
            for (std::size_t i = 0; i < d.size(); ++i) left[i] += absolute ? down[i] : -down[i];
        }
        return {std::move(left), std::move(found), std::move(d)};
    }
};

template <class S>
class CudaChebyshevSteps : public OnCuda {
protected:
    using Vectors = amg::LevelVectors<Cuda, S>;

    static Numbers in_double(const HostVector<S>& v) { return {v.begin(), v.end()}; }
    static Numbers absolute(Numbers v) {
        for (double& each : v) each = std::abs(each);
        return v;
    }

    void expect_within(const DeviceVector<S>& found, const Numbers& expected, const Numbers& bounds, double roundings) {
        const HostVector<S> host = this->to_host(found);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double bound = roundings * std::numeric_limits<S>::epsilon() * bounds[i];
            ASSERT_LE(std::abs(static_cast<double>(host[static_cast<Size>(i)]) - expected[i]), bound) << i;
        }
    }

    static constexpr double radius = 2.3;
    using Smoother = amg::ChebyshevSmoother<Cuda, S>;

    /// With values that S holds exactly, in the format and under the kernel of that name.
    void expect_steps(const HostCsr<double>& a, std::string_view format, std::string_view kernel) {
        SCOPED_TRACE(std::string(format) + " " + std::string(kernel));
        Smoother smoother(this->matrix(a, format, kernel), radius);
        this->expect_steps(a, smoother);
    }
    bool leaves(const HostCsr<double>& a, std::string_view format, std::string_view kernel) {
        return Smoother(this->matrix(a, format, kernel), radius).has_way_out();
    }
    void expect_steps(const HostCsr<double>& a, Smoother& smoother) {
        const Size n = a.n_rows;
        const HostVector<S> r = random_vector<S>(n, 1), x = random_vector<S>(n, 2), e = random_vector<S>(n, 3);
        const Steps steps{a, radius, in_double(r), in_double(x), in_double(e)};
        const Steps bound{a, radius, absolute(in_double(r)), absolute(in_double(x)), absolute(in_double(e))};
        Size longest = 0;
        a.row_ptr.visit([&](const auto* row_ptr) {
            for (Index i = 0; i < a.n_rows; ++i) longest = std::max<Size>(longest, row_ptr[i + 1] - row_ptr[i]);
        });
        // Up to three products one after the other, each with a rounding an entry, and what stands beside them.
        const double roundings = 3 * static_cast<double>(longest + 8);

        const HostVector<S> poison(n, std::numeric_limits<S>::quiet_NaN());
        Vectors v{this->to_device(r), this->to_device(poison), this->to_device(poison), this->to_device(poison)};
        smoother.begin(this->backend(), v, 1, true);
        const auto begun = steps.begin(false), begun_bound = bound.begin(true);
        this->expect_within(v.r, begun.r, begun_bound.r, roundings);
        this->expect_within(v.x, begun.x, begun_bound.x, roundings);

        Vectors w{this->to_device(r), this->to_device(x), this->to_device(e), this->to_device(poison)};
        smoother.end(this->backend(), w, 1);
        const auto ended = steps.end(false), ended_bound = bound.end(true);
        this->expect_within(w.x, ended.x, ended_bound.x, roundings);
        if (!smoother.has_way_out()) return;
        this->template expect_way_out<S>(smoother, r, x, e, ended.x, ended_bound.x, roundings);
        this->template expect_way_out<double>(smoother, r, x, e, ended.x, ended_bound.x, roundings);
    }

    /// z = scale x, rounded to T, and its inner product with what stands for r.
    template <class T>
    void expect_way_out(Smoother& smoother, const HostVector<S>& r, const HostVector<S>& x, const HostVector<S>& e,
                        Numbers ended, Numbers bounds, double roundings) {
        const Size n = r.size();
        const HostVector<S> poison(n, std::numeric_limits<S>::quiet_NaN());
        const HostVector<T> scale = random_vector<T>(n, 6), before = random_vector<T>(n, 7);
        const auto scale_there = this->to_device(scale), before_there = this->to_device(before);
        auto z = this->to_device(HostVector<T>(n, std::numeric_limits<T>::quiet_NaN()));
        auto dot = this->to_device(HostVector<double>(1, std::numeric_limits<double>::quiet_NaN()));
        Vectors v{this->to_device(r), this->to_device(x), this->to_device(e), this->to_device(poison)};
        smoother.end(this->backend(), v, amg::WayOut<T>{scale_there.data(), before_there.data(), z.data(), dot.data()});
        const HostVector<T> found = this->to_host(z);
        long double exact = 0, absolutes = 0;
        for (Size i = 0; i < n; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const double size = std::abs(static_cast<double>(scale[i])) * bounds[at];
            const double bound =
                (roundings * std::numeric_limits<S>::epsilon() + std::numeric_limits<T>::epsilon()) * size;
            ASSERT_LE(std::abs(static_cast<double>(found[i]) - static_cast<double>(scale[i]) * ended[at]), bound) << i;
            const long double term = static_cast<long double>(before[i]) * static_cast<long double>(found[i]);
            exact += term;
            absolutes += std::abs(term);
        }
        const double sum = this->to_host(dot)[0];
        ASSERT_LE(std::abs(static_cast<long double>(sum) - exact),
                  static_cast<long double>(n + 2) * std::numeric_limits<double>::epsilon() * absolutes);
    }

    SpmvOperator<Cuda, S> matrix(const HostCsr<double>& a, std::string_view format, std::string_view kernel) {
        OpenMP host(2);
        const HostVector<double> ones(std::max(a.n_rows, a.n_cols), 1.0);
        HostCsr<S> rounded = scaled_copy<S>(host, ScaledCsr<double>{a, ones, ones});
        auto csr = stiefel::to_device(this->backend(), rounded);
        return choose_operator<Cuda, S>(this->backend(), std::move(csr), row_statistics(host, a.row_ptr),
                                        {.format = std::string(format), .kernel = std::string(kernel)})
            .a;
    }

    /// As a set-up keeps it.
    amg::CycleOperator<S> kept(const HostCsr<double>& a) {
        const auto csr = stiefel::to_device(this->backend(), a);
        const DeviceVector<double> ones = this->to_device(HostVector<double>(a.n_rows, 1.0));
        const amg::ScaledMatrix m{&csr, {&ones}, {&ones, true}};
        return std::move(amg::scaled_operators<S>(this->backend(), {&m, 1}).front());
    }

    /// r with a NaN in one place: what a row has not got a column of may be anything.
    void expect_only_what_refers(const HostCsr<double>& a, Smoother& smoother) {
        for (const Index bad : {Index{0}, a.n_rows / 2, a.n_rows - 1}) {
            HostVector<S> r(a.n_rows, S{1});
            r[bad] = std::numeric_limits<S>::quiet_NaN();
            Vectors v{this->to_device(r), this->to_device(r), this->to_device(r), this->to_device(r)};
            smoother.begin(this->backend(), v, 1, true);
            const HostVector<S> x = this->to_host(v.x);
            a.row_ptr.visit([&](const auto* row_ptr) {
                for (Index i = 0; i < a.n_rows; ++i) {
                    const Index* const end = a.col_idx.data() + row_ptr[i + 1];
                    const bool refers = std::find(a.col_idx.data() + row_ptr[i], end, bad) != end;
                    ASSERT_EQ(std::isnan(x[i]), refers || i == bad) << "row " << i << ", column " << bad;
                }
            });
        }
    }
};

using FloatFirst = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaChebyshevSteps, FloatFirst);

class CudaShortValues : public CudaChebyshevSteps<float> {
protected:
    /// Rows of about so many entries that share no diagonals.
    static HostCsr<double> scattered(Index n, Index in_row) {
        std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(n));
        for (Index i = 0; i < n; ++i) {
            std::set<Index> columns;
            for (Index k = 0; k < in_row; ++k) columns.insert((i + k * 5351 + i % 13 * k) % n);
            for (const Index j : columns) rows[static_cast<std::size_t>(i)].emplace_back(j, 1.0);
        }
        return csr_from_rows<double>(n, rows);
    }
};

TYPED_TEST(CudaChebyshevSteps, AreTheStepsOneByOne) {
    OpenMP maker(2);
    std::vector<HostCsr<double>> matrices;
    matrices.push_back(poisson3d<double>(maker, 17, 11, 13));  // ends within a slice
    for (const Index mean : {2, 7, 20, 60}) {                  // for each number of lanes
        HostCsr<double> a =
            random_csr<double>({.n_rows = 1500, .n_cols = 1500, .mean_row = static_cast<double>(mean), .seed = 7});
        for (Size k = 0; k < a.nnz(); ++k) a.values[k] = static_cast<float>(a.values[k]);
        matrices.push_back(std::move(a));
    }
    for (const auto& a : matrices) {
        SCOPED_TRACE(std::to_string(a.n_rows) + " rows, " + std::to_string(a.nnz()) + " entries");
        this->expect_steps(a, "sell", "thread");
        this->expect_steps(a, "csr", "subwarp");
        EXPECT_EQ(this->leaves(a, "csr", "subwarp"), a.nnz() <= 32 * Size{a.n_rows});
        EXPECT_FALSE(this->leaves(a, "csr", "vector"));
        this->expect_steps(a, "csr", "vector");      // without kernels of its own
        this->expect_steps(a, "ellpack", "thread");  // likewise
    }
}

TYPED_TEST(CudaChebyshevSteps, PaddingAddsNothing) {
    using S = TypeParam;
    const HostCsr<double> a = random_csr<double>({.n_rows = 500, .n_cols = 500, .empty_rows = false});
    for (const auto& [format, kernel] : {std::pair{"sell", "thread"}, {"csr", "subwarp"}}) {
        SCOPED_TRACE(format);
        amg::ChebyshevSmoother<Cuda, S> smoother(this->matrix(a, format, kernel), 2.0);
        this->expect_only_what_refers(a, smoother);
    }
}

/// Grids of more than 65 536 points: lines of them end within slices, and in one some rows have an entry elsewhere.
TYPED_TEST(CudaChebyshevSteps, DiagonalsStandForColumns) {
    using S = TypeParam;
    OpenMP maker(2);
    std::vector<HostCsr<double>> matrices;
    matrices.push_back(poisson3d<double>(maker, 41, 43, 39));
    matrices.push_back(poisson2d<double>(maker, 1000, 67));
    matrices.push_back(stencil27<double>(maker, 64, 33, 34));
    std::vector<std::vector<std::pair<Index, double>>> rows(70000);
    for (Index i = 0; i < 70000; ++i) {
        auto& row = rows[static_cast<std::size_t>(i)];
        row = {{i, 2.0}};
        if (i > 0) row.insert(row.begin(), {i - 1, -1.0});
        if (i < 69999) row.emplace_back(i + 1, i % 50 == 0 ? 0.0 : -1.0);  // a zero that is stored is no padding
        if (i % 1000 < 40) row.insert(row.begin(), {i < 40000 ? 0 : std::max(0, i - 40000 - i % 7), 0.5});
        if (row.front().first >= row[1].first) row.erase(row.begin());
    }
    matrices.push_back(csr_from_rows<double>(70000, rows));
    matrices.push_back(poisson3d<double>(maker, 41, 43, 39));
    for (Size k = 0; k < matrices.back().nnz(); ++k) matrices.back().values[k] *= static_cast<double>(k % 1999) / 1024;
    for (const auto& a : matrices) {
        SCOPED_TRACE(std::to_string(a.n_rows) + " rows, " + std::to_string(a.nnz()) + " entries");
        auto kept = this->kept(a);
        ASSERT_EQ(kept.a.format(), "sell");
        const HostVector<Index> diagonals = this->to_host(kept.diagonals.numbers);
        ASSERT_FALSE(diagonals.empty());
        const bool is_uneven = &a == &matrices.back();
        EXPECT_EQ(kept.diagonals.begin.empty(), is_uneven);
        EXPECT_EQ(kept.diagonals.places == 32 * diagonals.size(), is_uneven);
        const auto unshared = std::count(diagonals.begin(), diagonals.end(), amg::no_diagonal);
        EXPECT_LT(unshared, a.n_rows / 64);
        EXPECT_EQ(unshared > 40, a.n_rows == 70000);
        EXPECT_EQ(kept.a.nnz(), a.nnz());

        // To whoever reads the columns it is the same matrix.
        const HostVector<S> x = random_vector<S>(a.n_cols, 4);
        const DeviceVector<S> there = this->to_device(x);
        DeviceVector<S> y = this->to_device(HostVector<S>(a.n_rows, std::numeric_limits<S>::quiet_NaN()));
        spmv(this->backend(), kept.a, there, y);
        const HostVector<S> product = this->to_host(y);
        const Steps steps{a, TestFixture::radius, {}, {}, {}};
        const Numbers expected = steps.product(this->in_double(x), false);
        const Numbers sizes = steps.product(this->absolute(this->in_double(x)), true);
        for (Index i = 0; i < a.n_rows; ++i) {
            const auto at = static_cast<std::size_t>(i);
            ASSERT_LE(std::abs(static_cast<double>(product[i]) - expected[at]),
                      40 * std::numeric_limits<S>::epsilon() * sizes[at]);
        }

        typename TestFixture::Smoother smoother(std::move(kept.a), this->radius, std::move(kept.diagonals));
        this->expect_steps(a, smoother);
        this->expect_only_what_refers(a, smoother);
    }
    EXPECT_TRUE(this->kept(random_csr<double>({.n_rows = 70000, .n_cols = 70000, .mean_row = 4})).diagonals.empty());
}

/// Rows of 27 uneven entries, on diagonals of a grid, and of as many anywhere: with values in 16 bits the steps are
/// those of the matrix that has these values.
TEST_F(CudaShortValues, AreSmoothedWith) {
    OpenMP maker(2);
    std::vector<HostCsr<double>> matrices;
    matrices.push_back(stencil27<double>(maker, 60, 55, 52));
    matrices.push_back(scattered(160000, 27));
    for (auto& a : matrices) {
        SCOPED_TRACE(std::to_string(a.n_rows) + " rows, " + std::to_string(a.nnz()) + " entries");
        for (Size k = 0; k < a.nnz(); ++k) {
            const double part = static_cast<double>((k * 7919) % 100003) / 100003 - 0.5;
            a.values[k] = amg::in_units(static_cast<float>(part)) / static_cast<double>(amg::units_of_one);
        }
        auto kept = this->kept(a);
        ASSERT_EQ(kept.a.format(), "sell");
        EXPECT_EQ(kept.diagonals.empty(), &a == &matrices.back());
        Smoother smoother(std::move(kept.a), radius, std::move(kept.diagonals));
        const Size bytes = smoother.bytes();
        const double moved = smoother.begin_work(1, true).bytes;
        ASSERT_TRUE(smoother.gains_by_rounding());
        smoother.round_values(backend());
        EXPECT_GE(smoother.bytes() - bytes, 2 * a.nnz());
        EXPECT_LT(smoother.begin_work(1, true).bytes, moved - 3.9 * static_cast<double>(a.nnz()));
        expect_steps(a, smoother);
        // And what is rounded is: a third of a unit is nothing.
        HostCsr<double> less = cloned(a);
        for (Size k = 0; k < less.nnz(); ++k) less.values[k] += (k % 2 == 0 ? 0.3 : -0.3) * amg::short_unit;
        auto kept_less = this->kept(less);
        Smoother rounded(std::move(kept_less.a), radius, std::move(kept_less.diagonals));
        rounded.round_values(backend());
        expect_steps(a, rounded);
    }
}

TEST_F(CudaShortValues, AreTakenWhereRowsAreLong) {
    OpenMP maker(2);
    auto a = poisson3d<double>(maker, 100, 90, 80);
    for (Size k = 0; k < a.nnz(); ++k) a.values[k] *= static_cast<double>(k % 1999) / 16384;
    auto kept = this->kept(a);
    EXPECT_FALSE(Smoother(std::move(kept.a), radius, std::move(kept.diagonals)).gains_by_rounding());
    auto constant = this->kept(stencil27<double>(maker, 60, 55, 52));
    EXPECT_FALSE(Smoother(std::move(constant.a), radius, std::move(constant.diagonals)).gains_by_rounding());
}

}  // namespace
}  // namespace stiefel::test
