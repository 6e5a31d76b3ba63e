#include "stiefel/analysis/coupling_strength.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiefel {

void PartialCouplings::merge(const PartialCouplings& other) {
    strongest = std::max(strongest, other.strongest);
    sum_of_strongest += other.sum_of_strongest;
    sum += other.sum;
    trace += other.trace;
}

CouplingStrength PartialCouplings::of_rows(Index n) const {
    return {.strongest = strongest, .mean_strongest = sum_of_strongest / n, .quotient_of_ones = sum / trace};
}

template <class T>
CouplingStrength coupling_strength(const HostCsr<T>& a, int threads) {
    if (a.n_rows == 0) return {};
    constexpr Index rows_of_chunk = 512;  // summed by themselves, whoever does it
    const Index chunks = (a.n_rows - 1) / rows_of_chunk + 1;
    std::vector<PartialCouplings> of_chunk(static_cast<std::size_t>(chunks));
    HostVector<double> roots(a.n_rows);
    a.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel num_threads(threads) if (a.nnz() > 20000)
        {
#pragma omp for schedule(static)
            for (Index i = 0; i < a.n_rows; ++i) {
                const Index* const begin = a.col_idx.data() + row_ptr[i];
                const Index* const end = a.col_idx.data() + row_ptr[i + 1];
                const auto diagonal = std::lower_bound(begin, end, i) - a.col_idx.data();
                roots[i] = 1 / std::sqrt(static_cast<double>(a.values[diagonal]));
            }
#pragma omp for schedule(static)
            for (Index chunk = 0; chunk < chunks; ++chunk) {
                PartialCouplings found;
                const auto end = static_cast<Index>(std::min<Size>(a.n_rows, (Size{chunk} + 1) * rows_of_chunk));
                for (Index i = chunk * rows_of_chunk; i < end; ++i) {
                    double sum = 0, strongest = 0;  // this one times the root of the own diagonal
                    auto k = row_ptr[i];
                    const auto add_coupling = [&] {
                        const auto value = static_cast<double>(a.values[k]);
                        sum += value;
                        strongest = std::max(strongest, std::abs(value) * roots[a.col_idx[k]]);
                    };
                    while (a.col_idx[k] < i) {
                        add_coupling();
                        ++k;
                    }
                    const auto diagonal = static_cast<double>(a.values[k]);
                    while (++k < row_ptr[i + 1]) add_coupling();
                    strongest *= roots[i];
                    found.sum += sum + diagonal;
                    found.trace += diagonal;
                    found.sum_of_strongest += strongest;
                    found.strongest = std::max(found.strongest, strongest);
                }
                of_chunk[static_cast<std::size_t>(chunk)] = found;
            }
        }
    });
    PartialCouplings total;
    for (const PartialCouplings& one : of_chunk) total.merge(one);
    return total.of_rows(a.n_rows);
}

template CouplingStrength coupling_strength(const HostCsr<double>&, int);
template CouplingStrength coupling_strength(const HostCsr<float>&, int);

}  // namespace stiefel
