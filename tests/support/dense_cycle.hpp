#pragma once

#include "stiefel/preconditioner/amg/cycles.hpp"
#include "stiefel/preconditioner/amg/hierarchy.hpp"

#include "support/dense_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace stiefel::test {

/// Multigrid's cycle by dense matrices in extended precision, from what build_hierarchy() makes. Matrices are scaled to
/// a unit diagonal, as the cycle's are.
class DenseCycle {
public:
    using Values = std::vector<long double>;

    /// smoother: chebyshev, l1-jacobi or spai0.
    DenseCycle(std::string_view smoother, const amg::CycleKind& kind) : smoother_(smoother), kind_(kind) {}

    /// Level after level. is_twice: visited by the level above.
    void add(const amg::Level& level, bool is_twice) {
        Dense& to = levels_.emplace_back();
        to.is_twice = is_twice;
        const Values root = powers(level.diagonal, 0.5L), inverse_root = powers(level.diagonal, -0.5L);
        if (levels_.size() > 1) levels_[levels_.size() - 2].lead_to(inverse_root);
        to.a = scaled(level.a, inverse_root, inverse_root);
        to.steps = {step(to.a, level.spectral_radius, 0), step(to.a, level.spectral_radius, 1)};
        if (level.inverse != nullptr) to.inverse = scaled(*level.inverse, root, root);
        if (!level.transfer) return;
        const Values below(static_cast<std::size_t>(level.transfer->prolongation.n_cols), 1);  // until it is added
        to.prolong = scaled(level.transfer->prolongation, root, below);
        to.restrict_ = scaled(level.transfer->restriction, below, root);
    }

    /// x = M r of the finest level, scaled as it is.
    Values operator()(const Values& r) const { return run(0, r); }

private:
    /// A smoother's step  d = rho d + sigma r  with a factor for each row.
    struct Step {
        long double rho;
        Values sigma;
    };

    struct Dense {
        DenseMatrix a{0, 0}, inverse{0, 0}, prolong{0, 0}, restrict_{0, 0};
        std::array<Step, 2> steps;
        bool is_twice = false;

        /// The next level, by what its unknowns are scaled with.
        void lead_to(const Values& inverse_root) {
            const auto n = static_cast<Index>(inverse_root.size());
            for (Index j = 0; j < n; ++j) {
                for (Index i = 0; i < prolong.n_rows; ++i) prolong(i, j) *= inverse_root[static_cast<std::size_t>(j)];
                for (Index i = 0; i < restrict_.n_cols; ++i)
                    restrict_(j, i) *= inverse_root[static_cast<std::size_t>(j)];
            }
        }
    };

    static Values powers(const HostVector<double>& diagonal, long double exponent) {
        Values all;
        for (const long double value : diagonal) all.push_back(std::pow(value, exponent));
        return all;
    }
    static DenseMatrix scaled(const HostCsr<double>& a, const Values& rows, const Values& columns) {
        DenseMatrix dense = dense_matrix(a);
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Index j = 0; j < a.n_cols; ++j) {
                dense(i, j) *= rows[static_cast<std::size_t>(i)] * columns[static_cast<std::size_t>(j)];
            }
        }
        return dense;
    }

    /// y += factor A x
    static void add_product(const DenseMatrix& a, const Values& x, long double factor, Values& y) {
        const long double* row = a.values.data();
        for (long double& sum : y) {
            long double product = 0;
            for (std::size_t j = 0; j < x.size(); ++j) product += row[j] * x[j];
            sum += factor * product;
            row += x.size();
        }
    }
    static Values product(const DenseMatrix& a, const Values& x) {
        Values y(static_cast<std::size_t>(a.n_rows), 0);
        add_product(a, x, 1, y);
        return y;
    }

    /// On [upper / 7, upper] (Saad 2003, algorithm 12.1); or by weights of rows.
    Step step(const DenseMatrix& a, long double upper, int k) const {
        if (smoother_ == "chebyshev") {
            const auto n = static_cast<std::size_t>(a.n_rows);
            const long double lower = upper / 7, theta = (upper + lower) / 2, delta = (upper - lower) / 2;
            const long double first = delta / theta, second = 1 / (2 * theta / delta - first);
            return k == 0 ? Step{0, Values(n, 1 / theta)} : Step{second * first, Values(n, 2 * second / delta)};
        }
        Step step{0, {}};
        for (Index i = 0; i < a.n_rows; ++i) {
            long double absolutes = 0, squares = 0;
            for (Index j = 0; j < a.n_cols; ++j) {
                absolutes += std::abs(a(i, j));
                squares += a(i, j) * a(i, j);
            }
            step.sigma.push_back(smoother_ == "spai0" ? std::min(1 / squares, 1.9L / absolutes) : 1 / absolutes);
        }
        return step;
    }

    /// Two steps from x and the r that belongs to it.
    static void smooth(const Dense& level, Values& x, Values& r) {
        Values d(x.size(), 0);
        for (const Step& step : level.steps) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                d[i] = step.rho * d[i] + step.sigma[i] * r[i];
                x[i] += d[i];
            }
            add_product(level.a, d, -1, r);
        }
    }

    Values run(std::size_t l, Values r) const {
        const Dense& level = levels_[l];
        if (level.inverse.n_rows > 0) return product(level.inverse, r);
        Values x(r.size(), 0);
        smooth(level, x, r);
        if (level.prolong.n_rows == 0) return x;
        const Values e = product(level.prolong, visit(l + 1, product(level.restrict_, r)));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += e[i];
        add_product(level.a, e, -1, r);
        smooth(level, x, r);
        return x;
    }

    Values visit(std::size_t l, Values r) const {
        if (!levels_[l].is_twice) return run(l, r);
        Values x = run(l, r);
        for (long double& value : x) value *= kind_.weights[0];
        add_product(levels_[l].a, x, -1, r);
        const Values more = run(l, r);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += kind_.weights[1] * more[i];
        return x;
    }

    std::vector<Dense> levels_;
    std::string_view smoother_;
    const amg::CycleKind& kind_;
};

}  // namespace stiefel::test
