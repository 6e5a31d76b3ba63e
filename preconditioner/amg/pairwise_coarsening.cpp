#include "stiefel/preconditioner/amg/pairwise_coarsening.hpp"

#include "stiefel/preconditioner/amg/coarse_diagonal.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/pairs.hpp"
#include "stiefel/preconditioner/amg/strength.hpp"
#include "stiefel/spmv/products/found_rows.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace stiefel::amg {

namespace {

/// n x n_aggregates, a 1 in each row.
HostCsr<double> indicator(OpenMP& backend, HostVector<Index> of_node, Index n_aggregates) {
    const Size n = of_node.size();
    HostVector<std::int32_t> row_ptr(n + 1);
    HostVector<double> ones(n);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (n > 20000)
    for (Size i = 0; i < n; ++i) {
        row_ptr[i] = static_cast<std::int32_t>(i);
        ones[i] = 1;
    }
    row_ptr[n] = static_cast<std::int32_t>(n);
    return {.n_rows = static_cast<Index>(n),
            .n_cols = n_aggregates,
            .row_ptr = RowOffsets<HostMemory>(std::move(row_ptr)),
            .col_idx = std::move(of_node),
            .values = std::move(ones)};
}

/// What passes make of A, one after another. Of those before the last, rows stay where they are found.
class PassProducts {
public:
    PassProducts(OpenMP& backend, const HostCsr<double>& a) : backend_(backend), a_(a) {}

    Pairs pairs(const HostVector<double>& diagonal) {
        if (is_first_) lines_ = lines_of(a_);
        return is_first_ ? strongest_pairs(backend_, a_, diagonal, places())
                         : strongest_pairs(backend_, between_, places());
    }
    /// Before their sum is paired in turn.
    void number(const Pairs& pairs) { number_ = numbers_of(backend_, pairs, places()); }
    void sum(const Pairs& pairs) {
        between_ = is_first_ ? found_sum_of_pairs(backend_, a_, pairs) : found_sum_of_pairs(backend_, between_, pairs);
        is_first_ = false;
    }
    HostCsr<double> last_sum(const Pairs& pairs) {
        constexpr double factor = 1 / over_correction;
        const FoundRows<double> before = std::move(between_);
        HostCsr<double> coarse =
            is_first_ ? sum_of_pairs(backend_, a_, pairs, factor) : sum_of_pairs(backend_, before, pairs, factor);
        keep_row_sums(backend_, coarse);
        keep_weak_couplings(backend_, coarse);
        return coarse;
    }

private:
    GridPlaces places() const { return {&lines_, number_.data()}; }  // those of a_ have their own numbers

    OpenMP& backend_;
    const HostCsr<double>& a_;
    bool is_first_ = true;
    FoundRows<double> between_ = {};  // of all but the first
    GridLines lines_;
    HostVector<Index> number_;  // on the grid of a_, of the nodes of between_
};

/// Pairs, pass by pass, and what becomes of a node in all of them. last(pairs): what is to be done with the last.
template <class Last>
Aggregates pair_up(OpenMP& backend, PassProducts& products, Index n, const HostVector<double>& diagonal, int passes,
                   SetupSeconds& seconds, std::vector<Pairs>* kept, const Last& last) {
    Stopwatch watch;
    Aggregates aggregates;
    for (int pass = 0; pass < passes; ++pass) {
        Pairs pairs = products.pairs(diagonal);
        aggregates.count = pairs.count();
        seconds.aggregate += watch.restart();
        if (pass + 1 < passes) {
            products.number(pairs);
            products.sum(pairs);
        } else {
            last(pairs);
        }
        seconds.product += watch.restart();
        HostVector<Index>& of_node = aggregates.of_node;
        if (pass == 0) {
            of_node = kept != nullptr ? pairs.of_node.clone() : std::move(pairs.of_node);
        } else {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (n > 20000)
            for (Index i = 0; i < n; ++i) of_node[i] = pairs.of_node[of_node[i]];
        }
        if (kept != nullptr) kept->push_back(std::move(pairs));
        seconds.aggregate += watch.restart();
    }
    return aggregates;
}

}  // namespace

