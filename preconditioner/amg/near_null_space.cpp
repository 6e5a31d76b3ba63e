#include "stiefel/preconditioner/amg/near_null_space.hpp"

#include <cmath>

namespace stiefel::amg {

namespace {

/// Nodes of each aggregate, one aggregate after another.
struct Members {
    HostVector<Index> begin, node;

    explicit Members(const Aggregates& aggregates)
        : begin(Size{aggregates.count} + 1, 0), node(aggregates.of_node.size()) {
        for (const Index a : aggregates.of_node) ++begin[Size{a} + 1];
        for (Index a = 0; a < aggregates.count; ++a) begin[Size{a} + 1] += begin[a];
        HostVector<Index> end(aggregates.count);
        for (Index a = 0; a < aggregates.count; ++a) end[a] = begin[a];
        for (Size i = 0; i < node.size(); ++i) node[end[aggregates.of_node[i]]++] = static_cast<Index>(i);
    }
};

/// The modes on one aggregate, orthonormalised in place; R, modes x modes, is what they were made of.
class LocalBasis {
public:
    LocalBasis(NearNullSpace& space, const Members& members, Index aggregate)
        : space_(space),
          first_(members.node.data() + members.begin[aggregate]),
          last_(members.node.data() + members.begin[Size{aggregate} + 1]) {}

    /// Columns one after another, each made orthogonal to those before it twice, which is enough (Kahan; Giraud,
    /// Langou and Rozloznik 2005). One that loses all but rounding depends on them.
    void orthonormalise(double* r) {
        constexpr double least_share = 1e-7;  // of its length
        const Index m = space_.modes;
        for (Index k = 0; k < m; ++k) {
            const double length = std::sqrt(dot(k, k));
            for (int pass = 0; pass < 2; ++pass) {
                for (Index j = 0; j < k; ++j) {
                    if (r[Size{j} * m + j] == 0) continue;
                    const double share = dot(j, k);
                    subtract(share, j, k);
                    r[Size{j} * m + k] += share;
                }
            }
            const double left = std::sqrt(dot(k, k));
            const bool is_new = left > least_share * length;
            scale(k, is_new ? 1 / left : 0);
            r[Size{k} * m + k] = is_new ? left : 0;
        }
    }

private:
    /// f(row of the aggregate)
    template <class F>
    void for_rows(F&& f) const {
        for (const Index* node = first_; node != last_; ++node) {
            for (Index c = 0; c < space_.block; ++c) f(space_.row(*node * space_.block + c));
        }
    }
    double dot(Index j, Index k) const {
        double sum = 0;
        for_rows([&](const double* row) { sum += row[j] * row[k]; });
        return sum;
    }
    void subtract(double share, Index j, Index k) {
        for_rows([&](double* row) { row[k] -= share * row[j]; });
    }
    void scale(Index k, double factor) {
        for_rows([&](double* row) { row[k] *= factor; });
    }

    NearNullSpace& space_;
    const Index* first_;
    const Index* last_;
};

}  // namespace

NearNullSpace constants(Index n, Index block) {
    NearNullSpace space{.block = block, .modes = block, .values = HostVector<double>(Size{n} * block, 0.0)};
    for (Index i = 0; i < n; ++i) space.row(i)[i % block] = 1;
    return space;
}

NearNullSpace copy_of(const NearNullSpace& space) {
    return {.block = space.block, .modes = space.modes, .values = space.values.clone()};
}

TentativeProlongation tentative_prolongation(OpenMP& backend, const Aggregates& aggregates, NearNullSpace space) {
    const Index m = space.modes;
    NearNullSpace coarse{.block = m, .modes = m, .values = HostVector<double>(Size{aggregates.count} * m * m, 0.0)};
    const Members members(aggregates);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (space.values.size() > 20000)
    for (Index a = 0; a < aggregates.count; ++a) {
        LocalBasis(space, members, a).orthonormalise(coarse.row(a * m));
    }
    return {.height = space.block, .values = std::move(space.values), .coarse = std::move(coarse)};
}

}  // namespace stiefel::amg
