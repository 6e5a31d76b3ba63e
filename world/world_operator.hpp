#pragma once

#include "stiefel/core/blocks.hpp"
#include "stiefel/core/linear_operator.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/operator.hpp"
#include "stiefel/world/halo.hpp"
#include "stiefel/world/world_matrix.hpp"

#include <array>
#include <utility>

namespace stiefel {

namespace detail {

/// A backend that is by itself for a while: sums of its kernels are those of this rank.
class OutsideWorld {
public:
    explicit OutsideWorld(InWorld& backend) : backend_(backend), before_(backend) { backend_ = InWorld(); }
    ~OutsideWorld() { backend_ = before_; }
    OutsideWorld(const OutsideWorld&) = delete;
    OutsideWorld& operator=(const OutsideWorld&) = delete;

private:
    InWorld& backend_;
    InWorld before_;
};

}  // namespace detail

/// The rows of a square matrix that this rank holds, as an operator on vectors of which each rank holds as many
/// elements as rows. A product sends what others need of x, multiplies by the columns of this rank, whose format and
/// kernel are chosen as for any matrix, waits, and adds what columns of others contribute to the rows that have such.
/// All ranks take part in each product. Its scratch makes products one at a time.
template <HostBackend B, class T>
class WorldOperator {
public:
    /// own: of split.own, which may be empty. The ranks must outlive this object; all make theirs at once.
    WorldOperator(Ranks& ranks, const RowBlocks& blocks, SpmvOperator<B, T> own, SplitRows<T> split)
        : own_(std::move(own)),
          beyond_(std::move(split.beyond)),
          boundary_(std::move(split.boundary)),
          halo_(ranks, blocks, split.ghosts) {}

    Index n_rows() const { return own_.n_rows(); }
    Size nnz() const { return own_.nnz() + beyond_.nnz(); }
    const SpmvOperator<B, T>& own() const { return own_; }
    const Halo& halo() const { return halo_; }

    friend void spmv(B& backend, const WorldOperator& a, const VectorOf<B, T>& x, VectorOf<B, T>& y,
                     std::type_identity_t<T> alpha = 1, std::type_identity_t<T> beta = 0) {
        const HostMatrix<const T> panel{x.data(), a.n_rows(), 1, 1};
        a.begin(backend, panel);
        spmv(backend, a.own_, x, y, alpha, beta);
        a.finish(backend, panel, HostMatrix<T>{y.data(), a.n_rows(), 1, 1}, alpha);
    }

    friend void spmv_dot(B& backend, const WorldOperator& a, const VectorOf<B, T>& x, VectorOf<B, T>& y, double* dot) {
        const HostMatrix<const T> panel{x.data(), a.n_rows(), 1, 1};
        a.begin(backend, panel);
        {
            const detail::OutsideWorld alone(backend);
            spmv_dot(backend, a.own_, x, y, dot);
        }
        *dot += a.finish(backend, panel, HostMatrix<T>{y.data(), a.n_rows(), 1, 1}, T{1});
        *dot = all_sum(backend, *dot);
    }

    friend void spmm(B& backend, const WorldOperator& a, HostMatrix<const std::type_identity_t<T>> x,
                     HostMatrix<std::type_identity_t<T>> y, std::type_identity_t<T> alpha = 1,
                     std::type_identity_t<T> beta = 0) {
        a.begin(backend, x);
        spmm(backend, a.own_, x, y, alpha, beta);
        a.finish(backend, x, y, alpha);
    }

    friend Work spmv_work(const WorldOperator& a) { return spmm_work(a, 1); }
    friend Work spmm_work(const WorldOperator& a, Index k) {
        Work work = spmm_work(a.own_, k);
        const Size moved = Size{a.halo_.n_ghosts()} + a.halo_.n_sent() + 2 * a.boundary_.size();
        work.bytes += static_cast<double>(a.beyond_.bytes() + moved * k * static_cast<Size>(sizeof(T)));
        work.flops += 2.0 * static_cast<double>(a.beyond_.nnz()) * k;
        return work;
    }

private:
    void begin(B& backend, HostMatrix<const T> x) const {
        const Size n = Size{halo_.n_ghosts()} * x.n_cols;
        if (ghosts_.size() < n) ghosts_ = HostVector<T>(n);
        halo_.begin(backend, x, ghosts_.data());
    }

    /// y += alpha A_beyond ghosts, once these are here. Returns <x, what was added>, of the first column.
    double finish(B& backend, HostMatrix<const T> x, HostMatrix<T> y, T alpha) const {
        halo_.end();
        const Size n = boundary_.size();
        return beyond_.row_ptr.visit([&](const auto* row_ptr) {
            const auto add = [&](Size begin, Size end) {
                std::array<double, 1> dot{};
                for (Size i = begin; i < end; ++i)
                    dot[0] += add_row(row_ptr[i], row_ptr[i + 1], boundary_[i], x, y, alpha);
                return dot;
            };
            return sum_of_rows(backend, n, beyond_.bytes(), add);
        });
    }

    double add_row(Size begin, Size end, Index row, HostMatrix<const T> x, HostMatrix<T> y, T alpha) const {
        double dot = 0;
        for (Index j = 0; j < x.n_cols; ++j) {
            T sum = 0;
            for (Size k = begin; k < end; ++k)
                sum += beyond_.values[k] * ghosts_[beyond_.col_idx[k] * Size{x.n_cols} + j];
            y.data[row * y.ld + j] += alpha * sum;
            if (j == 0) dot = static_cast<double>(x.data[row * x.ld]) * static_cast<double>(alpha * sum);
        }
        return dot;
    }

    template <class F>
    static double sum_of_rows(Serial&, Size n, Size, F&& f) {
        return f(0, n)[0];
    }
    template <class F>
    static double sum_of_rows(OpenMP& backend, Size n, Size bytes, F&& f) {
        return sum_over_blocks<1>(backend, n, bytes, f)[0];
    }

    SpmvOperator<B, T> own_;
    HostCsr<T> beyond_;
    HostVector<Index> boundary_;
    mutable Halo halo_;
    mutable HostVector<T> ghosts_;
};

/// The operator of the rows that this rank holds, whose own columns are put into the format that should multiply
/// fastest here (choose_operator). All ranks call it at once.
template <HostBackend B, class T>
WorldOperator<B, T> make_world_operator(B& backend, Ranks& ranks, const RowBlocks& blocks, const WorldRows<T>& rows,
                                        const FormatChoice& choice = {}) {
    SplitRows<T> split = split_rows(rows, blocks, ranks.rank());
    OpenMP host(backend.threads());
    const RowStatistics statistics = row_statistics(host, split.own);
    auto own = choose_operator(backend, std::move(split.own), statistics, choice).a;
    return {ranks, blocks, std::move(own), std::move(split)};
}

}  // namespace stiefel
