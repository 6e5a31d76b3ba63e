#include "stiefel/preconditioner/amg/pairs.hpp"

#include "stiefel/spmv/products/build_rows.hpp"
#include "stiefel/spmv/products/stored_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace stiefel::amg {

namespace {

constexpr Size least_parallel = 20000;  // nonzeros

/// Who is matched with whom.
template <class Rows>
class Matching {
public:
    Matching(OpenMP& backend, const Rows& rows, Size nnz, const HostVector<double>& diagonal, const GridPlaces& places)
        : backend_(backend),
          rows_(rows),
          n_(rows.n_rows()),
          is_parallel_(nnz > least_parallel),
          places_(places),
          root_(n_),
          per_largest_(n_),
          wanted_(n_),
          mate_(n_) {
        measure_couplings(diagonal);
    }

    HostVector<Index> run() {
        constexpr int rounds = 4;
        match_mutual(n_, [](Index i) { return i; });
        const HostVector<Index> left = left_over();
        for (int round = 1; round < rounds; ++round) {
            match_mutual(static_cast<Index>(left.size()), [&](Index k) { return left[k]; });
        }
        for (const Index i : left) {
            if (!is_free(i)) continue;
            const Index j = most_wanted(i);
            if (j != Pairs::none) match(i, j), match(j, i);
        }
        return std::move(mate_);
    }

private:
    void measure_couplings(const HostVector<double>& diagonal) {
#pragma omp parallel num_threads(backend_.threads()) if (is_parallel_)
        {
#pragma omp for schedule(static)
            for (Index i = 0; i < n_; ++i) root_[i] = 1 / std::sqrt(diagonal[i]);
#pragma omp for schedule(static)
            for (Index i = 0; i < n_; ++i) {
                per_largest_[i] = 1 / largest_coupling(i);
                mate_[i] = Pairs::none;
                wanted_[i] = i;
            }
        }
    }

    double largest_coupling(Index i) const {
        const Entries<double> row = rows_.row(i);
        double most = 0;
        for (Size k = 0; k < row.n; ++k) {
            const Index j = row.cols[k];
            most = std::max(most, j != i ? std::abs(row.values[k]) * root_[j] : 0.0);
        }
        return most * root_[i];
    }

    Index most_wanted(Index i) const {
        const Entries<double> row = rows_.row(i);
        const double root = root_[i], per_largest = per_largest_[i];
        const Index number = places_.number(i);
        std::uint64_t most = 0;
        Index wanted = Pairs::none, rival = Pairs::none;  // so far the most wanted, and one wanted as much
        for (Size k = 0; k < row.n; ++k) {
            const Index j = row.cols[k];
            const double coupling = -row.values[k] * (root * root_[j]);  // the same bits for j and i
            const float closeness = PairWish::closeness(coupling, per_largest, per_largest_[j]);
            // None for the node itself, whose coupling is negative.
            const std::uint64_t wish = closeness > 0 ? PairWish::by_closeness(closeness, number, places_.number(j)) : 0;
            rival = wish > most ? Pairs::none : wish == most ? j : rival;
            wanted = wish > most ? j : wanted;
            most = std::max(most, wish);
        }
        if (most == 0 || rival == Pairs::none) return wanted;
        const auto by_place = [&](Index j) { return PairWish::by_place(number, places_.number(j), *places_.lines); };
        return by_place(rival) > by_place(wanted) ? rival : wanted;
    }

    /// From now on nobody is close to i.
    void match(Index i, Index j) {
        mate_[i] = j;
        per_largest_[i] = 0;
    }

    /// Alone, and not found to want nobody.
    bool is_free(Index i) const {
        return mate_[i] == Pairs::none && wanted_[i] != Pairs::none;
    }

    /// Those who want each other most, of n nodes: node(0), node(1), ...
    template <class Node>
    void match_mutual(Index n, const Node& node) {
#pragma omp parallel num_threads(backend_.threads()) if (is_parallel_ && n > 0)
        {
#pragma omp for schedule(static)
            for (Index k = 0; k < n; ++k) {
                const Index i = node(k);
                wanted_[i] = is_free(i) ? most_wanted(i) : Pairs::none;
            }
#pragma omp for schedule(static)
            for (Index k = 0; k < n; ++k) {
                const Index i = node(k);
                if (const Index j = wanted_[i]; j != Pairs::none && wanted_[j] == i) match(i, j);
            }
        }
    }

    /// Those who are free, ascending: on a grid hardly any after the first round.
    HostVector<Index> left_over() const {
        const int shares = is_parallel_ ? backend_.threads() : 1;
        const auto for_free = [&](int share, auto&& f) {
            const Size end = Size{n_} * (share + 1) / shares;
            for (Size i = Size{n_} * share / shares; i < end; ++i) {
                if (is_free(static_cast<Index>(i))) f(static_cast<Index>(i));
            }
        };
        std::vector<Size> ends(static_cast<std::size_t>(shares));
#pragma omp parallel for num_threads(shares) schedule(static, 1)
        for (int share = 0; share < shares; ++share) {
            Size count = 0;
            for_free(share, [&](Index) { ++count; });
            ends[static_cast<std::size_t>(share)] = count;
        }
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        HostVector<Index> left(ends.back());
#pragma omp parallel for num_threads(shares) schedule(static, 1)
        for (int share = 0; share < shares; ++share) {
            Size place = share > 0 ? ends[static_cast<std::size_t>(share) - 1] : 0;
            for_free(share, [&](Index i) { left[place++] = i; });
        }
        return left;
    }

