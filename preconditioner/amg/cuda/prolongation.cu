#include "stiefel/preconditioner/amg/cuda/prolongation.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/preconditioner/amg/cuda/row_lanes.cuh"
#include "stiefel/spmv/products/cuda/two_passes.cuh"

namespace stiefel::amg {

namespace {

/// Row i of P: an entry of A's row that is strong, and the diagonal's, brings the aggregate of its column.
template <class Offset, class Offsets>
struct SmoothedPattern : cuda::PatternBase<Offset> {
    Index n_rows;
    Index n_cols;
    Offsets row_ptr;
    const Index* columns;  ///< as in DeviceStrength
    const Index* aggregate;
    double mean_row;

    static constexpr int block_lanes = 1;

    SmoothedPattern(const cuda::CsrView<double>& a, const Offsets& offsets, const DeviceStrength& strength,
                    const DeviceAggregates& aggregates)
        : n_rows(a.n_rows),
          n_cols(aggregates.count),
          row_ptr(offsets),
          columns(strength.columns.data()),
          aggregate(aggregates.of_node.data()),
          mean_row(a.mean_row()) {}

    __device__ Offset begin(Index i) const { return row_ptr[i]; }
    __device__ Offset end(Index i) const { return row_ptr[Size{i} + 1]; }
    __device__ cuda::Terms<Offset> terms(Index i, Offset k) const {
        const Index j = columns[k];
        if (j >= 0) return {j, Offset{j} + 1};
        return {i, Offset{i} + (~j == i ? 1 : 0)};
    }
    __device__ Index col(Offset t) const { return aggregate[t]; }

    template <class F>
    void with_lanes(int l, F&& f) const {
        if (l < 2 && mean_row <= 40) return f.template operator()<8, 1>();
        f.template operator()<32, 1>();
    }
};

template <class Offset, class Offsets>
struct SmoothedRows : SmoothedPattern<Offset, Offsets> {
    using Pattern = SmoothedPattern<Offset, Offsets>;
    using value_type = double;
    using factor_type = double;

    const double* values;
    const double* weight;  ///< omega / D_F
    const LevelFacts* facts;

    SmoothedRows(const cuda::CsrView<double>& a, const Offsets& offsets, const DeviceStrength& strength,
                 const DeviceVector<double>& weights, const LevelFacts* facts_there, const DeviceAggregates& aggregates)
        : Pattern(a, offsets, strength, aggregates), values(a.values), weight(weights.data()), facts(facts_there) {}

    __device__ double factor(Index i, Offset k) const {
        return this->columns[k] >= 0 ? -weight[i] * values[k] : 1 - facts->omega;
    }
    __device__ static double product(double factor, Offset) { return factor; }
};

/// omega = 4/3 over a bound for the spectral radius, and omega / D_F. The bound may be far off, and smoothing less than
/// this does not pay.
__global__ void weights_kernel(Index n, const double* filtered_diagonal, double* weight, LevelFacts* facts) {
    constexpr double largest_radius = 2.2;
    const double radius = __longlong_as_double(static_cast<long long>(facts->filtered_radius));
    const double omega = 4.0 / 3 / min(radius, largest_radius);
    const Size i = RowLanes<1>().row;
    if (i < n) weight[i] = omega / filtered_diagonal[i];
    if (i == 0) facts->omega = omega;
}

}  // namespace

DeviceCsr<double> smoothed_prolongation(Cuda& backend, const DeviceCsr<double>& a, const DeviceStrength& strength,
                                        DeviceMatrix& of, const DeviceAggregates& aggregates) {
    const cuda::CsrView<double> view(a);
    DeviceVector<double> weights(backend, a.n_rows);
    weights_kernel<<<RowLanes<1>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
        a.n_rows, strength.filtered_diagonal.data(), weights.data(), of.facts.data());
    const auto build = [&](const auto& rows) { return cuda::TwoPasses(backend, rows).run(); };
    const LevelFacts* const facts = of.facts.data();
    if (view.is_narrow()) {
        return build(SmoothedRows<std::int32_t, const std::int32_t*>(view, view.row_ptr.narrow(), strength, weights,
                                                                     facts, aggregates));
    }
    return build(SmoothedRows<Size, cuda::OffsetsView>(view, view.row_ptr, strength, weights, facts, aggregates));
}

}  // namespace stiefel::amg
