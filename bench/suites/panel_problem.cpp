#include "bench/suites/panel_problem.hpp"

#include "bench/operands.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace stiefel::bench {

namespace {

/// A sum and that of the absolute terms.
struct SumOfTerms {
    long double value = 0, absolute = 0;

    void add(long double term) {
        value += term;
        absolute += std::abs(term);
    }
};

/// A row of k numbers times v.
SumOfTerms times_vector(const double* row, const HostVector<double>& v) {
    SumOfTerms sum;
    for (Size j = 0; j < v.size(); ++j) sum.add(static_cast<long double>(row[j]) * v[j]);
    return sum;
}

}  // namespace

PanelProblem::PanelProblem(Index rows, Index columns) : n(rows), k(columns), small(Size{k} * k), v_(k) {
    OpenMP host;
    x = random_vector<double>(host, Size{n} * k, 1);
    y_before = random_vector<double>(host, Size{n} * k, 2);
    b = random_vector<double>(host, Size{k} * k, 3);
    y = make_vector<double>(host, Size{n} * k);
    const HostVector<double> random = random_vector<double>(host, k, 4);
    for (Index j = 0; j < k; ++j) v_[j] = random[j] + (random[j] > 0 ? 0.5 : -0.5);
}

void PanelProblem::prepare(PanelOperation operation) {
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    if (is_gram(operation)) {
        std::ranges::fill(small, nothing);
    } else {
        std::ranges::copy(b, small.begin());
    }
    if (operation == PanelOperation::product) {
        std::ranges::fill(y, nothing);
    } else {
        std::ranges::copy(y_before, y.begin());
    }
}

Deviation PanelProblem::check(PanelOperation operation, double alpha) {
    return is_gram(operation) ? check_gram(operation) : check_update(operation == PanelOperation::update, alpha);
}

PanelProblem::GramTimesVector PanelProblem::gram_times_vector(const HostVector<double>& q) const {
    std::vector<SumOfTerms> sums(static_cast<std::size_t>(k));
#pragma omp parallel
    {
        std::vector<SumOfTerms> own(sums.size());
#pragma omp for schedule(static) nowait
        for (Index i = 0; i < n; ++i) {
            const SumOfTerms of_row = times_vector(q.data() + Size{i} * k, v_);
            for (std::size_t j = 0; j < own.size(); ++j) {
                const long double factor = x[Size{i} * k + static_cast<Size>(j)];
                own[j].value += factor * of_row.value;
                own[j].absolute += std::abs(factor) * of_row.absolute;
            }
        }
#pragma omp critical
        for (std::size_t j = 0; j < own.size(); ++j) {
            sums[j].value += own[j].value;
            sums[j].absolute += own[j].absolute;
        }
    }
    GramTimesVector product{HostVector<double>(k), HostVector<double>(k)};
    for (Index j = 0; j < k; ++j) {
        product.value[j] = static_cast<double>(sums[static_cast<std::size_t>(j)].value);
        product.absolute[j] = static_cast<double>(sums[static_cast<std::size_t>(j)].absolute);
    }
    return product;
}

Deviation PanelProblem::check_gram(PanelOperation operation) {
    const bool of_one = operation == PanelOperation::gram_of_one;
    std::optional<GramTimesVector>& exact = grams_[of_one];
    if (!exact) exact = gram_times_vector(of_one ? x : y_before);
    HostVector<double> found(k);
    for (Index i = 0; i < k; ++i) {
        found[i] = static_cast<double>(times_vector(small.data() + Size{i} * k, v_).value);
    }
    return deviation(found, exact->value, exact->absolute, n);
}

Deviation PanelProblem::check_update(bool accumulates, double alpha) const {
    std::vector<SumOfTerms> bv;
    for (Index l = 0; l < k; ++l) bv.push_back(times_vector(b.data() + Size{l} * k, v_));
    HostVector<double> found(n), exact(n), absolute(n);
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < n; ++i) {
        const Size row = Size{i} * k;
        SumOfTerms sum = accumulates ? times_vector(y_before.data() + row, v_) : SumOfTerms{};
        for (Index l = 0; l < k; ++l) {
            const long double factor = static_cast<long double>(alpha) * x[row + l];
            const SumOfTerms& of_row = bv[static_cast<std::size_t>(l)];
            sum.value += factor * of_row.value;
            sum.absolute += std::abs(factor) * of_row.absolute;
        }
        found[i] = static_cast<double>(times_vector(y.data() + row, v_).value);
        exact[i] = static_cast<double>(sum.value);
        absolute[i] = static_cast<double>(sum.absolute);
    }
    return deviation(found, exact, absolute, Size{k} + 2);
}

}  // namespace stiefel::bench
