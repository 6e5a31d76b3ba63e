#include "stiefel/analysis/values.hpp"

#include "stiefel/analysis/reduce_rows.hpp"

#include <algorithm>
#include <cmath>

namespace stiefel {

namespace {

struct PartialValues : ValueInfo {
    void add(Index row, Index col, double value) {
        const double magnitude = std::abs(value);
        if (!std::isfinite(value)) {
            non_finite.add(row, col);
        } else if (value == 0) {
            zero.add(row, col);
        } else {
            max_abs = std::max(max_abs, magnitude);
            min_abs = min_abs == 0 ? magnitude : std::min(min_abs, magnitude);
        }
    }

    void merge(const PartialValues& other) {
        non_finite.merge(other.non_finite);
        zero.merge(other.zero);
        max_abs = std::max(max_abs, other.max_abs);
        if (other.min_abs != 0) min_abs = min_abs == 0 ? other.min_abs : std::min(min_abs, other.min_abs);
    }
};

}  // namespace

template <class T>
ValueInfo analyse_values(OpenMP& backend, const HostCsr<T>& a) {
    return a.row_ptr.visit([&](const auto* row_ptr) -> ValueInfo {
        return reduce_rows<PartialValues>(backend, a.n_rows, [&](Index i, PartialValues& partial) {
            for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) partial.add(i, a.col_idx[k], a.values[k]);
        });
    });
}

template ValueInfo analyse_values(OpenMP&, const HostCsr<float>&);
template ValueInfo analyse_values(OpenMP&, const HostCsr<double>&);

}  // namespace stiefel