    OpenMP& backend_;
    const Rows& rows_;
    Index n_;
    bool is_parallel_;
    const GridPlaces& places_;
    HostVector<double> root_;
    HostVector<double> per_largest_;  // coupling
    HostVector<Index> wanted_;
    HostVector<Index> mate_;
};

Pairs numbered(OpenMP& backend, const HostVector<Index>& mate, bool is_parallel) {
    const auto n = static_cast<Index>(mate.size());
    HostVector<Index> number(Size{n} + 1);
    const auto leads = [&](Index i) { return mate[i] == Pairs::none || mate[i] > i; };
    number[0] = 0;
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (is_parallel)
    for (Index i = 0; i < n; ++i) number[Size{i} + 1] = leads(i);
    inclusive_scan(backend, number.data(), number.size());
    Pairs pairs{
        .first = HostVector<Index>(number[n]), .second = HostVector<Index>(number[n]), .of_node = HostVector<Index>(n)};
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (is_parallel)
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

/// What adds up the row of a pair.
template <class Rows>
auto row_of_pair(const Rows& rows, const Pairs& pairs, double factor) {
    return [&rows, &pairs, factor](Index pair, RowSum<double>& sum) {
        RowSum<double> to = sum;
        for (const Index i : {pairs.first[pair], pairs.second[pair]}) {
            if (i == Pairs::none) continue;
            const Entries<double> row = rows.row(i);
            for (Size k = 0; k < row.n; ++k) to.add(pairs.of_node[row.cols[k]], factor * row.values[k]);
        }
        sum = to;
    };
}

HostVector<double> diagonal_of(OpenMP& backend, const FoundRows<double>& a, bool is_parallel) {
    HostVector<double> diagonal(a.n_rows());
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (is_parallel)
    for (Index i = 0; i < a.n_rows(); ++i) {
        const Entries<double> row = a.row(i);
        const Index* found = std::find(row.cols, row.cols + row.n, i);
        diagonal[i] = found != row.cols + row.n ? row.values[found - row.cols] : 0;
    }
    return diagonal;
}

}  // namespace

GridLines lines_of(const HostCsr<double>& a) {
    return with_rows_of(a, [&](const auto& rows) { return grid_lines(rows, a.n_rows); });
}

Pairs strongest_pairs(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal,
                      const GridPlaces& places) {
    const HostVector<Index> mate =
        with_rows_of(a, [&](const auto& rows) { return Matching(backend, rows, a.nnz(), diagonal, places).run(); });
    return numbered(backend, mate, a.nnz() > least_parallel);
}

Pairs strongest_pairs(OpenMP& backend, const FoundRows<double>& a, const GridPlaces& places) {
    const Size nnz = a.nnz();
    const bool is_parallel = nnz > least_parallel;
    const HostVector<double> diagonal = diagonal_of(backend, a, is_parallel);
    return numbered(backend, Matching(backend, a, nnz, diagonal, places).run(), is_parallel);
}

HostVector<Index> numbers_of(OpenMP& backend, const Pairs& pairs, const GridPlaces& nodes) {
    HostVector<Index> numbers(pairs.count());
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (pairs.count() > 20000)
    for (Index pair = 0; pair < pairs.count(); ++pair) numbers[pair] = nodes.number(pairs.first[pair]);
    return numbers;
}

HostCsr<double> sum_of_pairs(OpenMP& backend, const HostCsr<double>& a, const Pairs& pairs, double factor) {
    return with_rows_of(a, [&](const auto& rows) {
        return build_rows<double>(backend, pairs.count(), pairs.count(), row_of_pair(rows, pairs, factor));
    });
}

HostCsr<double> sum_of_pairs(OpenMP& backend, const FoundRows<double>& a, const Pairs& pairs, double factor) {
    return build_rows<double>(backend, pairs.count(), pairs.count(), row_of_pair(a, pairs, factor));
}

FoundRows<double> found_sum_of_pairs(OpenMP& backend, const HostCsr<double>& a, const Pairs& pairs) {
    return with_rows_of(a, [&](const auto& rows) {
        return find_rows<double>(backend, pairs.count(), pairs.count(), row_of_pair(rows, pairs, 1));
    });
}

FoundRows<double> found_sum_of_pairs(OpenMP& backend, const FoundRows<double>& a, const Pairs& pairs) {
    return find_rows<double>(backend, pairs.count(), pairs.count(), row_of_pair(a, pairs, 1));
}

}  // namespace stiefel::amg
