// The dense kernels of supernodes, of every instruction set that this machine has, against sums in extended precision.

#include "stiefel/preconditioner/cholesky/block_factor.hpp"
#include "stiefel/preconditioner/cholesky/block_kernels.hpp"

#include "support/bounds.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace stiefel::test {
namespace {

using cholesky::leading_dimension;
using cholesky::padded;

/// Column after column, in whole registers; what lies behind the rows is 0.
template <class T>
struct Block {
    Block(Index n_rows, Index n_columns)
        : rows(n_rows), columns(n_columns), ld(leading_dimension<T>(n_rows)), values(ld * n_columns, T{0}) {}

    T* data() { return values.data(); }
    const T* data() const { return values.data(); }
    T& operator()(Index i, Index j) { return values[i + j * ld]; }
    T operator()(Index i, Index j) const { return values[i + j * ld]; }
    Block copy() const {
        Block other(rows, columns);
        other.values = values.clone();
        return other;
    }

    Index rows, columns;
    Size ld;
    HostVector<T> values;
};

template <class T>
Block<T> random_block(Index rows, Index columns, std::uint64_t seed) {
    Random random(seed);
    Block<T> block(rows, columns);
    for (Index j = 0; j < columns; ++j) {
        for (Index i = 0; i < rows; ++i) block(i, j) = static_cast<T>(random());
    }
    return block;
}

/// The lower triangle of a positive definite matrix.
template <class T>
Block<T> definite_block(Index w, std::uint64_t seed) {
    Block<T> block = random_block<T>(w, w, seed);
    for (Index j = 0; j < w; ++j) {
        for (Index i = 0; i < j; ++i) block(i, j) = 0;
        block(j, j) = static_cast<T>(w + 1);
    }
    return block;
}

/// sum over k of a(i, k) b(j, k), and of its absolute values.
struct Sums {
    long double sum = 0, absolute = 0;
    void add(long double product) {
        sum += product;
        absolute += std::abs(product);
    }
};

template <class T>
class CholeskyKernels : public ::testing::Test {
protected:
    template <class F>
    void on_all(F&& f) {
        for (const auto& kernels : cholesky::runnable_block_kernels<T>()) {
            SCOPED_TRACE(kernels.instructions);
            f(kernels);
        }
    }
    /// Around registers of any length, and more.
    static constexpr std::array<Index, 14> sizes{1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 40, 95};
};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CholeskyKernels, Types);

TYPED_TEST(CholeskyKernels, UpdateSubtractsProducts) {
    using T = TypeParam;
    this->on_all([&](const auto& kernels) {
        for (const Index rows : this->sizes) {
            for (const Index columns : {1, 2, 3, 4, 6, 21}) {
                for (const Index k : {1, 5, 24}) {
                    const Block<T> a = random_block<T>(rows, k, 1), b = random_block<T>(columns, k, 2);
                    const Block<T> before = random_block<T>(rows, columns, 3);
                    Block<T> c = before.copy();
                    kernels.update(rows, columns, k, a.data(), a.ld, b.data(), b.ld, c.data(), c.ld);
                    for (Index i = 0; i < rows; ++i) {
                        for (Index j = 0; j < columns; ++j) {
                            Sums sums;
                            sums.add(before(i, j));
                            for (Index p = 0; p < k; ++p) sums.add(-static_cast<long double>(a(i, p)) * b(j, p));
                            ASSERT_TRUE(within(c(i, j), sums.sum, sum_bound<T>(k + 1, sums.absolute)));
                        }
                    }
                }
            }
        }
    });
}

/// |A - L L'| <= (w + 2) eps |L| |L'|, rounding of reciprocals included (Higham 2002, theorem 10.3), and the same for
/// the rows below: |B - X L'| <= (w + 2) eps |X| |L'|.
TYPED_TEST(CholeskyKernels, FactorAndRowsBelowGiveBackTheirProducts) {
    using T = TypeParam;
    this->on_all([&](const auto& kernels) {
        for (const Index w : this->sizes) {
            const HostVector<T> least(w, T{0});
            const Block<T> before = definite_block<T>(w, 4), below = random_block<T>(37, w, 5);
            Block<T> l = before.copy(), x = below.copy();
            ASSERT_EQ(kernels.factor(w, l.data(), l.ld, least.data()), w);
            kernels.solve_rows(37, w, l.data(), l.ld, x.data(), x.ld);
            const auto of_l = [&](Index i, Index j) -> long double {
                return i == j ? 1 / static_cast<long double>(l(i, i)) : static_cast<long double>(l(i, j));
            };
            for (Index j = 0; j < w; ++j) {
                for (Index i = j; i < w; ++i) {
                    Sums sums;
                    for (Index k = 0; k <= j; ++k) sums.add(of_l(i, k) * of_l(j, k));
                    ASSERT_TRUE(within(sums.sum, before(i, j), sum_bound<T>(w, sums.absolute))) << i << " " << j;
                }
                for (Index i = 0; i < 37; ++i) {
                    Sums sums;
                    for (Index k = 0; k <= j; ++k) sums.add(x(i, k) * of_l(j, k));
                    ASSERT_TRUE(within(sums.sum, below(i, j), sum_bound<T>(w, sums.absolute))) << i << " " << j;
                }
            }
        }
    });
}

