#include "stiefel/analysis/infinity_norm.hpp"

#include "stiefel/analysis/reduce_rows.hpp"
#include "stiefel/core/larger_or_nan.hpp"

#include <cmath>

namespace stiefel {

namespace {

struct LargestSum {
    double value = 0;
    void merge(const LargestSum& other) { value = larger_or_nan(value, other.value); }
};

template <class T, class Offset>
double largest_sum(OpenMP& backend, Index n_rows, const Offset* row_ptr, const T* values) {
    const auto add = [&](Index row, LargestSum& largest) {
        double sum = 0;
        for (auto k = row_ptr[row]; k < row_ptr[row + 1]; ++k) sum += std::abs(static_cast<double>(values[k]));
        largest.merge({sum});
    };
    return reduce_rows<LargestSum>(backend, n_rows, add).value;
}

}  // namespace

template <class T>
double infinity_norm(OpenMP& backend, const HostCsr<T>& a) {
    return a.row_ptr.visit(
        [&](const auto* row_ptr) { return largest_sum(backend, a.n_rows, row_ptr, a.values.data()); });
}

double infinity_norm(OpenMP& backend, const WorldRows<double>& a) {
    return largest_sum(backend, a.n_rows(), a.row_ptr.data(), a.values.data());
}

template double infinity_norm(OpenMP&, const HostCsr<double>&);
template double infinity_norm(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel
