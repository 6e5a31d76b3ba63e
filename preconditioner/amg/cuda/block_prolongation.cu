#include "stiefel/preconditioner/amg/cuda/block_prolongation.hpp"

#include "stiefel/core/cuda/early/multigrid.cuh"
#include "stiefel/preconditioner/amg/cuda/block_rows.cuh"

namespace stiefel::amg {

namespace {

/// Row i of P: a block of A's row that is strong, or the diagonal's, brings the aggregate of its node, a weak one that
/// of node i.
struct SmoothedPattern : BlockPattern {
    const Offset* row_ptr;
    Index height;
    Index modes;
    const Index* columns;  ///< of nodes, as in DeviceStrength
    const Index* aggregate;

    SmoothedPattern(const DeviceBlockMatrix& a, const DeviceStrength& of_norms, const DeviceAggregates& aggregates,
                    Index n_modes)
        : BlockPattern(a.n_rows, aggregates.count * n_modes),
          row_ptr(offsets_of(a)),
          height(a.height),
          modes(n_modes),
          columns(of_norms.columns.data()),
          aggregate(aggregates.of_node.data()) {}

    __device__ Offset begin(Index i) const { return row_ptr[i] / height; }
    __device__ Offset end(Index i) const { return row_ptr[i + 1] / height; }
    __device__ Terms terms(Index i, Offset k) const {
        const Index j = columns[k];
        const Offset first = (j >= 0 ? j : i) * modes;
        return {first, first + modes};
    }
    __device__ Index col(Offset t) const { return aggregate[t / modes] * modes + t % modes; }
};

template <int unknowns>
struct SmoothedRows : SmoothedPattern {
    using Pattern = SmoothedPattern;
    using value_type = Column<unknowns>;
    using factor_type = Size;

    const Column<unknowns>* values;
    const Column<unknowns>* tentative;
    const double* inverse_root;
    double omega;

    SmoothedRows(const DeviceBlockMatrix& a, const DeviceVector<double>& roots, const DeviceStrength& of_norms,
                 const DeviceAggregates& aggregates, const DeviceTentativeProlongation& t, double radius)
        : SmoothedPattern(a, of_norms, aggregates, t.coarse.modes),
          values(columns_of<unknowns>(a.values)),
          tentative(columns_of<unknowns>(t.values)),
          inverse_root(roots.data()),
          omega(4.0 / 3 / radius) {}

    /// The row's number and the block's.
    __device__ static factor_type factor(Index i, Offset k) { return factor_type{i} << 32 | k; }

    __device__ value_type product(factor_type factor, Offset t) const {
        const auto i = static_cast<Index>(factor >> 32);
        const Size k = factor & 0xffffffff;
        const Column<unknowns> own = tentative[t];
        value_type sum{};
        add_product(values + k * unknowns, own, sum);
        const bool is_diagonal = this->columns[k] == ~i;
        for (int r = 0; r < unknowns; ++r) {
            const double root = inverse_root[Size{i} * unknowns + r];
            sum.v[r] = (is_diagonal ? own.v[r] : 0) - omega * root * root * sum.v[r];
        }
        return sum;
    }
};

}  // namespace

DeviceBlockMatrix block_prolongation(Cuda& backend, const DeviceBlockMatrix& a,
                                     const DeviceVector<double>& inverse_root, const DeviceStrength& of_norms,
                                     const DeviceAggregates& aggregates, const DeviceTentativeProlongation& t,
                                     double radius) {
    return with_height(a.height, [&](auto height) {
        const SmoothedRows<height()> rows(a, inverse_root, of_norms, aggregates, t, radius);
        return built_of<height()>(backend, rows, t.coarse.modes);
    });
}

}  // namespace stiefel::amg
