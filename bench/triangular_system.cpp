#include "bench/triangular_system.hpp"

#include "stiefel/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace stiefel::bench {

namespace {

using Extended = std::vector<long double>;

/// L L' z, and |L| |L'| |z|.
struct CheckedProduct {
    Extended value, absolute;
};

template <class T>
CheckedProduct both_triangles_times(const cholesky::IncompleteFactor<T>& l, const HostVector<T>& z) {
    const auto n = static_cast<std::size_t>(l.n);
    CheckedProduct product{Extended(n, 0), Extended(n, 0)};
    Extended middle(n, 0), middle_absolute(n, 0);
    const auto for_entries = [&](auto&& f) {
        for (std::size_t j = 0; j < n; ++j) {
            for (Size k = l.start[j]; k < l.start[j + 1]; ++k) {
                const auto place = static_cast<std::size_t>(k);
                f(static_cast<std::size_t>(l.rows[place]), j, static_cast<long double>(l.values[place]));
            }
        }
    };
    for_entries([&](std::size_t i, std::size_t j, long double value) {
        const long double term = value * static_cast<long double>(z[static_cast<Size>(i)]);
        middle[j] += term;
        middle_absolute[j] += std::abs(term);
    });
    for_entries([&](std::size_t i, std::size_t j, long double value) {
        product.value[i] += value * middle[j];
        product.absolute[i] += std::abs(value) * middle_absolute[j];
    });
    return product;
}

/// Entries of the longest row or column.
template <class T>
Size longest_of(const cholesky::IncompleteFactor<T>& l) {
    std::vector<Size> rows(static_cast<std::size_t>(l.n), 0);
    for (const Index i : l.rows) ++rows[static_cast<std::size_t>(i)];
    Size longest = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) longest = std::max({longest, rows[j], l.start[j + 1] - l.start[j]});
    return longest;
}

}  // namespace

template <class T>
TriangularSystem<T>::TriangularSystem(const HostCsr<T>& a) : factor_(cholesky::incomplete_factor(a, {})), r_(a.n_rows) {
    for (Size i = 0; i < r_.size(); ++i) r_[i] = static_cast<T>(0.5 + static_cast<double>((i * 7919) % 1000) / 1000);
}

template <class T>
Work TriangularSystem<T>::work() const {
    const auto nonzeros = static_cast<double>(factor_.nonzeros());
    return {.bytes = 2 * nonzeros * (sizeof(T) + sizeof(Index)) + 4.0 * factor_.n * sizeof(T), .flops = 4 * nonzeros};
}

template <class T>
Deviation TriangularSystem<T>::deviation(const HostVector<T>& z, double grown) const {
    const CheckedProduct product = both_triangles_times(factor_, z);
    // Twice: a product with 1 / l_ii rounds once more than a division.
    const double bound = 4 * grown * static_cast<double>(longest_of(factor_) + 3) * std::numeric_limits<T>::epsilon();
    const long double largest = product.absolute.empty() ? 0 : *std::ranges::max_element(product.absolute);
    Deviation result;
    double sum = 0;
    for (std::size_t i = 0; i < product.value.size(); ++i) {
        const long double off = std::abs(product.value[i] - static_cast<long double>(r_[static_cast<Size>(i)]));
        const auto error = static_cast<double>(off / (grown > 1 ? largest : product.absolute[i]));
        if (!(error <= bound)) result.accepted = false;
        if (!(error <= result.largest)) result.largest = error;
        sum += error;
    }
    result.mean = sum / static_cast<double>(product.value.size());
    return result;
}

template <class T>
HostCsr<T> upper_csr(const cholesky::IncompleteFactor<T>& l) {
    HostCsr<T> a{.n_rows = l.n, .n_cols = l.n};
    require(l.nonzeros() <= std::numeric_limits<std::int32_t>::max(),
            "triangular: the factor has 2^31 nonzeros or more");
    HostVector<std::int32_t> offsets(static_cast<Size>(l.start.size()));
    std::ranges::transform(l.start, offsets.begin(), [](Size k) { return static_cast<std::int32_t>(k); });
    a.row_ptr = RowOffsets<HostMemory>(std::move(offsets));
    a.col_idx = HostVector<Index>(l.nonzeros());
    a.values = HostVector<T>(l.nonzeros());
    std::ranges::copy(l.rows, a.col_idx.begin());
    std::ranges::copy(l.values, a.values.begin());
    return a;
}

template <class T>
void substitute(const cholesky::IncompleteFactor<T>& l, const HostVector<T>& r, HostVector<T>& z) {
    const auto [n, start, rows, values] = l.columns();
    std::ranges::copy(r, z.begin());
    for (Index j = 0; j < n; ++j) {
        const Size first = start[j];
        const T x = z[j] / values[first];
        z[j] = x;
        for (Size k = first + 1; k < start[j + 1]; ++k) z[rows[k]] -= values[k] * x;
    }
    for (Index j = n; j-- > 0;) {
        const Size first = start[j];
        T rest = z[j];
        for (Size k = first + 1; k < start[j + 1]; ++k) rest -= values[k] * z[rows[k]];
        z[j] = rest / values[first];
    }
}

template class TriangularSystem<double>;
template class TriangularSystem<float>;
template HostCsr<double> upper_csr(const cholesky::IncompleteFactor<double>&);
template HostCsr<float> upper_csr(const cholesky::IncompleteFactor<float>&);
template void substitute(const cholesky::IncompleteFactor<double>&, const HostVector<double>&, HostVector<double>&);
template void substitute(const cholesky::IncompleteFactor<float>&, const HostVector<float>&, HostVector<float>&);

}  // namespace stiefel::bench
