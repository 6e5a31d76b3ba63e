#include "bench/suites/dense_operands.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel::bench {

namespace {

/// Rows that are compared: as many as take 2^23 products, two at least, evenly.
std::vector<Index> compared_rows(Index m, Index n, Index k) {
    const double products = static_cast<double>(n) * k;
    const auto count = static_cast<Index>(std::clamp(0x1p23 / products, 2.0, static_cast<double>(m)));
    std::vector<Index> rows;
    for (Index r = 0; r < std::min(count, m); ++r) rows.push_back(static_cast<Index>(Size{r} * m / count));
    return rows;
}

}  // namespace

DenseProduct::DenseProduct(Index rows, Index columns, Index inner, HostVector<double> left)
    : m(rows), n(columns), k(inner), a(std::move(left)), rows_(compared_rows(m, n, k)) {
    OpenMP backend;
    b = random_vector<double>(backend, Size{k} * n, 2);
    c = make_vector<double>(backend, Size{m} * n);
    reference_ = HostVector<double>(static_cast<Size>(rows_.size()) * n, 0.0);
    absolutes_ = HostVector<double>(reference_.size(), 0.0);
#pragma omp parallel for num_threads(backend.threads()) schedule(dynamic)
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        double* const sums = reference_.data() + static_cast<Size>(r) * n;
        double* const absolutes = absolutes_.data() + static_cast<Size>(r) * n;
        for (Index l = 0; l < k; ++l) {
            const double factor = a[Size{rows_[r]} * k + l];
            const double* const row = b.data() + Size{l} * n;
            for (Index j = 0; j < n; ++j) {
                sums[j] += factor * row[j];
                absolutes[j] += std::abs(factor * row[j]);
            }
        }
    }
    // A row of zeros has results of zero, exactly.
    for (double& sum : absolutes_) sum = std::max(sum, std::numeric_limits<double>::min());
}

void DenseProduct::forget() {
    std::fill(c.begin(), c.end(), std::numeric_limits<double>::quiet_NaN());
}

Deviation DenseProduct::check() const {
    HostVector<double> found(reference_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        std::copy_n(c.data() + Size{rows_[r]} * n, n, found.data() + static_cast<Size>(r) * n);
    }
    Deviation result = deviation(found, reference_, absolutes_, k);
    const bool is_written = std::none_of(c.begin(), c.end(), [](double value) { return std::isnan(value); });
    result.accepted = result.accepted && is_written;
    return result;
}

}  // namespace stiefel::bench
