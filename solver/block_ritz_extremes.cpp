#include "stiefel/solver/block_ritz_extremes.hpp"

#include "stiefel/solver/block_cg_record.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace stiefel {

namespace {

double largest_absolute(std::span<const double> v) {
    double largest = 0;
    for (const double element : v) largest = std::max(largest, std::abs(element));
    return largest;
}

/// L C L' / `unit` and L^-1' Xi L^-1 / `inverse_unit`, to multiply with, where the units are the largest entries of C
/// and Xi. In single precision, which is enough for two digits of the largest eigenvalue of each.
class BlockTridiagonal {
public:
    BlockTridiagonal(Index k, std::span<const double> matrices)
        : k_(k), n_blocks_(static_cast<Size>(matrices.size()) / BlockCgRecord::doubles(k)) {
        const Size size = Size{k} * k;
        for (std::vector<float>* all : {&curvature_, &xi_, &zeta_, &zeta_transposed_}) {
            all->resize(static_cast<std::size_t>(n_blocks_ * size));
        }
        const auto of_block = [&](Size j, Size which) {
            return matrices.data() + (BlockCgRecord::n_matrices * j + which) * size;
        };
        for (Size j = 0; j < n_blocks_; ++j) {
            unit = std::max(unit, largest_absolute({of_block(j, 0), static_cast<std::size_t>(size)}));
            inverse_unit = std::max(inverse_unit, largest_absolute({of_block(j, 1), static_cast<std::size_t>(size)}));
        }
        for (Size j = 0; j < n_blocks_; ++j) {
            for (Index i = 0; i < k; ++i) {
                for (Index c = 0; c < k; ++c) {
                    const Size from = Size{i} * k + c;
                    const auto to = static_cast<std::size_t>(j * size + from);
                    curvature_[to] = static_cast<float>(of_block(j, 0)[from] / unit);
                    xi_[to] = static_cast<float>(of_block(j, 1)[from] / inverse_unit);
                    zeta_[to] = static_cast<float>(of_block(j, 2)[from]);
                    zeta_transposed_[static_cast<std::size_t>(j * size + Size{c} * k + i)] = zeta_[to];
                }
            }
        }
    }

    Size n() const { return n_blocks_ * k_; }

    /// y = L C L' v / unit, by the leading part of T that is as long as v.
    void multiply(const std::vector<float>& v, std::vector<float>& y) {
        const Size n_blocks = static_cast<Size>(v.size()) / k_;
        middle_ = v;
        for (Size j = 0; j + 1 < n_blocks; ++j) add(-1, zeta_, j, v, j + 1, middle_, j);
        std::fill(y.begin(), y.end(), 0.0f);
        for (Size j = 0; j < n_blocks; ++j) add(1, curvature_, j, middle_, j, y, j);
        for (Size j = n_blocks - 1; j > 0; --j) add(-1, zeta_transposed_, j - 1, y, j - 1, y, j);
    }

    /// y = L^-1' Xi L^-1 v / inverse_unit
    void solve(const std::vector<float>& v, std::vector<float>& y) {
        middle_ = v;
        for (Size j = 1; j < n_blocks_; ++j) add(1, zeta_transposed_, j - 1, middle_, j - 1, middle_, j);
        std::fill(y.begin(), y.end(), 0.0f);
        for (Size j = 0; j < n_blocks_; ++j) add(1, xi_, j, middle_, j, y, j);
        for (Size j = n_blocks_ - 1; j > 0; --j) add(1, zeta_, j - 1, y, j, y, j - 1);
    }

