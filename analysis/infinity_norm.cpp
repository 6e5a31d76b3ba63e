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

}  // namespace

template <class T>
double infinity_norm(OpenMP& backend, const HostCsr<T>& a) {
    const T* const values = a.values.data();
    return a.row_ptr.visit([&](const auto* row_ptr) {
        return reduce_rows<LargestSum>(backend, a.n_rows,
                                       [&](Index row, LargestSum& largest) {
                                           double sum = 0;
                                           for (auto k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
                                               sum += std::abs(static_cast<double>(values[k]));
                                           largest.merge({sum});
                                       })
            .value;
    });
}

template double infinity_norm(OpenMP&, const HostCsr<double>&);
template double infinity_norm(OpenMP&, const HostCsr<float>&);

}  // namespace stiefel
