#include "stiefel/preconditioner/amg/pairs.hpp"

#include "stiefel/preconditioner/amg/pair_wish.hpp"
#include "stiefel/preconditioner/amg/strength.hpp"
#include "stiefel/spmv/products/build_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace stiefel::amg {

namespace {

constexpr Size least_parallel = 20000;  // nonzeros

/// Who is matched with whom.
template <class Offset>
class Matching {
public:
    Matching(OpenMP& backend, const HostCsr<double>& a, const Offset* row_ptr, const HostVector<double>& diagonal)
        : backend_(backend),
          a_(a),
          row_ptr_(row_ptr),
          root_(a.n_rows),
          least_(a.n_rows),
          wanted_(a.n_rows),
          mate_(a.n_rows) {
        measure_couplings(diagonal);
    }

    HostVector<Index> run() {
        constexpr int rounds = 4;
        for (int round = 0; round < rounds; ++round) match_mutual(round == 0);
        for (Index i = 0; i < a_.n_rows; ++i) {
            if (wanted_[i] == Pairs::none || mate_[i] != Pairs::none) continue;
            const Index j = most_wanted(i);
            if (j != Pairs::none) match(i, j), match(j, i);
        }
        return std::move(mate_);
    }

private:
    static constexpr Size lanes = 8;
    static constexpr double taken = std::numeric_limits<double>::infinity();

    void measure_couplings(const HostVector<double>& diagonal) {
#pragma omp parallel num_threads(backend_.threads()) if (a_.nnz() > least_parallel)
        {
#pragma omp for schedule(static)
            for (Index i = 0; i < a_.n_rows; ++i) root_[i] = 1 / std::sqrt(diagonal[i]);
#pragma omp for schedule(static)
            for (Index i = 0; i < a_.n_rows; ++i) {
                double most = 0;
                for (Size k = row_ptr_[i]; k < row_ptr_[i + 1]; ++k) {
                    const Index j = a_.col_idx[k];
                    most = std::max(most, j != i ? std::abs(a_.values[k]) * root_[j] : 0.0);
                }
                least_[i] = Strength::theta * most * root_[i];
                mate_[i] = Pairs::none;
            }
        }
    }

    /// Eight entries at a time, and without a branch, since none of what decides can be foretold.
    Index most_wanted(Index i) const {
        const Size end = row_ptr_[i + 1];
        std::uint64_t most = 0;
        for (Size k = row_ptr_[i]; k < end; k += lanes) {
            if (k + lanes <= a_.nnz()) {
                most = std::max(most, most_wanted_of_eight(i, k, end));
            } else {
                for (Size last = k; last < end; ++last) most = std::max(most, wish(i, last));
            }
        }
        return most != 0 ? PairWish::other(i, most) : Pairs::none;
    }
    std::uint64_t most_wanted_of_eight(Index i, Size k, Size end) const {
        std::uint64_t most = 0;
#pragma omp simd reduction(max : most)
        for (Size lane = 0; lane < lanes; ++lane) {
            const std::uint64_t wanted = wish(i, k + lane);
            most = std::max(most, k + lane < end ? wanted : 0);
        }
        return most;
    }
    /// 0 where they may not be paired.
    std::uint64_t wish(Index i, Size k) const {
        const Index j = a_.col_idx[k];
        const double coupling = -a_.values[k] * (root_[i] * root_[j]);  // the same bits for j and i
        // Without branches; never NaN.
        const int counts = int{coupling > 0} & int{coupling >= least_[i]} & int{coupling >= least_[j]} & int{j != i};
        const std::uint64_t wanted = PairWish::of(static_cast<float>(coupling), i, j);
        return counts != 0 ? wanted : 0;
    }

    /// From now on no coupling of i is large enough.
    void match(Index i, Index j) {
        mate_[i] = j;
        least_[i] = taken;
    }

    /// Those who want each other most.
    void match_mutual(bool is_first) {
        const Index n = a_.n_rows;
#pragma omp parallel num_threads(backend_.threads()) if (a_.nnz() > least_parallel)
        {
#pragma omp for schedule(static)
            for (Index i = 0; i < n; ++i) {
                const bool is_free = mate_[i] == Pairs::none && (is_first || wanted_[i] != Pairs::none);
                wanted_[i] = is_free ? most_wanted(i) : Pairs::none;
            }
#pragma omp for schedule(static)
            for (Index i = 0; i < n; ++i) {
                if (const Index j = wanted_[i]; j != Pairs::none && wanted_[j] == i) match(i, j);
            }
        }
    }

    OpenMP& backend_;
    const HostCsr<double>& a_;
    const Offset* row_ptr_;
    HostVector<double> root_;
    HostVector<double> least_;  // coupling that counts
    HostVector<Index> wanted_;
    HostVector<Index> mate_;
};

}  // namespace

Pairs strongest_pairs(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal) {
    const HostVector<Index> mate =
        a.row_ptr.visit([&](const auto* row_ptr) { return Matching(backend, a, row_ptr, diagonal).run(); });
    const Index n = a.n_rows;
    HostVector<Index> number(Size{n} + 1);
    const auto leads = [&](Index i) { return mate[i] == Pairs::none || mate[i] > i; };
    number[0] = 0;
    for (Index i = 0; i < n; ++i) number[Size{i} + 1] = leads(i);
    inclusive_scan(backend, number.data(), number.size());
    Pairs pairs{
        .first = HostVector<Index>(number[n]), .second = HostVector<Index>(number[n]), .of_node = HostVector<Index>(n)};
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (a.nnz() > least_parallel)
    for (Index i = 0; i < n; ++i) {
        if (!leads(i)) continue;
        const Index pair = number[i];
        pairs.first[pair] = i;
        pairs.second[pair] = mate[i];
        pairs.of_node[i] = pair;
        if (mate[i] != Pairs::none) pairs.of_node[mate[i]] = pair;
    }
    return pairs;
}

HostCsr<double> sum_of_pairs(OpenMP& backend, const HostCsr<double>& a, const HostVector<Index>& pair_of_node,
                             const Pairs& pairs, double factor) {
    return a.row_ptr.visit([&](const auto* row_ptr) {
        return build_rows<double>(backend, pairs.count(), pairs.count(), [&](Index pair, RowSum<double>& row) {
            for (const Index i : {pairs.first[pair], pairs.second[pair]}) {
                if (i == Pairs::none) continue;
                for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
                    row.add(pair_of_node[a.col_idx[k]], factor * a.values[k]);
            }
        });
    });
}

}  // namespace stiefel::amg
