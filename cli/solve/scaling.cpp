#include "stiefel/cli/solve/scaling.hpp"

#include "stiefel/core/larger_or_nan.hpp"

#include <cmath>
#include <utility>

namespace stiefel::cli {

namespace {

/// The norm of what f gives for 0 .. n - 1.
template <class F>
double norm_of(Size n, F&& f) {
    double largest = 0;
    for (Size i = 0; i < n; ++i) largest = larger_or_nan(largest, std::abs(f(i)));
    if (!(largest > 0) || !std::isfinite(largest)) return largest;
    double sum = 0;
    for (Size i = 0; i < n; ++i) sum += std::pow(f(i) / largest, 2);
    return largest * std::sqrt(sum);
}

/// Element by element, for all columns.
template <class T, class F>
bool change(const HostVector<T>& scale, HostVector<T>& v, F&& changed) {
    bool is_exact = true;
    const Size n = scale.size();
    for (Size begin = 0; begin < v.size(); begin += n) {
        for (Size i = 0; i < n; ++i) {
            T& element = v[begin + i];
            const auto [now, again] = changed(element, scale[i]);
            is_exact = is_exact && (again == element || std::isnan(element));
            element = now;
        }
    }
    return is_exact;
}

}  // namespace

template <class T>
HostVector<T> diagonal_scale(const HostCsr<T>& a) {
    HostVector<T> scale(a.n_rows);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            Size e = row_ptr[i];
            while (a.col_idx[e] != i) ++e;
            scale[i] = std::ldexp(T{1}, -static_cast<int>(std::lround(std::log2(a.values[e]) / 2)));
        }
    });
    return scale;
}

template <class T>
void scale_symmetrically(OpenMP& host, const HostVector<T>& scale, HostCsr<T>& a) {
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(host.threads()) schedule(static) if (a.nnz() > 100000)
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
                // The one that brings the entry towards 1 first: no product on the way leaves the range.
                const T own = scale[i], other = scale[a.col_idx[e]];
                const bool own_first = (std::abs(a.values[e]) < 1) == (own > other);
                a.values[e] = own_first ? a.values[e] * own * other : a.values[e] * other * own;
            }
        }
    });
}

template <class T>
bool multiply_by(const HostVector<T>& scale, HostVector<T>& v) {
    return change(scale, v, [](T element, T d) { return std::pair(element * d, element * d / d); });
}

template <class T>
bool divide_by(const HostVector<T>& scale, HostVector<T>& v) {
    return change(scale, v, [](T element, T d) { return std::pair(element / d, element / d * d); });
}

template <class T>
double unscaled_norm(const HostVector<T>& scale, const T* v, Size n) {
    if (scale.empty()) return norm_of(n, [&](Size i) { return static_cast<double>(v[i]); });
    return norm_of(n, [&](Size i) { return static_cast<double>(v[i]) / static_cast<double>(scale[i]); });
}

template <class T>
double scaled_norm(const HostVector<T>& scale, const T* v, Size n) {
    return norm_of(n, [&](Size i) { return static_cast<double>(v[i]) * static_cast<double>(scale[i]); });
}

template HostVector<double> diagonal_scale(const HostCsr<double>&);
template HostVector<float> diagonal_scale(const HostCsr<float>&);
template void scale_symmetrically(OpenMP&, const HostVector<double>&, HostCsr<double>&);
template void scale_symmetrically(OpenMP&, const HostVector<float>&, HostCsr<float>&);
template bool multiply_by(const HostVector<double>&, HostVector<double>&);
template bool multiply_by(const HostVector<float>&, HostVector<float>&);
template bool divide_by(const HostVector<double>&, HostVector<double>&);
template bool divide_by(const HostVector<float>&, HostVector<float>&);
template double unscaled_norm(const HostVector<double>&, const double*, Size);
template double unscaled_norm(const HostVector<float>&, const float*, Size);
template double scaled_norm(const HostVector<double>&, const double*, Size);
template double scaled_norm(const HostVector<float>&, const float*, Size);

}  // namespace stiefel::cli
