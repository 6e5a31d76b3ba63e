#include "stiefel/preconditioner/amg/block_prolongation.hpp"

#include "stiefel/preconditioner/amg/build_blocks.hpp"

namespace stiefel::amg {

namespace {

/// One row of nodes of P after the other, from blocks of A and T.
class SmoothedRows {
public:
    SmoothedRows(const BlockMatrix& a, const Strength& is_strong, const Aggregates& aggregates,
                 const TentativeProlongation& t, double omega)
        : a_(a), is_strong_(is_strong), aggregates_(aggregates), t_(t), omega_(omega) {}

    template <class See>
    void for_columns(Index i, See&& see) const {
        see(aggregates_.of_node[i]);
        for (Size k = a_.row_ptr[i]; k < a_.row_ptr[Size{i} + 1]; ++k) {
            if (is_kept(i, k)) see(aggregates_.of_node[a_.col_idx[k]]);
        }
    }

    /// P_i = T_i - omega D_i^-1 (A_F T)_i. What is weak acts on T_i.
    template <int Square, int Width>
    void fill(Index i, const BlockRow& row) const {
        const Index height = a_.height, modes = t_.coarse.modes;
        const double* const own = t_.block(i);
        const double* diagonal = nullptr;
        for (Size k = a_.row_ptr[i]; k < a_.row_ptr[Size{i} + 1]; ++k) {
            const Index j = a_.col_idx[k];
            if (j == i) diagonal = a_.block(k);
            const Index with = is_kept(i, k) ? j : i;
            add_block_product<Square, Width>(height, height, modes, a_.block(k), t_.block(with),
                                             row(aggregates_.of_node[with]));
        }
        for (double* block = row.begin(); block != row.end(); block += height * modes) {
            for (Index c = 0; c < height; ++c) {
                const double d = diagonal == nullptr ? 0 : diagonal[c * height + c];
                const double factor = d > 0 ? -omega_ / d : 0;  // none where the unknown is absent
                for (Index m = 0; m < modes; ++m) block[c * modes + m] *= factor;
            }
        }
        double* const block = row(aggregates_.of_node[i]);
        for (Index e = 0; e < height * modes; ++e) block[e] += own[e];
    }

private:
    bool is_kept(Index i, Size k) const { return a_.col_idx[k] == i || is_strong_[k]; }

    const BlockMatrix& a_;
    const Strength& is_strong_;
    const Aggregates& aggregates_;
    const TentativeProlongation& t_;
    double omega_;
};

}  // namespace

BlockMatrix block_prolongation(OpenMP& backend, const BlockMatrix& a, const Strength& is_strong,
                               const Aggregates& aggregates, const TentativeProlongation& t, double radius) {
    const SmoothedRows rows(a, is_strong, aggregates, t, 4.0 / 3 / radius);
    const auto for_columns = [&](Index i, auto&& see) { rows.for_columns(i, see); };
    const Index modes = t.coarse.modes;
    BlockMatrix p;
    with_product_shape(a.height, a.height, modes, [&](auto square, auto width) {
        const auto fill = [&](Index i, const BlockRow& row) { rows.template fill<square, width>(i, row); };
        p = build_blocks(backend, a.n_rows, aggregates.count, a.height, modes, for_columns, fill);
    });
    return p;
}

}  // namespace stiefel::amg
