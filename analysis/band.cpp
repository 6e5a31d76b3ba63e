#include "stiefel/analysis/band.hpp"

#include "stiefel/analysis/reduce_rows.hpp"

#include <algorithm>

namespace stiefel {

namespace {

struct PartialBand : BandInfo {
    void merge(const PartialBand& other) {
        lower = std::max(lower, other.lower);
        upper = std::max(upper, other.upper);
        profile += other.profile;
    }
};

}  // namespace

template <class T>
BandInfo analyse_band(OpenMP& backend, const HostCsr<T>& a) {
    return a.row_ptr.visit([&](const auto* row_ptr) -> BandInfo {
        return reduce_rows<PartialBand>(backend, a.n_rows, [&](Index i, PartialBand& band) {
            if (row_ptr[i] == row_ptr[i + 1]) return;
            const Index left = std::max(0, i - a.col_idx[row_ptr[i]]);
            const Index right = std::max(0, a.col_idx[row_ptr[i + 1] - 1] - i);
            band.lower = std::max(band.lower, left);
            band.upper = std::max(band.upper, right);
            band.profile += left;
        });
    });
}

template BandInfo analyse_band(OpenMP&, const HostCsr<float>&);
template BandInfo analyse_band(OpenMP&, const HostCsr<double>&);

}  // namespace stiefel