bool is_surely_smoothed(Index n_rows, Size nnz, std::string_view coarsening) {
    constexpr Index many_neighbours = 12;  // of which large aggregates are made
    return coarsening == coarsening_names::smoothed ||
           (coarsening == coarsening_names::automatic && nnz > many_neighbours * Size{n_rows});
}

int pairing_passes(const Neighbourhoods& around, std::string_view coarsening) {
    constexpr double filling = 0.3, line = 1.3, plane = 2;
    const bool suits = around.smoothed_growth > filling && around.dimension > line;
    if (coarsening == coarsening_names::smoothed || (coarsening == coarsening_names::automatic && !suits)) return 0;
    return around.dimension > plane ? 3 : 2;
}

void keep_row_sums(OpenMP& backend, HostCsr<double>& coarse, const HostVector<double>* beside) {
    coarse.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (coarse.nnz() > 20000)
        for (Index i = 0; i < coarse.n_rows; ++i) {
            double sum = beside != nullptr ? (*beside)[i] : 0;
            double* diagonal = nullptr;
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                sum += coarse.values[k];
                if (coarse.col_idx[k] == i) diagonal = &coarse.values[k];
            }
            if (sum > 0 && diagonal != nullptr) *diagonal += (over_correction - 1) * sum;
        }
    });
}

void keep_weak_couplings(OpenMP& backend, HostCsr<double>& coarse) {
    const Strength is_strong(backend, coarse);
    const HostVector<double>& root = is_strong.inverse_roots();
    coarse.row_ptr.visit([&](const auto* row_ptr) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (coarse.nnz() > 20000)
        for (Index i = 0; i < coarse.n_rows; ++i) {
            double taken = 0;
            double* diagonal = nullptr;
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const Index j = coarse.col_idx[k];
                double& value = coarse.values[k];
                if (j == i) diagonal = &value;
                if (j == i || is_strong[k] || !(value < 0) || !std::isfinite(root[i] * root[j])) continue;
                const double more = (over_correction - 1) * value;
                value += more;
                taken += more;
            }
            if (diagonal != nullptr) *diagonal -= taken;
        }
    });
}

Aggregates aggregates_of_pairs(OpenMP& backend, const HostCsr<double>& a, const HostVector<double>& diagonal,
                               int passes, SetupSeconds& seconds) {
    PassProducts products(backend, a);
    return pair_up(backend, products, a.n_rows, diagonal, passes, seconds, nullptr, [](const Pairs&) {});
}

std::optional<CoarserLevel> coarsen_by_pairs(OpenMP& backend, const HostCsr<double>& a,
                                             const HostVector<double>& diagonal, int passes, SetupSeconds& seconds,
                                             std::vector<Pairs>* kept) {
    PassProducts products(backend, a);
    HostCsr<double> coarse;
    Aggregates aggregates = pair_up(backend, products, a.n_rows, diagonal, passes, seconds, kept,
                                    [&](const Pairs& pairs) { coarse = products.last_sum(pairs); });
    if (coarse.n_rows > least_shrinking * a.n_rows) return {};
    Stopwatch watch;
    HostCsr<double> p = indicator(backend, std::move(aggregates.of_node), coarse.n_rows);
    HostCsr<double> restriction = transpose(backend, p);
    seconds.prolongate += watch.restart();
    CoarserLevel coarser = settled_level(backend, share(std::move(p), std::move(restriction), coarsening_names::pairs),
                                         std::move(coarse), diagonal);
    seconds.product += watch.restart();
    return coarser;
}

HostCsr<double> product_of_pairs(OpenMP& backend, const HostCsr<double>& a, const std::vector<Pairs>& passes) {
    PassProducts products(backend, a);
    for (std::size_t pass = 0; pass + 1 < passes.size(); ++pass) products.sum(passes[pass]);
    return products.last_sum(passes.back());
}

}  // namespace stiefel::amg
