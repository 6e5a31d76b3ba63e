#include "stiefel/preconditioner/amg/cuda/prolongation.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/core/cuda/row_lanes.cuh"
#include "stiefel/spmv/products/cuda/two_passes.cuh"

namespace stiefel::amg {

namespace {

/// Row i of P: an entry of A's row that P follows, and the diagonal's, brings the aggregate of its column.
template <class Offset, class Offsets>
struct SmoothedPattern : cuda::PatternBase<Offset> {
    Index n_rows;
    Index n_cols;
    Offsets row_ptr;
    const Index* columns;  ///< as in DeviceStrength, after follow_kernel
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

/// Turns the bits of columns back where the row depends on them: see Followed of the host. D_F, and the bound for the
/// spectral radius of D_F^-1 A_F to the facts.
template <int lanes>
__global__ void follow_kernel(cuda::CsrView<double> a, double theta, double of_diagonal, const double* diagonal,
                              Index* columns, double* filtered_diagonal, LevelFacts* facts) {
    // Where couplings that are left out cancel most of the diagonal, what the others need stays.
    constexpr double least_share = 0.1;
    const RowLanes<lanes> at;
    const Size i = at.row;
    const bool is_row = i < a.n_rows;
    const Size first = is_row ? a.row_ptr[i] + at.lane : 0, last = is_row ? a.row_ptr[i + 1] : 0;
    const auto is_diagonal = [&](Size k) { return columns[k] == ~static_cast<Index>(i); };
    double most = 0, left_out = 0, followed = 0, d = 1;
    for (Size k = first; k < last; k += lanes) most = max(most, is_diagonal(k) ? 0.0 : abs(a.values[k]));
    const double least = max(theta * lanes_max<lanes>(most), is_row ? of_diagonal * diagonal[i] : 0.0);
    for (Size k = first; k < last; k += lanes) {
        if (is_diagonal(k)) continue;
        const double value = a.values[k];
        if (columns[k] < 0 && abs(value) >= least) columns[k] = ~columns[k];
        if (columns[k] >= 0) {
            followed += abs(value);
        } else {
            left_out += value;
        }
    }
    left_out = lanes_sum<lanes>(left_out);
    followed = lanes_sum<lanes>(followed);
    if (is_row) {
        d = diagonal[i] + left_out;
        if (d <= least_share * diagonal[i] && d < followed) d = followed;
        if (at.lane == 0) filtered_diagonal[i] = d;
    }
    raise(&facts->filtered_radius, is_row ? (d + followed) / d : 0.0);
}

/// omega = 4/3 over a bound for the spectral radius, and omega / D_F in place of D_F. The bound may be far off, and
/// smoothing less than this does not pay.
__global__ void weights_kernel(Index n, double* weight, LevelFacts* facts) {
    constexpr double largest_radius = 2.2;
    const double radius = __longlong_as_double(static_cast<long long>(facts->filtered_radius));
    const double omega = 4.0 / 3 / min(radius, largest_radius);
    const Size i = RowLanes<1>().row;
    if (i < n) weight[i] = omega / weight[i];
    if (i == 0) facts->omega = omega;
}

}  // namespace

DeviceCsr<double> smoothed_prolongation(Cuda& backend, const DeviceCsr<double>& a, DeviceStrength strength,
                                        DeviceMatrix& of, const DeviceAggregates& aggregates, double least) {
    const cuda::CsrView<double> view(a);
    DeviceVector<double> weights(backend, a.n_rows);  // D_F before
    with_row_lanes(view.mean_row(), [&](auto lanes) {
        follow_kernel<lanes()><<<RowLanes<lanes()>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(
            view, Strength::theta, least, of.diagonal.data(), strength.columns.data(), weights.data(), of.facts.data());
    });
    check_cuda(cudaGetLastError(), "looking for what a prolongation follows");
    weights_kernel<<<RowLanes<1>::blocks(a.n_rows), row_threads, 0, backend.stream()>>>(a.n_rows, weights.data(),
                                                                                        of.facts.data());
    const auto build = [&](const auto& rows) { return cuda::TwoPasses(backend, rows).run(); };
    const LevelFacts* const facts = of.facts.data();
    if (view.is_narrow()) {
        return build(SmoothedRows<std::int32_t, const std::int32_t*>(view, view.row_ptr.narrow(), strength, weights,
                                                                     facts, aggregates));
    }
    return build(SmoothedRows<Size, cuda::OffsetsView>(view, view.row_ptr, strength, weights, facts, aggregates));
}

}  // namespace stiefel::amg