TYPED_TEST(CholeskyKernels, FactorNamesTheFirstColumnWithoutPivot) {
    using T = TypeParam;
    this->on_all([&](const auto& kernels) {
        for (const Index w : this->sizes) {
            const HostVector<T> least(w, T{0.5});
            for (const T bad : {T{-1}, T{0}, T{0.25}, std::numeric_limits<T>::quiet_NaN()}) {
                for (const Index column : {Index{0}, w / 2, w - 1}) {
                    Block<T> a = definite_block<T>(w, 6);
                    a(column, column) = bad;
                    for (Index k = 0; k < column; ++k) a(column, k) = 0;
                    EXPECT_EQ(kernels.factor(w, a.data(), a.ld, least.data()), column);
                }
            }
        }
    });
}

/// What is left of the equations, by the backward error of substitution (Higham 2002, theorem 8.5).
TYPED_TEST(CholeskyKernels, SubstitutionsSolveTheirEquations) {
    using T = TypeParam;
    this->on_all([&](const auto& kernels) {
        for (const Index w : this->sizes) {
            for (const Index rows : {0, 1, 8, 19, 50}) {
                const HostVector<T> least(w, T{0});
                Block<T> l1 = definite_block<T>(w, 7);
                ASSERT_EQ(kernels.factor(w, l1.data(), l1.ld, least.data()), w);
                const Block<T> l2 = random_block<T>(rows, w, 8);
                const auto of_l = [&](Index i, Index j) -> long double {
                    if (i >= w) return l2(i - w, j);
                    return i == j ? 1 / static_cast<long double>(l1(i, i)) : static_cast<long double>(l1(i, j));
                };
                const auto vector = [](Index n, std::uint64_t seed) {
                    HostVector<T> v(padded<T>(n), T{0});
                    Random random(seed);
                    for (Index i = 0; i < n; ++i) v[i] = static_cast<T>(random());
                    return v;
                };
                const HostVector<T> b1 = vector(w, 9), b2 = vector(rows, 10);
                HostVector<T> x1 = b1.clone(), x2 = b2.clone(), y1 = b1.clone();
                kernels.forward(w, rows, l1.data(), l1.ld, l2.data(), l2.ld, x1.data(), x2.data());
                for (Index i = 0; i < w + rows; ++i) {  // L x1 = b1, x2 = b2 - L2 x1
                    Sums sums;
                    if (i >= w) sums.add(x2[i - w]);
                    for (Index k = 0; k <= std::min(i, w - 1); ++k) sums.add(of_l(i, k) * x1[k]);
                    ASSERT_TRUE(within(sums.sum, i < w ? b1[i] : b2[i - w], sum_bound<T>(w + 1, sums.absolute))) << i;
                }
                kernels.backward(w, rows, l1.data(), l1.ld, l2.data(), l2.ld, y1.data(), b2.data());
                for (Index j = 0; j < w; ++j) {
                    Sums sums;
                    for (Index i = j; i < w; ++i) sums.add(of_l(i, j) * y1[i]);
                    for (Index i = 0; i < rows; ++i) sums.add(of_l(w + i, j) * b2[i]);
                    ASSERT_TRUE(within(sums.sum, b1[j], sum_bound<T>(w + rows, sums.absolute))) << j;
                }
            }
        }
    });
}

/// In steps of columns and strips of rows, on any number of threads: the same bits, and products that give back A.
TYPED_TEST(CholeskyKernels, FrontsAreThoseOfOneThread) {
    using T = TypeParam;
    for (const Index w : {3, 96, 97, 250}) {
        for (const Index h : {0, 5, 130}) {
            const HostVector<T> least(w, T{0});
            const Block<T> a1 = definite_block<T>(w, 11), a2 = random_block<T>(h, w, 12), c = random_block<T>(h, h, 13);
            const auto factored = [&](int threads, Block<T>& l1, Block<T>& l2, Block<T>& rest) {
                const cholesky::Front<T> front{.width = w,
                                               .height = h,
                                               .l1 = l1.data(),
                                               .ld1 = l1.ld,
                                               .l2 = l2.data(),
                                               .ld2 = l2.ld,
                                               .rest = rest.data()};
                ASSERT_EQ(cholesky::factor_front(threads, front, least.data()), w);
            };
            Block<T> l1 = a1.copy(), l2 = a2.copy(), rest = c.copy();
            factored(1, l1, l2, rest);
            for (const int threads : {2, 4}) {
                Block<T> m1 = a1.copy(), m2 = a2.copy(), more = c.copy();
                factored(threads, m1, m2, more);
                const auto same = [](const Block<T>& x, const Block<T>& y) {
                    return x.values.empty() ||
                           std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.values.bytes())) == 0;
                };
                EXPECT_TRUE(same(l2, m2) && same(rest, more)) << w << " " << h << " " << threads;
                for (Index j = 0; j < w; ++j) {
                    for (Index i = j; i < w; ++i) ASSERT_EQ(l1(i, j), m1(i, j));
                }
            }
            for (Index j = 0; j < h; ++j) {
                for (Index i = j; i < h; ++i) {
                    Sums sums;
                    sums.add(rest(i, j));
                    for (Index k = 0; k < w; ++k) sums.add(static_cast<long double>(l2(i, k)) * l2(j, k));
                    ASSERT_TRUE(within(sums.sum, c(i, j), sum_bound<T>(w + 1, sums.absolute)));
                }
            }
            for (Index i = 0; i < h; ++i) {
                Sums sums;  // the last column of L2 L1' = A2
                for (Index k = 0; k < w; ++k) {
                    sums.add(l2(i, k) * (k == w - 1 ? 1 / static_cast<long double>(l1(k, k)) : l1(w - 1, k)));
                }
                ASSERT_TRUE(within(sums.sum, a2(i, w - 1), sum_bound<T>(w, sums.absolute)));
            }
        }
    }
}

}  // namespace
}  // namespace stiefel::test