    double unit = 0, inverse_unit = 0;

private:
    /// Block `to` of y += factor M' v, M the block `which` of m and v its own block `from`; by rows of M, without sums
    /// across a vector register.
    void add(float factor, const std::vector<float>& m, Size which, const std::vector<float>& v, Size from,
             std::vector<float>& y, Size to) const {
        const float* const rows = m.data() + which * k_ * k_;
        const float* const x = v.data() + from * k_;
        float* const sums = y.data() + to * k_;
        Index c = 0;
        for (; c + 16 <= k_; c += 16) add_columns<16>(factor, rows + c, x, sums + c);
        for (; c + 4 <= k_; c += 4) add_columns<4>(factor, rows + c, x, sums + c);
        for (; c < k_; ++c) add_columns<1>(factor, rows + c, x, sums + c);
    }
    template <Index n>
    void add_columns(float factor, const float* rows, const float* x, float* y) const {
        float sums[n] = {};
        for (Index i = 0; i < k_; ++i) {
#pragma omp simd
            for (Index c = 0; c < n; ++c) sums[c] += x[i] * rows[Size{i} * k_ + c];
        }
        for (Index c = 0; c < n; ++c) y[c] += factor * sums[c];
    }

    Index k_;
    Size n_blocks_;
    std::vector<float> curvature_, xi_, zeta_, zeta_transposed_, middle_;
};

double product(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

/// The largest eigenvalue of a positive semidefinite matrix of moderate size, from below, by CG's coefficients: until
/// eight steps more add less than half a percent, as a start that holds little of the eigenvector that is looked for
/// makes others seem the last for a while. multiply(v, y): y = A v.
template <class Multiply>
std::optional<double> largest_eigenvalue(Size n, Multiply&& multiply) {
    constexpr std::size_t steps_a_look = 4, most_steps = 60;
    constexpr double close_enough = 1.005;
    constexpr double nothing_left = 1e-12;  // of r' r: steps from there on are steps of rounding
    std::mt19937_64 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> r(static_cast<std::size_t>(n)), q(r.size());
    for (float& element : r) element = uniform(random);
    std::vector<float> p = r;
    const double start = product(r, r);
    double rho = start;
    std::vector<CgCoefficients> coefficients;
    std::optional<double> largest, before_that;
    while (true) {
        multiply(p, q);
        const double alpha = rho / product(p, q);
        if (!(alpha > 0) || !std::isfinite(alpha)) break;
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= static_cast<float>(alpha) * q[i];
        const double before = rho;
        rho = product(r, r);
        coefficients.push_back({.alpha = alpha, .beta = rho / before});
        if (rho <= nothing_left * start || coefficients.size() == most_steps) break;
        if (coefficients.size() % steps_a_look == 0) {
            const auto found = ritz_extremes(coefficients);
            if (!found) break;
            if (before_that && found->largest < close_enough * *before_that) return found->largest;
            before_that = std::exchange(largest, found->largest);
        }
        for (std::size_t i = 0; i < r.size(); ++i) p[i] = r[i] + static_cast<float>(coefficients.back().beta) * p[i];
    }
    if (const auto found = ritz_extremes(coefficients)) largest = found->largest;
    return largest;
}

}  // namespace

std::optional<RitzExtremes> block_ritz_extremes(Index k, std::span<const double> matrices) {
    BlockTridiagonal t(k, matrices);
    if (t.n() == 0) return {};
    // The large end is found early: a leading part of T has it.
    const Size n_leading = std::min(Size{32} * k, t.n());
    const auto largest = largest_eigenvalue(n_leading, [&](const auto& v, auto& y) { t.multiply(v, y); });
    const auto inverse = largest_eigenvalue(t.n(), [&](const auto& v, auto& y) { t.solve(v, y); });
    if (!largest || !inverse) return {};
    RitzExtremes ends{.smallest = 1 / *inverse / t.inverse_unit, .largest = *largest * t.unit};
    ends.smallest = std::min(ends.smallest, ends.largest);  // but for rounding they are in this order
    const bool are_numbers = std::isfinite(ends.largest) && ends.smallest > 0;
    return are_numbers ? std::optional(ends) : std::nullopt;
}

}  // namespace stiefel
