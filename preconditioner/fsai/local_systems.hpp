#pragma once

#include "stiefel/core/types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace stiefel::fsai {

/// Eight dense systems side by side, the same number of each behind one another, so that a processor's vectors take a
/// step of all at once. Smaller ones stand at the end of a larger one's matrix, behind rows of the identity, whose
/// zeros change no sum: the bits of one do not depend on those beside it.
class LocalSystems {
public:
    static constexpr int lanes = 8;

    /// A number of each system.
    struct Numbers {
        using Vector [[gnu::vector_size(lanes * sizeof(double))]] = double;
        Vector v;

        double& operator[](int lane) { return reinterpret_cast<double*>(&v)[lane]; }
        double operator[](int lane) const { return reinterpret_cast<const double*>(&v)[lane]; }
    };

    /// Begins with identities of that order.
    void reset(Index order) {
        order_ = order;
        const auto n = static_cast<std::size_t>(order);
        if (x_.size() < n) {
            a_.resize(n * (n + 1));
            x_.resize(n);
            inverse_.resize(n);
        }
        for (Index i = 0; i < order; ++i) {
            std::fill_n(row(i), i, Numbers{});
            row(i)[i] = all(1);
        }
        fails_.fill(false);
    }

    /// Row i of the systems up to the diagonal. Nobody reads what stands at the place of column `order`.
    Numbers* row(Index i) { return a_.data() + Size{i} * (order_ + 1); }

    /// A = L L'. A system with a pivot that is not larger than `least` fails.
    void factor(double least) {
        for (Index c = 0; c < order_; ++c) {
            factor_diagonal(c, least);
            for (Index r = c + 1; r < order_; r += together) factor_rows(c, r);
        }
    }

    bool fails(int lane) const { return fails_[static_cast<std::size_t>(lane)]; }

    /// x with L' x = (0, ..., 0, 1)': the last row of L^-1.
    void solve() {
        std::fill_n(x_.data(), order_ - 1, Numbers{});
        x(order_ - 1) = all(1);
        for (Index r = order_ - 1; r >= 0; --r) {
            x(r).v *= inverse(r).v;
            const Numbers own = x(r);
            const Numbers* const entries = row(r);
            for (Index k = 0; k < r; ++k) x(k).v -= entries[k].v * own.v;
        }
    }

    /// A^-1 = L^-T L^-1 in place of L, up to the diagonal.
    void invert() {
        for (Index i = 0; i < order_; ++i) {  // L^-1
            Numbers* const own = row(i);
            for (Index j = 0; j < i; ++j) {
                Numbers sum{};
                for (Index k = j; k < i; ++k) sum.v += own[k].v * row(k)[j].v;
                own[j].v = -sum.v * inverse(i).v;
            }
            own[i] = inverse(i);
        }
        for (Index i = 0; i < order_; ++i) {
            for (Index j = 0; j <= i; ++j) {
                Numbers sum{};
                for (Index k = i; k < order_; ++k) sum.v += row(k)[i].v * row(k)[j].v;
                row(i)[j] = sum;
            }
        }
    }

    /// Of the solution.
    Numbers& x(Index i) { return x_[static_cast<std::size_t>(i)]; }

    /// x' A x = |L' x|^2
    Numbers energy() {
        Numbers sum{};
        for (Index k = 0; k < order_; ++k) {
            Numbers product{};
            for (Index r = k; r < order_; ++r) product.v += row(r)[k].v * x(r).v;
            sum.v += product.v * product.v;
        }
        return sum;
    }

private:
    static constexpr Index together = 4;  // rows: a number of row c is used as often as it is loaded

    static Numbers all(double value) { return {Numbers::Vector{} + value}; }
    Numbers& inverse(Index i) { return inverse_[static_cast<std::size_t>(i)]; }

    void factor_diagonal(Index c, double least) {
        Numbers* const own = row(c);
        Numbers sum = own[c];
        for (Index k = 0; k < c; ++k) sum.v -= own[k].v * own[k].v;
        for (int w = 0; w < lanes; ++w) {
            if (sum[w] > least) continue;
            fails_[static_cast<std::size_t>(w)] = true;
            sum[w] = 1;
        }
        for (int w = 0; w < lanes; ++w) sum[w] = std::sqrt(sum[w]);
        own[c] = sum;
        inverse(c).v = 1 / sum.v;
    }

    /// Column c of rows r and those behind it.
    void factor_rows(Index c, Index r) {
        const Numbers* const pivot_row = row(c);
        Numbers* rows[together];
        Numbers sum[together];
        for (Index q = 0; q < together; ++q) {
            rows[q] = row(std::min(r + q, order_ - 1));
            sum[q] = rows[q][c];
        }
        for (Index k = 0; k < c; ++k) {
            for (Index q = 0; q < together; ++q) sum[q].v -= rows[q][k].v * pivot_row[k].v;
        }
        for (Index q = 0; q < together; ++q) rows[q][c].v = sum[q].v * inverse(c).v;
    }

    Index order_ = 0;
    std::vector<Numbers> a_;  // rows of L
    std::vector<Numbers> inverse_, x_;
    std::array<bool, lanes> fails_{};
};

}  // namespace stiefel::fsai
