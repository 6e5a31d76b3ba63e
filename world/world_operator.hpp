#pragma once

#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/device_formats.hpp"
#include "stiefel/spmv/operator.hpp"
#include "stiefel/world/boundary_rows.hpp"
#include "stiefel/world/cuda/boundary_rows.hpp"
#include "stiefel/world/outside_world.hpp"

#include <utility>

namespace stiefel {

/// The rows of a square matrix that this rank holds, as an operator on vectors of which each rank holds as many
/// elements as rows. A product sends what others need of x, multiplies by the columns of this rank, whose format and
/// kernel are chosen as for any matrix, waits, and adds what columns of others contribute to the rows that have such.
/// All ranks take part in each product. Its scratch makes products one at a time.
template <class B, class T>
class WorldOperator {
public:
    using Memory = typename B::memory;

    /// own: of split.own, which may be empty. The ranks must outlive this object; all make theirs at once. On a GPU
    /// they are those of the CudaWorld that the backend has joined.
    WorldOperator(B& backend, RanksOf<B>& ranks, const RowBlocks& blocks, SpmvOperator<B, T> own, SplitRows<T> split)
        : own_(std::move(own)), boundary_(backend, ranks, blocks, std::move(split)) {}

    Index n_rows() const { return own_.n_rows(); }
    Size nnz() const { return own_.nnz() + boundary_.nnz(); }
    const SpmvOperator<B, T>& own() const { return own_; }
    const Halo& halo() const { return boundary_.halo(); }
    const BoundaryRows<B, T>& boundary() const { return boundary_; }

    friend void spmv(B& backend, const WorldOperator& a, const VectorOf<B, T>& x, VectorOf<B, T>& y,
                     std::type_identity_t<T> alpha = 1, std::type_identity_t<T> beta = 0) {
        if (backend.is_alone()) return spmv(backend, a.own_, x, y, alpha, beta);
        a.boundary_.begin(backend, column<const T>(x));
        spmv(backend, a.own_, x, y, alpha, beta);
        a.boundary_.finish(backend, column<const T>(x), column<T>(y), alpha);
    }

    friend void spmv_dot(B& backend, const WorldOperator& a, const VectorOf<B, T>& x, VectorOf<B, T>& y, double* dot) {
        if (backend.is_alone()) return spmv_dot(backend, a.own_, x, y, dot);
        if constexpr (!HostBackend<B>) {
            if (a.boundary_.multiply(backend, a.own_, x, y, dot)) return;
        }
        a.boundary_.begin(backend, column<const T>(x));
        {
            const OutsideWorld alone(backend);
            spmv_dot(backend, a.own_, x, y, dot);
        }
        a.boundary_.finish(backend, column<const T>(x), column<T>(y), dot);
    }

    friend void spmm(B& backend, const WorldOperator& a, MatrixOf<B, const std::type_identity_t<T>> x,
                     MatrixOf<B, std::type_identity_t<T>> y, std::type_identity_t<T> alpha = 1,
                     std::type_identity_t<T> beta = 0) {
        if (backend.is_alone()) return spmm(backend, a.own_, x, y, alpha, beta);
        a.boundary_.begin(backend, x);
        spmm(backend, a.own_, x, y, alpha, beta);
        a.boundary_.finish(backend, x, y, alpha);
    }

    friend Work spmv_work(const WorldOperator& a) { return spmm_work(a, 1); }
    friend Work spmm_work(const WorldOperator& a, Index k) {
        Work work = spmm_work(a.own_, k);
        const Size moved = Size{a.halo().n_ghosts()} + a.halo().n_sent() + 2 * a.boundary_.n_rows();
        work.bytes += static_cast<double>(a.boundary_.bytes() + moved * k * static_cast<Size>(sizeof(T)));
        work.flops += 2.0 * static_cast<double>(a.boundary_.nnz()) * k;
        return work;
    }

private:
    template <class U, class V>
    static MatrixView<U, Memory> column(V& v) {
        return {v.data(), static_cast<Index>(v.size()), 1, 1};
    }

    SpmvOperator<B, T> own_;
    BoundaryRows<B, T> boundary_;
};

/// The operator of the rows that this rank holds, whose own columns are put into the format that should multiply
/// fastest here (choose_operator). All ranks call it at once.
template <class B, class T>
WorldOperator<B, T> make_world_operator(B& backend, RanksOf<B>& ranks, const RowBlocks& blocks,
                                        const WorldRows<T>& rows, FormatChoice choice = {}) {
    require(rows.n_rows() == blocks.n_rows_of(ranks.rank()),
            "world operator: there must be as many rows as the rank holds");
    SplitRows<T> split = split_rows(rows, blocks, ranks.rank());
    OpenMP host(backend.threads());
    const RowStatistics statistics = row_statistics(host, split.own);
    choice.may_stay = false;
    const auto chosen = [&](auto own) {
        const OutsideWorld alone(backend);
        return choose_operator(backend, std::move(own), statistics, choice).a;
    };
    if constexpr (HostBackend<B>) {
        return {backend, ranks, blocks, chosen(std::move(split.own)), std::move(split)};
    } else {
        return {backend, ranks, blocks, chosen(to_device(backend, split.own)), std::move(split)};
    }
}

}  // namespace stiefel
