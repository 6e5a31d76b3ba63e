#pragma once

#include "support/gemm_reference.hpp"

namespace stiefel::test {

struct PanelCase {
    Index n = 0;
    Index p = 0;
    Index q = 0;
    double alpha = 1;
    double beta = 0;
    Size padding = 0;

    friend std::ostream& operator<<(std::ostream& out, const PanelCase& c) {
        return out << "n " << c.n << ", p " << c.p << ", q " << c.q << ", alpha " << c.alpha << ", beta " << c.beta
                   << ", padding " << c.padding;
    }
};

/// Lengths around the edges of blocks, widths around those of registers, the widest, the packed square panels that
/// block solvers use, and parts of wider ones.
inline std::vector<PanelCase> panel_cases() {
    std::vector<PanelCase> cases;
    int turn = 0;
    constexpr double alphas[] = {1, -0.75};
    constexpr double betas[] = {0, 1, -1.5};
    for (const Index n : {0, 1, 2, 31, 32, 33, 1000, 5001}) {
        for (const Index k : {1, 2, 4, 8, 16, 32}) cases.push_back({n, k, k, alphas[turn % 2], betas[turn++ % 3], 0});
        for (const auto& [p, q] : {std::pair{0, 3},
                                   {3, 0},
                                   {5, 7},
                                   {31, 33},
                                   {64, 64},
                                   {8, 1},
                                   {1, 9},
                                   {33, 16},
                                   {4, 4},
                                   {3, 3},
                                   {12, 12},
                                   {24, 24},
                                   {8, 24},
                                   {24, 8},
                                   {61, 63}}) {
            cases.push_back({n, p, q, alphas[turn % 2], betas[turn % 3], turn % 4});
            ++turn;
        }
    }
    return cases;
}

/// G = P' Q in extended precision.
template <class T>
class GramReference {
public:
    explicit GramReference(const PanelCase& what)
        : what_(what), p_(what.n, what.p, what.padding, 11), q_(what.n, what.q, 2 * what.padding, 12) {
        exact_.resize(static_cast<std::size_t>(what.p * what.q));
        absolute_.resize(exact_.size());
        for (Size row = 0; row < what.n; ++row) {
            for (Size i = 0; i < what.p; ++i) {
                for (Size j = 0; j < what.q; ++j) {
                    const long double product = static_cast<long double>(p_(row, i)) * q_(row, j);
                    exact_[static_cast<std::size_t>(i * what.q + j)] += product;
                    absolute_[static_cast<std::size_t>(i * what.q + j)] += std::abs(product);
                }
            }
        }
    }

    const PaddedMatrix<T>& p() const { return p_; }
    const PaddedMatrix<T>& q() const { return q_; }
    Size ld() const { return std::max<Size>(1, what_.q + what_.padding); }

    /// Storage for G, all NaN.
    HostVector<double> blank() const {
        return HostVector<double>(what_.p * ld(), std::numeric_limits<double>::quiet_NaN());
    }
    HostMatrix<double> view_of(HostVector<double>& g) const { return {g.data(), what_.p, what_.q, ld()}; }

    ::testing::AssertionResult accepts(const HostVector<double>& g) const {
        for (Size i = 0; i < what_.p; ++i) {
            for (Size j = 0; j < what_.q; ++j) {
                const auto place = static_cast<std::size_t>(i * what_.q + j);
                const auto close = within(g[i * ld() + j], exact_[place], sum_bound<double>(what_.n, absolute_[place]));
                if (!close) return ::testing::AssertionFailure() << "G(" << i << ", " << j << "): " << close.message();
            }
            for (Size j = what_.q; j < ld(); ++j) {
                if (!std::isnan(g[i * ld() + j]))
                    return ::testing::AssertionFailure() << "G was written past row " << i;
            }
        }
        return ::testing::AssertionSuccess();
    }

private:
    PanelCase what_;
    PaddedMatrix<T> p_;
    PaddedMatrix<T> q_;
    std::vector<long double> exact_;
    std::vector<long double> absolute_;
};

/// Y = alpha X B + beta Y in extended precision. Sums are double, so only the last rounding is T's.
template <class T>
class PanelUpdateReference {
public:
    explicit PanelUpdateReference(const PanelCase& what)
        : what_(what),
          x_(what.n, what.p, what.padding, 21),
          b_(what.p, what.q, 2 * what.padding, 22),
          y_(what.n, what.q, 3 * what.padding, 23) {
        if (what.beta == 0) std::fill(y_.values.begin(), y_.values.end(), std::numeric_limits<T>::quiet_NaN());
        for (Size i = 0; i < what.n; ++i) {
            for (Size j = 0; j < what.q; ++j) sum_products(i, j);
        }
    }

    const PaddedMatrix<T>& x() const { return x_; }
    const PaddedMatrix<double>& b() const { return b_; }
    const PaddedMatrix<T>& y() const { return y_; }  ///< before the update

    ::testing::AssertionResult accepts(const HostVector<T>& result) const {
        for (Size i = 0; i < what_.n; ++i) {
            for (Size j = 0; j < what_.q; ++j) {
                const auto place = static_cast<std::size_t>(i * what_.q + j);
                const auto close = within(result[i * y_.ld + j], exact_[place], bound_[place]);
                if (!close) return ::testing::AssertionFailure() << "Y(" << i << ", " << j << "): " << close.message();
            }
            for (Size j = what_.q; j < y_.ld; ++j) {
                if (!std::isnan(result[i * y_.ld + j])) {
                    return ::testing::AssertionFailure() << "Y was written past row " << i;
                }
            }
        }
        return ::testing::AssertionSuccess();
    }

private:
    void sum_products(Size i, Size j) {
        const long double before = what_.beta == 0 ? 0 : static_cast<long double>(what_.beta) * y_(i, j);
        long double exact = before;
        long double absolute = std::abs(before);
        for (Size p = 0; p < what_.p; ++p) {
            const long double product = static_cast<long double>(what_.alpha) * x_(i, p) * b_(p, j);
            exact += product;
            absolute += std::abs(product);
        }
        const long double last_rounding = static_cast<long double>(std::numeric_limits<T>::epsilon()) * std::abs(exact);
        exact_.push_back(exact);
        bound_.push_back(sum_bound<double>(what_.p + 2, absolute) + last_rounding);
    }

    PanelCase what_;
    PaddedMatrix<T> x_;
    PaddedMatrix<double> b_;
    PaddedMatrix<T> y_;
    std::vector<long double> exact_;
    std::vector<long double> bound_;
};

}  // namespace stiefel::test
